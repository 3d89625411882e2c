//! Loops and branches whose scalars stay on the device.

use crate::for_device;

/// A program after this stage. In front of the body there is an array, at `p`, and a condition, `go`.
fn after(body: &str) -> String {
    let text = format!(
        "prog imp
         fun f(n: i64, x: f32) -> (r: f32) {{
           var m: mem
           var p: *f32
           m = alloc f32[n]
           p = data m[0]
           var go: bool = true
           var s: f32 = x
           {body}
           r = x
         }}"
    );
    for_device(&text, false)
}

/// A kernel that stores a sum at `q`, and its fetch.
const SUM: &str = "var q_mem: mem
                   var q: *f32
                   q_mem = alloc f32[1]
                   q = data q_mem[0]
                   launch \"sum\" at \"\" block b of n thread t of 32 {
                     p[b] = s
                     q[0] = x
                   }
                   var y: f32
                   y = fetch q[0]";

#[test]
fn the_host_is_one_iteration_ahead() {
    let text = after(&format!("while go {{ {SUM}\n s = y\n go = lt_f32(y, x)\n free q_mem }}"));
    assert!(!text.contains("fetch"), "{text}");
    let launched = text.rfind("launch \"next\"").expect("a kernel stores what comes next");
    assert!(text.rfind("ask").is_some_and(|at| at > launched), "{text}");
    let kernel = text.find("launch \"sum\"").expect("the kernel");
    assert!(text[kernel..].lines().nth(1).is_some_and(|line| line.contains("if cell")), "{text}");
}

#[test]
fn the_device_checks_what_the_host_would() {
    let check = "assert lt_i64(0, n), \"nothing\"";
    let text = after(&format!("while go {{ {check}\n {SUM}\n go = lt_f32(y, x)\n free q_mem }}"));
    let check = text.find("assert").expect("the check");
    assert!(
        text[..check].lines().rev().nth(1).is_some_and(|line| line.contains("if cell")),
        "{text}"
    );
}

#[test]
fn the_device_copies_what_the_host_would() {
    let copy = "copy p[1] <- q[0], 1";
    let text = after(&format!("while go {{ {SUM}\n {copy}\n go = lt_f32(y, x)\n free q_mem }}"));
    assert!(text.contains("ask") && !text.contains("copy p["), "{text}");
    let kernel = text.find("launch \"copy\"").expect("the kernel");
    assert!(text[kernel..].lines().nth(1).is_some_and(|line| line.contains("if cell")), "{text}");
}

#[test]
fn what_a_loop_that_counts_hands_on_is_not_fetched() {
    let text = after(&format!("for i = 0 .. n {{ {SUM}\n s = add_f32(s, y)\n free q_mem }}"));
    assert!(!text.contains("fetch") && !text.contains("ask"), "{text}");
}

#[test]
fn a_loop_in_which_the_host_needs_the_value_stays_as_it_is() {
    let needs = ["var k: i64 = f32_to_i64(y)\n q_mem = alloc f32[k]", "trace \"y\" y: f32"];
    for need in needs {
        let text = after(&format!("while go {{ {SUM}\n {need}\n go = lt_f32(y, x) }}"));
        assert!(text.contains("fetch") && !text.contains("ask"), "{need}: {text}");
    }
}

#[test]
fn an_iteration_that_should_not_be_allocates_what_others_do() {
    let body = format!(
        "var k: i64 = 1
         var z_mem: mem
         while go {{
           z_mem = alloc f32[k]
           {SUM}
           go = lt_f32(y, x)
           k = mul_i64(k, 2)
         }}"
    );
    assert!(after(&body).contains("fetch"));
    assert!(!after(&body.replace("f32[k]", "f32[n]")).contains("fetch"));
}

/// A loop that calls a function, `step`, with this body.
fn calling(step: &str, body: &str) -> String {
    let text = format!(
        "prog imp
         fun step(n: i64, s: f32, a_mem: mem) -> (e: f32, made: mem) {{
           var p: *f32
           p = data a_mem[0]
           var x: f32 = s
           {step}
         }}
         fun f(n: i64, x: f32, m: mem) -> (r: f32) {{
           var p: *f32
           p = data m[0]
           var go: bool = true
           var s: f32 = x
           var h: mem
           h = share m
           while go {{
             var y: f32
             var c: mem
             {body}
             s = y
             go = lt_f32(y, x)
             h = share c
             free c
           }}
           r = s
         }}"
    );
    for_device(&text, false)
}

const CALL: &str = "y, c = call step(n, s, &p[0] in m)";

#[test]
fn what_a_loop_calls_is_part_of_it_if_the_host_need_not_wait_then() {
    let step = format!(
        "{SUM}\n e = y\n var z_mem: mem\n var z: *f32\n z_mem = alloc f32[n]\n z = data z_mem[0]\n made = export &z[0] in z_mem"
    );
    let text = calling(&step, CALL);
    assert!(!text.contains("call") && text.contains("ask"), "{text}");
    // Nothing else calls it.
    assert!(!text.contains("fun step"), "{text}");
    // What the function held is released in each iteration.
    let inside = &text[text.find("while").expect("the loop")..];
    assert!(inside.find("free q_mem").is_some_and(|at| at < inside.find("ask").unwrap()), "{text}");
    // It waits either way.
    let text = calling(&step, &format!("{CALL}\n trace \"y\" y: f32"));
    assert!(text.contains("call step") && text.contains("fetch"), "{text}");
}

#[test]
fn what_calls_itself_or_does_not_wait_is_called() {
    let again = "e, made = call step(n, s, &p[0] in a_mem)";
    assert!(calling(again, CALL).contains("= call step(n"));
    let quick = "e = add_f32(s, s)\n made = export &p[0] in a_mem";
    assert!(calling(quick, CALL).contains("= call step(n"));
}

#[test]
fn branches_leave_scalars_where_they_are() {
    let branch = |then: &str| {
        let body = format!(
            "var v: f32
             if lt_i64(n, 9) {{ {SUM}\n v = y\n free q_mem }} else {{ v = x }}
             {then}"
        );
        after(&body)
    };
    let kernel = "launch \"map\" at \"\" block c of n thread u of 32 { p[c] = v }";
    assert!(!branch(kernel).contains("fetch"));
    // The host needs it anyway.
    let text = branch("r = v");
    assert!(text.contains("fetch") && !text.contains("launch \"result\""), "{text}");
}
