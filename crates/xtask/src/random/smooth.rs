//! `cargo xtask random --only smooth`: derivatives of random functions of floating-point numbers, in the interpreter.
//!
//! What must hold for a function `f`, a direction `v` and an adjoint `u`, up to rounding:
//!
//! - `J v` is `(f(x + h v) - f(x - h v)) / 2h`. Where two steps `h` do not agree, there is a kink, and nothing is said.
//! - `u (J v) = (u J) v`.
//! - The derivative of `u J` in direction `v` is that of `J v` by `u`.

use super::derivatives::{Derived, derive, directions};
use super::{Args, ENOUGH};
use fehu_base::stack::with_large_stack;
use fehu_interp::{Buffer, Interp, Options, Value};
use fehu_ir::text::parse;
use fehu_ir::{FunId, Scalar};
use fehu_irgen::rng::Rng;
use fehu_irgen::smooth_text;
use std::process::ExitCode;

/// The step, and how well differences with it and with half of it agree where there is no kink.
const STEP: f64 = 1e-4;
const AGREE: f64 = 1e-6;
/// How well the derivative agrees with them, and derivatives with each other.
const NEAR: f64 = 1e-5;
const SAME: f64 = 1e-9;

/// What became of a program.
enum Outcome {
    Agreed,
    Kink,
    Refused,
}

pub(super) fn run(args: &Args) -> ExitCode {
    with_large_stack(|| {
        let (mut agreed, mut kinks, mut refused, mut wrong) = (0, 0, 0, 0);
        for number in 0..args.count {
            let seed = args.seed + number;
            match examine(seed) {
                Ok(Outcome::Agreed) => agreed += 1,
                Ok(Outcome::Kink) => kinks += 1,
                Ok(Outcome::Refused) => refused += 1,
                Err(why) => {
                    println!("seed {seed}: {why}\n{}", smooth_text(seed));
                    wrong += 1;
                }
            }
            if wrong >= ENOUGH {
                break;
            }
        }
        println!("programs                {:8}", args.count);
        println!("agreed                  {agreed:8}");
        println!("not smooth              {kinks:8}");
        println!("rejected by the compiler {refused:7}");
        println!("disagreements           {wrong:8}");
        ExitCode::from(u8::from(wrong > 0 || agreed == 0))
    })
}

/// Numbers that a function takes and yields: one, and an array.
type Point = Vec<f64>;

fn examine(seed: u64) -> Result<Outcome, String> {
    let prog = parse(&smooth_text(seed)).map_err(|why| why.to_string())?;
    let derived = match derive(&prog, true, directions(seed)) {
        Ok(Some(derived)) => derived,
        Ok(None) => return Err("it has no derivatives".to_owned()),
        Err(fault) if fault.is_refused() => return Ok(Outcome::Refused),
        Err(fault) => return Err(fault.text().to_owned()),
    };
    let Derived { prog, primal, forward, reverse, second, .. } = &derived;
    let mut rng = Rng::new(seed);
    let count = 1 + rng.below(4);
    let mut point = || -> Point {
        (0..=count).map(|_| rng.range(-1_000_000, 1_000_000) as f64 / 1e6).collect()
    };
    let [x, v, u] = std::array::from_fn(|_| point());
    let call = |fun: FunId, points: &[&Point]| -> Result<Vec<Point>, String> {
        let mut args = vec![Value::Scalar(Scalar::I64(count as i64))];
        args.extend(points.iter().flat_map(|point| values(point)));
        let found = Interp::with_options(prog, Options::default()).call(fun, args);
        let found = found.map_err(|error| error.to_string())?;
        Ok(found.chunks(2).map(|pair| pair.iter().flat_map(floats).collect()).collect())
    };
    let moved = |h: f64| -> Point { x.iter().zip(&v).map(|(x, v)| x + h * v).collect() };
    let difference = |h: f64| -> Result<Point, String> {
        let (after, before) = (call(*primal, &[&moved(h)])?, call(*primal, &[&moved(-h)])?);
        Ok(after[0].iter().zip(&before[0]).map(|(a, b)| (a - b) / (2.0 * h)).collect())
    };
    let (far, close) = (difference(STEP)?, difference(STEP / 2.0)?);
    // With what is left of the error of order two removed.
    let expected: Point =
        far.iter().zip(&close).map(|(far, close)| (4.0 * close - far) / 3.0).collect();
    let tangent = call(*forward, &[&x, &v])?.pop().unwrap_or_default();
    let gradient = call(*reverse, &[&x, &u])?.pop().unwrap_or_default();
    let scale = 1.0 + size(&tangent) + size(&gradient);
    if !scale.is_finite() {
        return Ok(Outcome::Kink);
    }
    let (left, right) = (dot(&u, &tangent), dot(&gradient, &v));
    if (left - right).abs() > SAME * scale {
        return Err(format!("u (J v) is {left}, (u J) v is {right}"));
    }
    if let Some([after_reverse, after_forward]) = *second {
        let one = call(after_reverse, &[&x, &u, &v])?.pop().unwrap_or_default();
        let other = call(after_forward, &[&x, &v, &u])?.pop().unwrap_or_default();
        if distance(&one, &other) > SAME * (scale + size(&one)) {
            return Err(format!("the second derivatives are {one:?} and {other:?}"));
        }
    }
    if distance(&far, &close) > AGREE * scale {
        return Ok(Outcome::Kink);
    }
    if distance(&tangent, &expected) > NEAR * scale {
        return Err(format!("the tangent is {tangent:?}, differences are {expected:?}"));
    }
    Ok(Outcome::Agreed)
}

fn values(point: &Point) -> [Value; 2] {
    let rest = point[1..].to_vec();
    let array = Value::array(&[rest.len() as i64], Buffer::from(rest));
    [
        Value::Scalar(Scalar::F64(point[0])),
        array.unwrap_or_else(|| unreachable!("there are as many numbers")),
    ]
}

fn floats(value: &Value) -> Vec<f64> {
    let float = |scalar: Scalar| match scalar {
        Scalar::F64(number) => number,
        other => unreachable!("{other:?} is not of type f64"),
    };
    match value {
        Value::Scalar(scalar) => vec![float(*scalar)],
        Value::Array(array) => {
            let buffer = array.to_buffer();
            (0..array.count()).filter_map(|at| buffer.get(at)).map(float).collect()
        }
        Value::Acc(_) | Value::Gone => unreachable!("no value"),
    }
}

fn dot(a: &Point, b: &Point) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn size(a: &Point) -> f64 {
    a.iter().map(|a| a.abs()).sum()
}

fn distance(a: &Point, b: &Point) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}
