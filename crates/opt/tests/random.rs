//! Random programs mean the same after a pass as before.

use fehu_base::{IdVec, Prim};
use fehu_interp::{Buffer, Interp, Value};
use fehu_ir::pass::Remarks;
use fehu_ir::verify::{render, verify};
use fehu_ir::{Atom, Elem, Fun, Prog, Scalar, Type, Var};
use fehu_irgen::rng::Rng;
use fehu_irgen::{Config, MAX_PARAM_SIZE, random_prog};
use fehu_opt::PASSES;

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

fn run(prog: &Prog, args: &[Value]) -> Result<Vec<Value>, String> {
    Interp::new(prog).call(prog.entries[0].fun, args.to_vec()).map_err(|error| error.to_string())
}

#[test]
fn random_programs_mean_the_same_after_every_pass() {
    let config = Config { statements: 15, inexact: true };
    // More programs by hand: `SEEDS=20000 cargo test --release -p fehu-opt --test random`.
    let seeds = std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(600);
    for seed in 0..seeds {
        let prog = random_prog(seed, config);
        let mut rng = Rng::new(seed);
        let inputs: Vec<Vec<Value>> = (0..3).map(|_| arguments(main_of(&prog), &mut rng)).collect();
        let expected: Vec<_> = inputs.iter().map(|args| run(&prog, args)).collect();
        for pass in PASSES {
            let mut after = prog.clone();
            (pass.run)(&mut after, &mut Remarks::default());
            if let Err(errors) = verify(&after) {
                let text = render(&after, &errors);
                panic!("seed {seed}, {}: not verified\n{prog}\nbecame\n{text}", pass.name);
            }
            for (args, expected) in inputs.iter().zip(&expected) {
                let found = run(&after, args);
                let same = match (expected, &found) {
                    (Ok(a), Ok(b)) => {
                        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_bits(b))
                    }
                    (Err(_), Err(_)) => true,
                    _ => false,
                };
                assert!(
                    same,
                    "seed {seed}, {}: {expected:?} became {found:?} with {args:?}\n{prog}\nbecame\n{after}",
                    pass.name
                );
            }
        }
    }
}
