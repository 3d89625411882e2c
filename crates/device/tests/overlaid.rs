//! Where the pieces of a thread block are.

use crate::for_device;

/// The bytes of the part of each block of a kernel with this code.
fn bytes(body: &str) -> String {
    let text = format!(
        "prog imp
         fun f(n: i64, m: i64) -> () {{
           launch \"block\" at \"\" block b of n thread t of 32 by_block {{
             var a_mem: mem var a: *f32 a_mem = alloc f32[4] a = data a_mem[0]
             {body}
           }}
         }}"
    );
    let text = for_device(&text, false);
    let declared = |v: &str| {
        let line = text.lines().find(|line| line.trim().starts_with(&format!("var {v}: i64 = ")));
        line.map(|line| line.split(" = ").nth(1).unwrap_or_default().to_string())
    };
    // What is shared instead, with the variables in it.
    let shared = text.split(" shared ").nth(1).unwrap_or_default();
    let mut value = shared.split([' ', '\n']).next().unwrap_or_default().to_string();
    while let Some(v) = value.split(['(', ')', ',', ' ']).find(|word| declared(word).is_some()) {
        value = value.replace(v, &declared(v).unwrap_or_default());
    }
    value.replace("add_i64(0, 16)", "16")
}

/// A loop whose body allocates so many words, and more.
fn again(name: &str, words: u32, more: &str) -> String {
    format!(
        "for i_{name} = 0 .. m {{
           var {name}_mem: mem var {name}: *f32 {name}_mem = alloc f32[{words}] {name} = data {name}_mem[0]
           {more}
         }}"
    )
}

#[test]
fn loops_one_after_the_other_use_the_same_memory() {
    let (c, d) = (again("c", 8, ""), again("d", 40, ""));
    let inside = again("e", 100, &c);
    assert_eq!(bytes(&c), "add_i64(16, 32)");
    assert_eq!(bytes(&format!("{c} {d}")), "max_i64(add_i64(16, 32), add_i64(16, 160))");
    // What is inside of another one comes after it.
    let both = "max_i64(add_i64(add_i64(16, 400), 32), add_i64(16, 160))";
    assert_eq!(bytes(&format!("{inside} {d}")), both);
}

#[test]
fn what_is_held_outside_stays() {
    let kept = format!("var k_mem: mem {}", again("c", 8, "k_mem = share c_mem"));
    // Two pieces, because one may be held while the other is taken.
    let both = "add_i64(add_i64(add_i64(16, 32), 32), 160)";
    assert_eq!(bytes(&format!("{kept} {}", again("d", 40, ""))), both);
    let pointed = format!("var p: *f32 {}", again("c", 8, "p = &c[0]"));
    assert_eq!(
        bytes(&format!("{pointed} {}", again("d", 40, ""))),
        "add_i64(add_i64(16, 32), 160)"
    );
}
