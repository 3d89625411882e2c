//! Makes the library and its bindings.

use futhark_bindgen::{build, Backend};

fn main() {
    let backend = Backend::from_env().unwrap_or(Backend::C);
    // The path of the compiler says which one it is, so another one means another library.
    println!("cargo:rerun-if-env-changed=PATH");
    println!("cargo:rerun-if-env-changed=FUTHARK_BACKEND");
    println!("cargo:rerun-if-env-changed=COMPILER_STAMP");
    build(backend, "../library.fut", "library.rs");
}
