//! Which kernels become one.

use crate::for_device;

/// The names of the kernels of a function after this stage, where `between` and a second kernel follow a first one,
/// which writes `p`. There are fresh blocks `p` and `q`, and an argument `xs`.
fn kernels(between: &str, body: &str) -> Vec<String> {
    let text = format!(
        "prog imp
         fun f(n: i64, xs_mem: mem) -> () {{
           var xs: *i64 xs = data xs_mem[0]
           var p_mem: mem var p: *i64 p_mem = alloc i64[n] p = data p_mem[0]
           var q_mem: mem var q: *i64 q_mem = alloc i64[n] q = data q_mem[0]
           launch \"first\" at \"\" block b of n thread t of 32 {{
             p[(b + t)] = xs[(b + t)]
           }}
           {between}
           launch \"second\" at \"\" block c of n thread u of 32 {{
             {body}
           }}
         }}"
    );
    let text = for_device(&text, false);
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("launch \""));
    names.map(|rest| rest.split('"').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn kernels_that_have_nothing_to_do_with_each_other_are_one() {
    assert_eq!(kernels("", "q[c] = xs[u]"), ["first_second"]);
    assert_eq!(kernels("var m: i64 = add_i64(n, 1)", "q[c] = m"), ["first_second"]);
    let other = "var r_mem: mem var r: *i64 r_mem = alloc i64[n] r = data r_mem[0]";
    assert_eq!(kernels(other, "r[c] = 1"), ["first_second"]);
}

#[test]
fn others_are_not() {
    let apart = ["first", "second"];
    // What the other writes is read or written.
    assert_eq!(kernels("", "q[c] = p[u]"), apart);
    assert_eq!(kernels("", "p[c] = 1"), apart);
    assert_eq!(kernels("", "xs[c] = 1"), apart);
    // A pointer derived from what the other writes.
    assert_eq!(kernels("var r: *i64 r = &p[1]", "r[c] = 1"), apart);
    // The host cannot do this before the first.
    assert_eq!(kernels("var v: i64 v = fetch p[0]", "q[c] = v"), ["first", "second"]);
    assert_eq!(kernels("copy q[0] <- p[0], n", "q[c] = 1"), apart);
    assert_eq!(kernels("p_mem = alloc i64[n] p = data p_mem[0]", "q[c] = 1"), apart);
    // Blocks whose threads meet.
    assert_eq!(kernels("", "var s: shared i64[32] s[u] = 1 barrier q[c] = s[0]"), apart);
}
