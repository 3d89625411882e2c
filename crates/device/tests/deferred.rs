//! What the host fetches, and when.

use crate::for_device;

/// The statements of a function after this stage, where `body` follows an array of two sums at `p`, in a block of a
/// constant size.
fn after(body: &str) -> Vec<String> {
    let text = format!(
        "prog imp
         fun f(n: i64, x: f32) -> (r: f32) {{
           var m: mem
           var p: *f32
           m = alloc f32[2]
           p = data m[0]
           launch \"sums\" at \"\" block b of 1 thread t of 1 {{
             p[0] = x
             p[1] = x
           }}
           var s: f32
           s = fetch p[1]
           {body}
         }}"
    );
    let text = for_device(&text, false);
    let start = text.find("= data m").expect("the beginning is as it was");
    text[start..].lines().skip(1).map(|line| line.trim().to_owned()).collect()
}

/// The numbers of the lines that contain a word.
fn at(lines: &[String], word: &str) -> Vec<usize> {
    (0..lines.len()).filter(|&k| lines[k].contains(word)).collect()
}

const KERNEL: &str = "launch \"map\" at \"\" block c of n thread u of 32 {
                        p[0] = s
                      }";

#[test]
fn what_only_kernels_need_is_not_fetched() {
    let lines = after(
        "var half: f32 = div_f32(s, 2.0f32)
         var q_mem: mem
         var q: *f32
         q_mem = alloc f32[n]
         q = data q_mem[0]
         free m
         launch \"map\" at \"\" block c of n thread u of 32 {
           q[c] = half
         }
         free q_mem
         r = x",
    );
    assert!(at(&lines, "fetch").is_empty(), "{lines:#?}");
    assert!(at(&lines, "free m")[0] > at(&lines, "launch \"map\"")[0], "{lines:#?}");
}

#[test]
fn what_could_be_rounded_differently_is_computed_once() {
    let lines = after(
        "var square: f32 = mul_f32(s, s)
         var rest: f32 = sub_f32(x, square)
         var q_mem: mem
         var q: *f32
         q_mem = alloc f32[n]
         q = data q_mem[0]
         launch \"map\" at \"\" block c of n thread u of 32 {
           q[c] = rest
         }
         launch \"again\" at \"\" block d of n thread v of 32 {
           q[d] = add_f32(q[d], rest)
         }
         r = rest",
    );
    assert_eq!(at(&lines, "mul_f32").len(), 1, "{lines:#?}");
    // It is one kernel with that of the sums.
    assert!(at(&lines, "launch \"scalars\"").is_empty(), "{lines:#?}");
    let fetch = at(&lines, "fetch");
    assert!(fetch.len() == 1 && fetch[0] > at(&lines, "launch \"again\"")[0], "{lines:#?}");
}

#[test]
fn what_is_overwritten_is_fetched_before() {
    let lines = after(&format!("{KERNEL}\nr = s"));
    assert!(at(&lines, "fetch")[0] < at(&lines, "launch \"map\"")[0], "{lines:#?}");
    let lines = after(&format!("for i = 0 .. n {{ {KERNEL} }}\nr = s"));
    assert!(at(&lines, "fetch")[0] < at(&lines, "for ")[0], "{lines:#?}");
}

#[test]
fn blocks_that_others_can_reach_are_not_relied_on() {
    let other = "var q_mem: mem
                 var q: *f32
                 q_mem = share m
                 q = data q_mem[0]
                 launch \"map\" at \"\" block c of n thread u of 32 {
                   q[1] = add_f32(s, s)
                 }
                 r = s";
    let lines = after(other);
    assert!(at(&lines, "fetch")[0] < at(&lines, "launch \"map\"")[0], "{lines:#?}");
}

#[test]
fn what_decides_how_many_threads_there_are_is_fetched() {
    let lines = after(
        "var k: i64 = f32_to_i64(s)
         launch \"map\" at \"\" block c of k thread u of 32 {
           p[0] = x
         }
         r = x",
    );
    assert!(at(&lines, "fetch")[0] < at(&lines, "launch \"map\"")[0], "{lines:#?}");
}

#[test]
fn the_host_waits_once_for_what_it_needs() {
    let lines = after(
        "var z: f32
         z = fetch p[0]
         r = s
         r = add_f32(r, z)",
    );
    let (fetches, sets) = (at(&lines, "fetch"), at(&lines, "r.2 ="));
    assert!(fetches.len() == 2 && fetches[1] < sets[0], "{lines:#?}");
    // What is needed in one of two cases only is not waited for in the other.
    let lines = after(
        "var z: f32
         z = fetch p[0]
         r = s
         if lt_f32(x, 0.0f32) {
           r = z
         }",
    );
    assert!(at(&lines, "fetch")[1] > at(&lines, "r.2 =")[0], "{lines:#?}");
}

#[test]
fn what_is_only_checked_is_checked_by_the_device() {
    let check = "assert lt_f32(s, x), \"too much\"";
    let lines = after(&format!("{check}\nr = x"));
    assert!(at(&lines, "fetch").is_empty(), "{lines:#?}");
    let lines = after(&format!("{check}\nr = s"));
    assert!(at(&lines, "fetch")[0] < at(&lines, "assert")[0], "{lines:#?}");
}
