//! Which elements kernels know that nobody changes.

use crate::for_device;

/// The pointers through which the kernel "map" reads such elements. It is in the middle of `before` and `after`; there
/// are arguments `xs` and `ys`, and `p` is a block that is allocated first.
fn read_only(before: &str, body: &str, after: &str) -> String {
    let text = format!(
        "prog imp
         fun f(n: i64, xs_mem: mem, ys_mem: mem, c: bool) -> () {{
           var xs: *i64 xs = data xs_mem[0]
           var ys: *i64 ys = data ys_mem[0]
           var p_mem: mem var p: *i64 p_mem = alloc i64[n] p = data p_mem[0]
           var q_mem: mem var q: *i64
           var r_mem: mem var r: *i64 r_mem = share p_mem r = &p[0]
           {before}
             launch \"map\" at \"\" block b of n thread t of 1024 {{
               {body}
             }}
           {after}
         }}"
    );
    let text = for_device(&text, false);
    let heads = text.lines().filter_map(|line| line.trim().strip_prefix("launch \"map\""));
    let found = heads.map(|head| head.split_once("read_only ").map_or("", |(_, list)| list));
    let names = found.map(|list| {
        list.trim_end_matches(" {").split(", ").map(hint).collect::<Vec<_>>().join(" ")
    });
    names.collect::<Vec<_>>().join("; ")
}

fn hint(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}

const NEW: &str = "q_mem = alloc i64[n] q = data q_mem[0]";

#[test]
fn what_was_there_before_another_block_was_allocated_is_not_in_it() {
    let body = "q[t] = add_i64(add_i64(xs[b], ys[b]), add_i64(p[b], r[b]))";
    assert_eq!(read_only(NEW, body, ""), "xs ys p r");
    let loops = format!("for i = 0 .. n {{ {NEW}");
    assert_eq!(read_only(&loops, body, "r_mem = share q_mem r = &q[0] }"), "xs ys p r");
    // A block is apart from what was there, whichever of the two is written.
    assert_eq!(read_only(NEW, "xs[t] = add_i64(q[b], p[b])", ""), "q p");
    assert_eq!(read_only("", "p[t] = xs[b]", ""), "xs");
}

#[test]
fn other_blocks_may_be_the_same() {
    // Arguments.
    assert_eq!(read_only("", "xs[t] = ys[b]", ""), "");
    // One more handle.
    assert_eq!(read_only("", "p[t] = add_i64(r[b], xs[b])", ""), "xs");
    let shared = format!("{NEW} q_mem = share p_mem q = &p[0]");
    assert_eq!(read_only(&shared, "q[t] = add_i64(r[b], xs[b])", ""), "xs");
    // What an iteration handed on may be in a block that was allocated before the loop.
    let loops = "for i = 0 .. n {";
    let hand_on = "r_mem = share p_mem r = &p[0] }";
    assert_eq!(read_only(loops, "p[t] = add_i64(r[b], xs[b])", hand_on), "xs");
    // Allocated in a branch only.
    let branch = format!("q_mem = share p_mem q = &p[0] if c {{ {NEW} }}");
    assert_eq!(read_only(&branch, "q[t] = add_i64(r[b], xs[b])", ""), "");
    let branches = format!("if c {{ r_mem = share xs_mem r = &xs[0] {NEW} }} else {{ {NEW}");
    assert_eq!(read_only(&branches, "q[t] = r[b]", "}"), "r");
    let branches = format!("if c {{ {NEW} }} else {{ ");
    let around = format!("q_mem = share p_mem q = &p[0] {branches}");
    assert_eq!(read_only(&around, "q[t] = r[b]", "}"), "");
}

#[test]
fn what_a_kernel_does_more_with_than_to_load_is_not_read_only() {
    assert_eq!(read_only(NEW, "xs[t] = xs[b] q[t] = p[b]", ""), "p");
    assert_eq!(read_only(NEW, "var s: *i64 s = &xs[b] q[t] = s[0]", ""), "");
}
