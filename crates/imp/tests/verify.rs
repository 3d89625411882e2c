//! Programs that break a rule, each with the message; and some that look as if they did.

use fehu_imp::text::parse;
use fehu_imp::verify::{Phase, verify};

/// The errors of a function with this body; `kernel` is the body of a kernel in it.
fn errors(phase: Phase, body: &str) -> Vec<String> {
    let text = format!(
        "prog imp sites 1 tuning \"t\" () constant c
         fun c() -> (size: i64) {{ size = 1 }}
         fun g(a: i64, m: mem) -> (r: mem) {{ r = share m }}
         device fun h(a: i64) -> (r: i64) {{ assert lt_i64(a, 9), r = a }}
         fun f(n: i64, xs_mem: mem, q: f32) -> (r: i64, ys_mem: mem) {{
           var xs: *i64
           xs = data xs_mem[0]
           {body}
         }}"
    );
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    match verify(&program, phase) {
        Ok(()) => Vec::new(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

fn kernel(body: &str) -> String {
    format!("launch \"k\" at \"\" block b of n thread t of 64 {{ {body} }}")
}

fn refuse(phase: Phase, cases: &[(&str, &str)]) {
    for (body, message) in cases {
        let found = errors(phase, body);
        assert!(found.len() == 1 && found[0].contains(message), "{body}\n{found:#?}");
    }
}

fn accept(phase: Phase, cases: &[&str]) {
    for body in cases {
        let found = errors(phase, body);
        assert!(found.is_empty(), "{body}\n{found:#?}");
    }
}

#[test]
fn variables_have_scopes() {
    refuse(
        Phase::Cpu,
        &[
            ("r = a var a: i64 = 1", "in function f, at `r.3 = a.6`: a.6 is used before"),
            ("if true { var a: i64 = 1 } r = a", "a.6 is used outside its scope"),
            ("for i = 0 .. n { } r = i", "i.6 is used outside its scope"),
            ("for i = 0 .. i { }", "i.6 is used before it is declared"),
            ("var a: i64 = 1 var a: i64 = 1", "a.6 is declared twice"),
            ("var n: i64 = 1", "n.0 is declared twice"),
            ("tasks at 0 l .. h of n chunk c { var m: mem } free m", "m.9 is used outside"),
        ],
    );
    // Handles live longer than their block.
    accept(Phase::Cpu, &["if true { var m: mem } free m"]);
}

#[test]
fn types_agree() {
    refuse(
        Phase::Cpu,
        &[
            ("r = q", "an expression of type f32 stands where i64 is wanted"),
            ("r = add_i32(n, n)", "an expression of type i64 stands where i32 is wanted"),
            ("if n { }", "an expression of type i64 stands where bool is wanted"),
            ("xs[0] = q", "an expression of type f32 stands where i64 is wanted"),
            ("xs[q] = n", "an index is of type f32"),
            ("r = xs_mem[0]", "\"xs_mem\" is of type mem, not a pointer or an array"),
            ("r = xs", "\"xs\" is of type *i64, not a scalar"),
            ("r = (2*n + xs)", "\"xs\" is of type *i64, not a scalar"),
            ("free n", "\"n\" is of type i64, not a handle"),
            ("xs = data n[0]", "\"n\" is of type i64, not a handle"),
            ("xs = &xs_mem[0]", "\"xs_mem\" is of type mem, not a pointer or an array"),
            ("var p: *f32 p = &xs[0]", "a pointer to f32 is derived from one to i64"),
            ("var p: *f32 p = data xs_mem[0] copy p[0] <- xs[0], n", "i64 is copied to f32"),
            ("switch n { case 1i32 { } default { } }", "a case is not of type i64"),
            ("switch n { case 1 { } case 1 { } default { } }", "two cases are the same"),
            ("for i = 0 .. n by 0 { }", "the step 0 is not positive"),
            ("for i: f32 = q .. q { }", "\"i\" is of type f32, not an integer"),
            ("ys_mem = call g(q, &xs[0])", "an expression of type f32 stands where i64"),
            ("ys_mem = call g(n, n)", "an argument is not of type mem"),
            ("r = call g(n, &xs[0])", "\"r\" is of type i64, not mem"),
            ("call g(n, &xs[0])", "g has other parameters or results"),
            ("const 0 (0 -> q)", "\"q\" is of type f32, not i64"),
            ("const 0 (1 -> n)", "constant 0 has no result 1"),
            ("const 1 (0 -> n)", "there is no constant 1"),
            ("r = tuning 1 or n", "there is no tuning parameter 1"),
            ("r = chunks 1 of n", "site 1 is not one of 1"),
            ("r = f32_bits_i64(q)", "f32 and i64 do not have as many bits"),
            ("assert true, $q: i64", "an expression of type f32 stands where i64 is wanted"),
        ],
    );
    accept(Phase::Cpu, &["var p: *u8 p = &xs[0] var s: *f32 s = &p[0] r = i64_to_i64(n)"]);
}

#[test]
fn what_is_shared_is_not_assigned() {
    refuse(
        Phase::Cpu,
        &[
            (
                "tasks at 0 l .. h of n chunk c { r = l }",
                "r.3 is set by tasks, but declared outside",
            ),
            ("for i = 0 .. n independent { r = i }", "r.3 is set by iterations, but declared"),
            (
                "for i = 0 .. n independent add(r) { for j = 0 .. n independent { r = add_i64(r, j) } }",
                "r.3 is set by iterations",
            ),
            ("for i = 0 .. n independent add(r) { r = i xs[r] = 0 }", "not only combined by add"),
            ("for i = 0 .. n independent add(r) { r = mul_i64(r, i) }", "not only combined by add"),
            (
                "for i = 0 .. n independent add(r) { r = add_i64(i, sub_i64(i, r)) }",
                "not only combined",
            ),
            (
                "for i = 0 .. n independent add(r) { if lt_i64(r, i) { r = add_i64(r, i) } }",
                "not only combined by add",
            ),
        ],
    );
    accept(
        Phase::Cpu,
        &[
            "for i = 0 .. n independent add(r) { var s: i64 = add_i64(i, r) if true { r = s } }",
            "for i = 0 .. n independent max(r) { for j = 0 .. n independent max(r) { r = max_i64(r, j) } }",
            "for i = 0 .. n independent add(r) { r = select(lt_i64(i, 3), add_i64(r, i), r) }",
            "for i = 0 .. n { r = i }",
        ],
    );
}

#[test]
fn host_and_kernels_have_their_statements() {
    refuse(
        Phase::Cpu,
        &[
            ("barrier", "only a kernel"),
            ("r = fetch xs[0]", "there is no device"),
            ("var s: shared i64[4]", "only a kernel can do this"),
            ("leave", "only a kernel"),
        ],
    );
    for phase in [Phase::Emitted, Phase::Device] {
        refuse(
            phase,
            &[
                (&kernel("r = t"), "r.3 is set by a kernel, but declared outside"),
                (&kernel("var a: i64 a = fetch xs[0]"), "only the host can do this"),
                (&kernel("var a: i64 a = threads"), "a kernel cannot do this"),
                (&kernel("var a: i64 a = blocks"), "only the host can do this"),
                (
                    &kernel("if true { var s: shared i64[4] }"),
                    "not declared directly in the kernel",
                ),
                ("section { }", "only a kernel can do this"),
            ],
        );
    }
    refuse(
        Phase::Device,
        &[
            (&kernel("var m: mem"), "kernels neither call functions of the host nor have handles"),
            (&kernel("const 0 (0 -> n)").replace("0 -> n", ""), "kernels neither call functions"),
            ("xs[0] = n", "the host cannot store to the memory of the device"),
            ("r = add_i64(1, xs[0])", "the host cannot load from the memory of the device"),
        ],
    );
    accept(Phase::Emitted, &["xs[0] = n", "r = xs[0]", &kernel("var m: mem m = alloc i64[n]")]);
    accept(Phase::Device, &["r = fetch xs[0]", &kernel("xs[t] = add_i64(xs[t], n)")]);
}

/// The host of a CPU; the host of a device before and after the stage `device`; a kernel before and after it.
const PLACES: [(Phase, bool); 5] = [
    (Phase::Cpu, false),
    (Phase::Emitted, false),
    (Phase::Device, false),
    (Phase::Emitted, true),
    (Phase::Device, true),
];

#[test]
fn everybody_does_what_they_may() {
    let table = [
        ("xxxxx", "var a: i64 = n a = add_i64(a, 1) if lt_i64(a, n) { } while false { }"),
        ("xxxxx", "var p: *i64 p = &xs[1]"),
        ("xxxxx", "assert true, trace \"tag\" n: i64"),
        ("xx.xx", "xs[0] = n"),
        ("xx.xx", "var a: i64 = xs[0]"),
        ("xx.xx", "atomic add xs[0], n"),
        ("xx.xx", "locked n { }"),
        ("xx.xx", "exchange o = xs[0] { } for o"),
        ("xxxx.", "var m: mem m = alloc i64[n] free m"),
        ("xxxx.", "var m: mem m = share xs_mem"),
        ("xxxx.", "var m: mem m = export &xs[0] in xs_mem"),
        ("xxxx.", "var p: *i64 p = data xs_mem[0]"),
        ("xxxx.", "var m: mem m = call g(n, &xs[0])"),
        ("xxxx.", "const 0 ()"),
        ("xxxx.", "var a: i64 a = tuning 0 or n"),
        ("xxx..", "var a: i64 a = threads"),
        ("xxx..", "var a: i64 a = chunks 0 of n"),
        ("xxx..", "tasks at 0 l .. h of n chunk c { }"),
        (".xx..", "var a: i64 a = blocks"),
        (".xx..", "var a: i64 a = fetch xs[0]"),
        (".xx..", "launch \"l\" at \"\" block lb of n thread lt of 64 { }"),
        ("...xx", "barrier"),
        ("...xx", "var a: bool a = arrive 0 of n"),
        ("...xx", "warp barrier"),
        ("...xx", "warp { }"),
        ("...xx", "var a: i64 = n a = shuffle at 0 of a"),
        ("...xx", "section { leave }"),
        ("...xx", "var s: shared i64[4]"),
        ("...xx", "var p: *shared i64"),
        ("...xx", "var p: *i64 p = shared[0]"),
        ("...xx", "var a: i64 a = poll xs[0]"),
        ("...xx", "var c: shared i32[1] var a: i32 a = count c[0]"),
    ];
    for (row, body) in table {
        let may = |(phase, inside): (Phase, bool)| {
            let body = if inside { kernel(body) } else { body.to_owned() };
            if errors(phase, &body).is_empty() { 'x' } else { '.' }
        };
        let found: String = PLACES.into_iter().map(may).collect();
        assert_eq!(found, row, "{body}");
    }
}

#[test]
fn pointers_have_one_memory() {
    let arrays = "var s: shared i64[4] var l: i64[4]";
    let wrong = [
        ("var p: *i64 p = &s[0]", "\"s\" is in shared memory, not in global"),
        ("var p: *i64 p = &l[0]", "\"l\" is in own memory, not in global"),
        ("var p: *own i64 p = &s[0]", "\"s\" is in shared memory, not in own"),
        ("var p: *shared i64 p = &xs[0]", "\"xs\" is in global memory, not in shared"),
        ("var p: *own i64 var o: *i64 o = &p[1]", "\"p\" is in own memory, not in global"),
        ("var p: *own i64 p = shared[0]", "\"p\" is in own memory, not in global"),
        ("var p: *own i64 if eq_u64(p, xs) { }", "addresses in own and global memory are compared"),
        ("atomic add l[0], 1", "\"l\" is in the memory of one thread"),
        ("exchange o = l[0] { } for o", "\"l\" is in the memory of one thread"),
    ];
    for (body, message) in wrong {
        refuse(Phase::Device, &[(&kernel(&format!("{arrays} {body}")), message)]);
    }
    let right =
        "var p: *shared i64 p = &s[0] var o: *shared i64 o = &p[1] var z: *own i64 z = &l[0]
                 z[0] = o[0] atomic add s[0], 1 copy l[0] <- s[0], 2";
    accept(Phase::Device, &[&kernel(&format!("{arrays} {right}"))]);
    let handle = kernel("var p: *own i64 p = data xs_mem[0]");
    refuse(Phase::Emitted, &[(&handle, "\"p\" is in own memory, not in global")]);
    refuse(Phase::Cpu, &[("var p: *shared i64", "only a kernel can do this")]);
    // A CPU has one memory.
    accept(Phase::Cpu, &["var l: i64[4] var p: *i64 p = &l[0]"]);
}

#[test]
fn functions_get_pointers_to_the_memory_of_their_parameters() {
    let program = |space: &str| {
        let text = format!(
            "prog imp
             device fun g(p: *{space} u8) -> (r: *own u8) {{ r = &p[1] }}
             fun f(n: i64) -> () {{
               launch \"k\" at \"\" block b of n thread t of 64 {{
                 var l: i64[4] var r: *own u8 r = call g(&l[0])
               }}
             }}"
        );
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}"));
        verify(&program, Phase::Device).map_err(|errors| errors.len())
    };
    assert_eq!(program("own"), Ok(()));
    // The argument, and the pointer that is returned.
    assert_eq!(program("shared"), Err(2));
}

