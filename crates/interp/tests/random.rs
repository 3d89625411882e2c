//! Random programs: they run, whatever the cutting of streams, and damaged ones do not panic.

use fehu_base::{IdVec, Prim};
use fehu_interp::{Buffer, Chunking, ErrorKind, Interp, Options, Value};
use fehu_ir::{Atom, Elem, Fun, Prog, Scalar, Type, Var};
use fehu_irgen::rng::Rng;
use fehu_irgen::{Config, MAX_PARAM_SIZE, mutate, random_prog};

/// Random arguments for a function.
fn arguments(fun: &Fun, rng: &mut Rng) -> Vec<Value> {
    let mut scalars: IdVec<Var, i64> = IdVec::filled(0, fun.vars.len());
    let mut args = Vec::new();
    for param in &fun.params {
        args.push(match &fun.vars[param.var].ty {
            Type::Scalar(Elem::Prim(Prim::I64)) => {
                let size = rng.range(0, MAX_PARAM_SIZE + 1);
                scalars[param.var] = size;
                Value::Scalar(Scalar::I64(size))
            }
            Type::Scalar(elem) => Value::Scalar(scalar(*elem, rng)),
            Type::Array(elem, shape) => {
                let shape: Vec<i64> = shape
                    .iter()
                    .map(|size| match size {
                        Atom::Var(var) => scalars[*var],
                        Atom::Const(Scalar::I64(size)) => *size,
                        Atom::Const(other) => panic!("{other:?} is not a size"),
                    })
                    .collect();
                let mut buffer = Buffer::empty(*elem);
                for _ in 0..shape.iter().product::<i64>() {
                    buffer.push(scalar(*elem, rng)).expect("the types agree");
                }
                Value::array(&shape, buffer).expect("the sizes match")
            }
            Type::Acc(_) => panic!("a parameter is an accumulator"),
        });
    }
    args
}

fn scalar(elem: Elem, rng: &mut Rng) -> Scalar {
    match elem {
        Elem::Prim(prim) if prim.is_float() => {
            let value = Scalar::I64(rng.range(-20, 20));
            fehu_interp::scalar::convert(prim, value).expect("it is a number")
        }
        Elem::Prim(Prim::Bool) => Scalar::Bool(rng.chance(50)),
        Elem::Prim(prim) => Scalar::from_bits(prim, rng.bits()),
        Elem::Unit => Scalar::Unit,
    }
}

fn main_of(prog: &Prog) -> &Fun {
    &prog.funs[prog.entries[0].fun]
}

#[test]
fn random_programs_run_alike_however_streams_are_cut() {
    let config = Config { statements: 15, inexact: true };
    for seed in 0..400 {
        let prog = random_prog(seed, config);
        let mut rng = Rng::new(seed);
        let args = arguments(main_of(&prog), &mut rng);
        let mut interp = Interp::new(&prog);
        let mut first: Option<Vec<Value>> = None;
        for chunking in [Chunking::Whole, Chunking::Size(1), Chunking::Random(seed)] {
            interp.options_mut().chunking = chunking;
            let results = match interp.call(prog.entries[0].fun, args.clone()) {
                Ok(results) => results,
                Err(error) => panic!("seed {seed}: {error}\n{prog}"),
            };
            match &first {
                None => first = Some(results),
                Some(first) => {
                    let same = first.iter().zip(&results).all(|(a, b)| a.same_bits(b));
                    assert!(same && first.len() == results.len(), "seed {seed}\n{prog}");
                }
            }
        }
    }
}

#[test]
fn damaged_programs_do_not_panic() {
    let options = Options {
        max_array_bytes: 1 << 20,
        max_steps: Some(100_000),
        stack_bytes: 16 << 20,
        ..Options::default()
    };
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let mut prog = random_prog(seed, Config::default());
        let args = arguments(main_of(&prog), &mut rng);
        for _ in 0..3 {
            mutate::mutate_prog(&mut prog, &mut rng);
            let mut interp = Interp::with_options(&prog, options.clone());
            if let Err(error) = interp.call(prog.entries[0].fun, args.clone()) {
                assert_ne!(error.kind, ErrorKind::Interrupt);
            }
        }
    }
}
