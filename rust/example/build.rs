//! Compiles the programs of this project.

fn main() {
    println!("cargo::rerun-if-env-changed=COMPILER_STAMP");
    fehu_build::Builder::new("src/stats.fut").emit();
    // Another program in the same executable.
    fehu_build::Builder::new("src/second.fut").backend("multicore").emit();
}
