//! Which arrays of thread blocks have gaps.

use crate::for_device;

/// The program in which threads access an array of a block of 64 times 64 words, in this way; `m` is a size.
fn placed(access: &str) -> String {
    let text = format!(
        "prog imp
         fun f(n: i64, m: i64, xs_mem: mem) -> () {{
           var xs: *i64 xs = data xs_mem[0]
           launch \"block\" at \"\" block b of n thread t of 32 by_block {{
             var a_mem: mem var a: *f32 a_mem = alloc f32[4096] a = data a_mem[0]
             section {{ for i = t .. 64 by 32 {{ {access} }} }}
           }}
         }}"
    );
    for_device(&text, true)
}

/// Whether there are gaps in the array.
fn has_gaps(access: &str) -> bool {
    let text = placed(access);
    // The piece is as large as it has to be.
    assert_eq!(text.contains("lshr_u32"), text.contains("16896"), "{text}");
    text.contains("lshr_u32")
}

#[test]
fn neighbours_that_are_far_apart_get_them() {
    assert!(has_gaps("a[(64*i)] = 0.0f32"));
    assert!(has_gaps("a[(m*i + 3)] = 0.0f32"));
    // An antidiagonal, by way of other types.
    assert!(has_gaps(
        "var j: i32 = i64_to_i32(sub_i64(m, i)) var k: i64 = i32_to_i64(j) a[(m*k + i)] = 0.0f32"
    ));
    // Also if only one of several accesses is such a one.
    assert!(has_gaps("a[i] = a[(32*i)]"));
}

#[test]
fn others_do_not() {
    assert!(!has_gaps("a[i] = 0.0f32"));
    assert!(!has_gaps("a[(3*i + m)] = 0.0f32"));
    // All threads access the same element, or any.
    assert!(!has_gaps("a[m] = 0.0f32"));
    assert!(!has_gaps("a[xs[i]] = 0.0f32"));
    // A pointer into the middle counts from there.
    assert!(!has_gaps("var p: *f32 p = &a[m] p[(64*i)] = 0.0f32"));
}

#[test]
fn indices_have_32_bits() {
    assert!(
        placed("a[(3*i + m)] = 0.0f32").contains("a.21[u32_to_i64(i64_to_u32((3*i.22 + m.1)))]")
    );
    // More than that is not there, and asked for in vain.
    assert!(
        placed("a[i] = 0.0f32")
            .contains("select(lt_i64(bytes.4, 8589934592), bytes.4, 17592186044416)")
    );
    // A pointer into the middle counts from there, perhaps backwards.
    assert!(!placed("var p: *f32 p = &a[m] p[(64*i)] = 0.0f32").contains("u32"));
}
