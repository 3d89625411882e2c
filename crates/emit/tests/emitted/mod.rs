//! Emitted code, compared with the interpreter.

use fehu_emit::{Options, emit};
use fehu_ir::Prog;
use fehu_ir::pass::Remarks;
use fehu_irtest::oracle::{Oracle, Outcome};
use fehu_oracle::heap::{Fault, Limits};
use fehu_oracle::machine;

/// Runs a program as code for one thread or for several, with arrays of some elements; the code.
pub(crate) fn run(prog: &Prog, parallel: bool, max_size: i64) -> String {
    let mut divided = prog.clone();
    if parallel {
        (fehu_par::TASKS.run)(&mut divided, &mut Remarks::default());
    }
    (fehu_par::EPILOGUE.run)(&mut divided, &mut Remarks::default());
    fehu_mem::uncopy::uncopy(&mut divided);
    fehu_mem::unview::unview(&mut divided);
    fehu_mem::destinations::destinations(&mut divided, false);
    let mut placed = fehu_mem::assign::assign(divided).expect("it has a table");
    fehu_mem::short_circuit::short_circuit(&mut placed, false);
    fehu_mem::overwrite::overwrite(&mut placed);
    fehu_mem::enlarge::enlarge(&mut placed);
    fehu_mem::merge::merge(&mut placed);
    fehu_mem::lifetimes::lifetimes(&mut placed);
    let program = emit(&placed, Options { strict_float: true, ..Options::default() });
    for seed in 0..5 {
        let oracle = Oracle { seed, max_size, ..Oracle::default() };
        let runs = oracle.agree_with(prog, &mut |fun, args| match machine::call(
            prog,
            &program,
            fun,
            args,
            Limits::default(),
            seed,
        ) {
            Ok(values) => Outcome::Values(values),
            Err(Fault::Check(message, _)) => Outcome::Check(message),
            Err(Fault::Undefined(why) | Fault::Memory(why)) => Outcome::Wrong(why),
            Err(Fault::Limit) => Outcome::Limit,
        });
        let runs = runs.unwrap_or_else(|why| panic!("{why}\n{program}"));
        assert!(runs.succeeded > 0, "{runs:?}");
    }
    program.to_string()
}