#[test]
fn all_threads_come_to_a_barrier() {
    let wrong = [
        "if lt_i64(t, 3) { barrier }",
        "for i = 0 .. t { barrier }",
        "var a: i64 = add_i64(b, t) while lt_i64(a, n) { barrier }",
        // A variable that only some threads assign to.
        "var a: i64 = 0 if lt_i64(t, 3) { a = 1 } if lt_i64(a, 1) { barrier }",
        "if lt_i64(xs[t], 3) { barrier }",
        "var l: i64[4] l[0] = t if lt_i64(l[0], 3) { barrier }",
        "var l: i64[4] var p: *own i64 p = &l[0] p[0] = t if lt_i64(l[0], 3) { barrier }",
        "var c: i64 c = poll xs[0] if lt_i64(c, 3) { barrier }",
        // Some threads have left.
        "assert lt_i64(t, 3), barrier",
        "var a: i64 a = call h(t) barrier",
        "if lt_i64(t, 3) { leave } barrier",
        "for i = 0 .. n { barrier if lt_i64(t, i) { leave } }",
        "section { assert lt_i64(t, 3), barrier }",
        "var a: i64 = 0 section { assert lt_i64(t, 3), a = 1 } if lt_i64(a, 1) { barrier }",
        "warp { barrier }",
        "guarded g[0] { barrier }",
        "if lt_i64(t, 3) { warp barrier }",
        "warp { for i = 0 .. t { warp barrier } }",
        "var a: i64 = 0 warp { a = 1 } if lt_i64(a, 1) { barrier }",
        // What another lane has depends on which lane asks, or on the warp.
        "var a: i64 a = shuffle down 1 of t if lt_i64(a, 3) { barrier }",
        "var a: i64 a = shuffle at 0 of t if lt_i64(a, 3) { barrier }",
    ];
    for body in wrong {
        let found = errors(Phase::Device, &kernel(&format!("var g: shared i32[1] {body}")));
        let some = found.iter().any(|error| error.contains("barrier`: "));
        assert!(some, "{body}\n{found:#?}");
    }
    // Blocks are counted by all of their threads, at one place.
    for body in ["if lt_i64(t, 3) { a = arrive 0 of n }", "a = arrive t of n"] {
        let found = errors(Phase::Device, &kernel(&format!("var a: bool {body}")));
        assert!(found.iter().any(|error| error.contains("it depends on the thread")), "{found:#?}");
    }
    let right = [
        "var a: bool a = arrive b of n if a { barrier }",
        "for i = 0 .. n { barrier }",
        "if lt_i64(b, 3) { barrier }",
        "var s: shared i64[1] if eq_i64(t, 0) { s[0] = xs[t] } barrier
         var a: i64 = s[0] barrier while lt_i64(a, n) { barrier a = add_i64(a, 1) }",
        "section { assert lt_i64(t, 3), } barrier",
        "assert lt_i64(b, 3), barrier",
        "var a: i64 a = call h(b) barrier if lt_i64(a, 3) { barrier }",
        "for i = t .. n by 64 { xs[i] = i } barrier",
        "var a: i64 a = shuffle up 1 of b if lt_i64(a, 3) { barrier }",
        "var o: i64 = b warp { while lt_i64(o, n) { warp barrier o = add_i64(o, 1) } }",
    ];
    for body in right {
        let found = errors(Phase::Device, &kernel(body));
        assert!(found.is_empty(), "{body}\n{found:#?}");
    }
}

