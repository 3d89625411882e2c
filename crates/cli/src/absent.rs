//! Commands of the peer that do not exist here: whoever types one should not be sent to another command
//! that happens to have a similar name.

/// What to say about a command that we do not have, if the peer has it.
pub(crate) fn message(program: &str, command: &str) -> Option<String> {
    let (_, advice) = COMMANDS.iter().find(|(names, _)| names.contains(&command))?;
    Some(format!(
        "error: {program} does not have the command `{command}` yet\n\n{advice}\n\nFor the commands that exist, try '{program} --help'."
    ))
}

const COMMANDS: [(&[&str], &str); 4] = [
    (
        &["pyopencl", "python"],
        "Python programs can use the C libraries that `c --library`, `multicore --library` and\n\
         `opencl --library` make, or the servers of `--server`.",
    ),
    (&["hip"], "For GPUs there are `cuda` and `opencl`; the latter also runs on those of AMD."),
    (&["ispc"], "For processors there are `c`, which uses vector instructions, and `multicore`."),
    (
        &["wasm", "wasm-multicore"],
        "`c --library` makes a C library, which other tools compile to WebAssembly.",
    ),
];
