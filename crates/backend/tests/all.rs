//! The interface, the runtime and the functions of compiled programs, in C.
//!
//! All tests are one program, because linking is what takes long.

mod accuracy;
mod api;
mod c_program;
mod cc;
mod cli;
mod fake;
mod functions;
mod gpu;
mod gpu_program;
mod gpu_scalar;
mod loops;
mod memory;
mod nvrtc;
mod nvrtc_compiler;
mod python_packages;
mod scalar;
mod scalar_cases;
mod scheduler;
mod server;
mod server_files;
mod server_parts;
mod values;
