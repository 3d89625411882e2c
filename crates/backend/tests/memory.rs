//! The allocator of generated programs, tested in C.

use crate::cc::{Folder, runtime};

fn test(name: &str, options: &[&str]) {
    let folder = Folder::new(name);
    folder.write("memory.h", &runtime("memory.h"));
    folder.write("memory.c", &runtime("memory.c"));
    let text = format!("{}\n{}", runtime("base.h"), include_str!("c/memory_test.c"));
    folder.write("memory_test.c", &text);
    assert_eq!(folder.compile_and_run("memory_test.c", options), "done\n");
}

#[test]
fn blocks_are_used_again_and_counted() {
    test("memory", &["-fsanitize=address,undefined"]);
}

#[test]
fn several_threads_allocate() {
    test("memory_threads", &["-DFE_MULTICORE", "-pthread", "-fsanitize=thread"]);
}

#[test]
fn several_threads_allocate_soundly() {
    test("memory_threads_address", &["-DFE_MULTICORE", "-pthread", "-fsanitize=address,undefined"]);
}
