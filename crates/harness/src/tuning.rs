//! Tuning files beside programs: `PROGRAM.tuning`.
//!
//! They may come from another compiler, or from a time when the program was another one. Programs ignore parameters that
//! they do not have; here it is found out which these are, so that people are told.

use crate::executor::compiled::Compiled;
use crate::prepare::Compile;

/// A warning about the tuning file of a program, if it sets parameters that the program does not have. Servers of other
/// compilers have their own opinion about such files.
pub(crate) fn warning(path: &str, compile: &Compile, server: &mut Compiled) -> Option<String> {
    let file = compile.tuning_file(path).filter(|_| compile.futhark.is_none())?;
    // What cannot be read, or is no such file, is for the program to refuse.
    let text = std::fs::read_to_string(&file).ok()?;
    let names = text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name);
    let unknown: Vec<&str> =
        names.filter(|name| server.command(&["tuning_param_class", name]).is_err()).collect();
    let first = unknown.first()?;
    Some(match unknown.len() {
        n if n == text.lines().count() => format!(
            "\"{file}\" is ignored: the program has none of its parameters, such as \"{first}\"; \
             perhaps another compiler made it"
        ),
        1 => {
            format!("\"{file}\" sets \"{first}\", which the program does not have; that is ignored")
        }
        n => format!(
            "\"{file}\" sets {n} parameters that the program does not have, such as \"{first}\"; \
             they are ignored"
        ),
    })
}