#[test]
fn all_lanes_come_to_a_shuffle() {
    let found = |threads: u32, body: &str| {
        let text = format!("launch \"k\" at \"\" block b of n thread t of {threads} {{ {body} }}");
        errors(Phase::Device, &text).into_iter().filter(|error| error.contains("shuffle")).count()
    };
    let shuffle = "var a: i64 a = shuffle down 1 of t";
    assert_eq!(found(64, shuffle), 0);
    assert_eq!(found(64, &format!("warp {{ {shuffle} }}")), 0);
    assert!(found(64, &format!("if lt_i64(t, 32) {{ {shuffle} }}")) > 0);
    assert!(found(64, &format!("warp {{ if lt_i64(t, 3) {{ {shuffle} }} }}")) > 0);
    assert!(found(48, shuffle) > 0, "a warp is not complete");
    // Types.
    assert!(found(64, "var a: i32 a = shuffle down 1 of t") > 0);
    assert!(found(64, "var a: i64 a = shuffle down 1i32 of t") > 0);
    // What one lane has is the same for a block that is one warp.
    let depends = "var a: i64 a = shuffle at 0 of t if lt_i64(a, 3) { a = shuffle at 1 of a }";
    assert_eq!(found(32, depends), 0);
    assert!(found(64, depends) > 0);
}

#[test]
fn foreign_functions_have_a_status_or_return_what_they_compute() {
    let host = "foreign f stream (n, &xs[0] in xs_mem) -> (*xs, r) status s";
    refuse(
        Phase::Cpu,
        &[
            ("foreign f (n) -> (*xs)", "\"f\" has no status"),
            ("foreign f (n) -> (r) status n", "of type i64, not i32"),
            ("foreign f (&r[0]) -> (r)", "a pointer or an array"),
            ("foreign f (n) -> (*r) status r", "a pointer"),
            (&format!("var s: i32 {host}"), "there is no device"),
        ],
    );
    accept(
        Phase::Cpu,
        &["foreign f (n, q) -> (r)", "var s: i32 foreign f (&xs[n]) -> () status s"],
    );
    accept(
        Phase::Device,
        &[&format!("var s: i32 {host}"), &kernel("var x: i64 foreign f (n) -> (x)")],
    );
    let inside =
        kernel(&format!("var s: i32 var r: i64 {}", host.replace("&xs[0] in xs_mem, ", "")));
    let found = errors(Phase::Device, &inside);
    assert!(found.iter().any(|error| error.contains("only the host can do this")), "{found:#?}");
}
