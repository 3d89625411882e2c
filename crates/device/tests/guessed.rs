//! Memory for threads that only these know the size of.

use crate::for_device;

/// A program after this stage, in which each thread has two arrays of its own.
fn after(first: &str, second: &str) -> String {
    for_device(
        &format!(
            "prog imp
             fun f(n: i64, xs_mem: mem) -> () {{
               var xs: *i64
               xs = data xs_mem[0]
               launch \"map\" at \"\" block b of n thread t of 32 {{
                 var p_mem: mem
                 var p: *{first}
                 p_mem = alloc {first}[xs[t]]
                 p = data p_mem[0]
                 for i = 0 .. n {{ p[i] = p[0] }}
                 var q_mem: mem
                 var q: *{second}
                 q_mem = alloc {second}[xs[t]]
                 q = data q_mem[0]
                 for j = 0 .. n {{ q[j] = q[0] }}
               }}
             }}"
        ),
        true,
    )
}

/// The arrays with indices that are multiples of the number of threads.
fn scaled(text: &str) -> Vec<&str> {
    let stores = text.lines().filter(|line| line.contains("[(32*") && line.contains(" = "));
    stores.filter_map(|line| line.trim().split('.').next()).collect()
}

#[test]
fn elements_of_neighbours_are_neighbours() {
    let text = after("f64", "i64");
    assert!(scaled(&text) == ["p", "q"], "{text}");
}

/// Threads take pieces of other sizes, so that what is a piece of one type here is one of another type there.
#[test]
fn elements_of_another_width_are_not_between_them() {
    let text = after("f64", "f32");
    assert!(scaled(&text) == ["p"], "{text}");
}

#[test]
fn few_threads_get_much_at_first() {
    let text = after("f64", "i64");
    let of = |name: &str| {
        text.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{text}"))
    };
    assert!(of("var each.").contains("16777216"), "{text}");
    assert!(of("var first.").contains("4096"), "{text}");
}
