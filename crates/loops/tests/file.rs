//! Tests of transformations in files: code before, the transformations, the code after.
//!
//! ```text
//! -- run: tile, lanes                         the transformations, in order
//! -- type: (n: i64, xs: [n]i64) -> (r: i64)   of the first function; what is an array here is a handle there
//! -- n: 0 1 17                                values of a scalar parameter; all combinations are tried
//! -- checks 9: n=20 k=3                       how many checks a run with these values evaluates; optional, repeatable
//! -- unchanged                                the transformations do nothing; optional
//! prog imp
//! ...
//! -- result
//! prog imp
//! ...
//! ```
//!
//! A file passes if the verifier accepts the code before and after each transformation, the text after the last one is the
//! one written down and reads back, and the machine gives the same results, or the same failing check, for all combinations,
//! with numbers that look random in the arrays. No run evaluates more checks than before.

use crate::header::{Header, header};
use fehu_imp::text::{parse, renumber};
use fehu_imp::verify::{Phase, verify};
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, Fun, Kind, Prim, Program, Stm, Ty, V, VarInfo, rewrite};
use fehu_interp::{Buffer, Value};
use fehu_ir::{Atom, BinOp, Elem, FunId, Prog, Scalar, Type};
use fehu_irtest::folder;
use fehu_loops::TRANSFORMATIONS;
use fehu_oracle::heap::{Fault, Limits};
use fehu_oracle::machine;

/// Runs the test. The text as it should be, or what is wrong other than that.
pub(crate) fn check(text: &str, about: &str) -> Result<String, String> {
    let (input, _) = folder::split(text);
    let header = header(input)?;
    if !header.run.iter().any(|name| name == about) {
        return Err(format!("the folder is that of \"{about}\", which the file does not run"));
    }
    let before = parse(input).map_err(|error| error.to_string())?;
    accept("at first", &before)?;
    let mut after = before.clone();
    for name in &header.run {
        let found = TRANSFORMATIONS.iter().find(|other| other.name == name);
        let transformation = found.ok_or_else(|| format!("there is no \"{name}\""))?;
        (transformation.run)(&mut after);
        accept(&format!("after {name}"), &after)?;
    }
    let printed = after.to_string();
    match parse(&printed) {
        Ok(again) if again == renumber(&after) => {}
        Ok(_) => return Err(format!("the result reads as other code:\n{printed}")),
        Err(error) => return Err(format!("the result does not read: {error}\n{printed}")),
    }
    match (header.unchanged, renumber(&after) == before) {
        (true, false) => return Err(format!("the code is changed:\n{printed}")),
        (false, true) => return Err("the code is not changed; `-- unchanged` if so".to_owned()),
        (true, true) | (false, false) => {}
    }
    compare(&header, &before, &after).map_err(|error| format!("{error}\n\n{printed}"))?;
    let printed = if header.unchanged { "(unchanged)\n" } else { &printed };
    Ok(folder::join(input, printed))
}

fn accept(when: &str, program: &Program) -> Result<(), String> {
    verify(program, Phase::Cpu).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        format!("the verifier refuses the code {when}:\n{}\n{program}", errors.join("\n"))
    })
}

/// Runs the code before and after with all combinations of values.
fn compare(header: &Header, before: &Program, after: &Program) -> Result<(), String> {
    let (counted_before, counted_after) = (counting(before)?, counting(after)?);
    let counted_signature = with_count(&header.signature);
    let total: usize = header.values.iter().map(|(_, values)| values.len()).product();
    let mut succeeded = 0;
    let mut asked = vec![0; header.checks.len()];
    for number in 0..total {
        let mut scalars = Vec::new();
        let mut rest = number;
        for (name, values) in &header.values {
            scalars.push((name.as_str(), values[rest % values.len()]));
            rest /= values.len();
        }
        let shown: Vec<String> =
            scalars.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
        let place = shown.join(" ");
        let args = arguments(&header.signature, &scalars)?;
        let any_order = [(&header.signature, before), (&header.signature, after)];
        let in_order =
            [(&counted_signature, &counted_before), (&counted_signature, &counted_after)];
        let agreed = agree(any_order, in_order, &args, number as u64);
        let Some([old, new]) = agreed.map_err(|why| format!("{place}: {why}"))? else { continue };
        succeeded += 1;
        if new > old {
            return Err(format!("{place}: {old} checks before, {new} after"));
        }
        for ((wanted, when), asked) in header.checks.iter().zip(&mut asked) {
            let holds =
                |(name, value): &(String, Scalar)| scalars.contains(&(name.as_str(), *value));
            if when.iter().all(holds) {
                *asked += 1;
                if new != *wanted {
                    return Err(format!("{place}: {new} checks instead of {wanted}"));
                }
            }
        }
    }
    if succeeded == 0 {
        return Err("no run has results, so the test says nothing".to_owned());
    }
    if asked.contains(&0) {
        return Err("no run with results has the values of one of the `-- checks`".to_owned());
    }
    Ok(())
}

/// Runs code before and after, with iterations in any order and then in sequence; the numbers of checks, if there are
/// results.
fn agree(
    any_order: [(&Prog, &Program); 2],
    in_order: [(&Prog, &Program); 2],
    args: &[Value],
    seed: u64,
) -> Result<Option<[usize; 2]>, String> {
    let run = |(signature, code): (&Prog, &Program)| {
        outcome(machine::call(signature, code, FunId(0), args, Limits::default(), seed))
    };
    let both = |codes: [(&Prog, &Program); 2]| {
        let old = run(codes[0]).map_err(|why| format!("before: {why}"))?;
        Ok::<_, String>((old, run(codes[1]).map_err(|why| format!("after: {why}"))?))
    };
    match both(any_order)? {
        (Outcome::Values(old), Outcome::Values(new)) if old == new => {}
        // The order decides which of several checks fails.
        (Outcome::Check(..), Outcome::Check(..)) => {}
        (old, new) => return Err(format!("{old:?} before, {new:?} after")),
    }
    if in_order.iter().all(|(_, code)| !has_checks(code)) {
        return Ok(Some([0, 0]));
    }
    match both(in_order)? {
        (Outcome::Values(old), Outcome::Values(new)) => {
            let count = |values: &[Vec<Scalar>]| match values.last().map(Vec::as_slice) {
                Some([Scalar::I64(count)]) => Ok(*count as usize),
                other => Err(format!("the number of checks is {other:?}")),
            };
            Ok(Some([count(&old)?, count(&new)?]))
        }
        (old, new) if old == new => Ok(None),
        (old, new) => Err(format!("{old:?} before, {new:?} after, in sequence")),
    }
}

fn has_checks(program: &Program) -> bool {
    let mut found = false;
    for (_, fun) in program.funs.iter() {
        each_stm(&fun.body, &mut |stm| found |= matches!(stm, Stm::Assert(..)));
    }
    found
}

/// What a run comes to.
#[derive(PartialEq, Debug)]
enum Outcome {
    /// The scalars, and the elements of arrays.
    Values(Vec<Vec<Scalar>>),
    Check(String, Vec<String>),
}

fn outcome(result: Result<Vec<Value>, Fault>) -> Result<Outcome, String> {
    match result {
        Ok(values) => Ok(Outcome::Values(values.iter().map(elements).collect())),
        Err(Fault::Check(message, trace)) => {
            Ok(Outcome::Check(message, trace.iter().map(ToString::to_string).collect()))
        }
        Err(Fault::Undefined(why) | Fault::Memory(why)) => Err(why),
        Err(Fault::Limit) => Err("it takes too long".to_owned()),
    }
}

/// A scalar, or the elements of an array; scalars are equal if their bits are.
fn elements(value: &Value) -> Vec<Scalar> {
    match value {
        Value::Scalar(scalar) => vec![*scalar],
        Value::Array(array) => {
            let buffer = array.to_buffer();
            (0..buffer.len().unwrap_or(0)).filter_map(|at| buffer.get(at)).collect()
        }
        Value::Acc(_) | Value::Gone => Vec::new(),
    }
}

/// Scalars as they are given, and arrays of numbers that look random.
fn arguments(signature: &Prog, scalars: &[(&str, Scalar)]) -> Result<Vec<Value>, String> {
    let fun = &signature.funs[FunId(0)];
    let of = |name: &str| scalars.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
    let mut values = Vec::new();
    for (number, param) in fun.params.iter().enumerate() {
        let info = &fun.vars[param.var];
        values.push(match &info.ty {
            Type::Scalar(_) => {
                Value::Scalar(of(&info.hint).ok_or_else(|| format!("no value of {}", info.hint))?)
            }
            Type::Array(elem, shape) => {
                let mut sizes = Vec::new();
                for atom in shape {
                    let size = match atom {
                        Atom::Const(value) => Some(*value),
                        Atom::Var(var) => of(&fun.vars[*var].hint),
                    };
                    match size {
                        // Arrays of negative sizes have no elements.
                        Some(Scalar::I64(size)) => sizes.push(size.max(0)),
                        _ => return Err(format!("the size of {} is not known", info.hint)),
                    }
                }
                let mut buffer = Buffer::empty(*elem);
                let Elem::Prim(prim) = elem else { return Err("an array of units".to_owned()) };
                for at in 0..sizes.iter().product::<i64>() {
                    let value = (at * (7919 + 31 * number as i64) + 5) % 103;
                    let value = fehu_interp::scalar::convert(*prim, Scalar::I64(value));
                    value.and_then(|value| buffer.push(value)).ok_or("an element has no type")?;
                }
                Value::array(&sizes, buffer).ok_or("an array has another size")?
            }
            Type::Acc(_) => return Err("accumulators cannot be arguments".to_owned()),
        });
    }
    Ok(values)
}

/// The signature with one more result.
fn with_count(signature: &Prog) -> Prog {
    let mut counted = signature.clone();
    let fun = &mut counted.funs[FunId(0)];
    let info = fehu_ir::VarInfo { hint: "checks".into(), ty: Type::Scalar(Elem::Prim(Prim::I64)) };
    let count = fun.vars.push(info);
    fun.results.push(count);
    counted
}

/// The code with one more result: the number of checks that were evaluated. Its loops are sequential.
fn counting(program: &Program) -> Result<Program, String> {
    let mut program = program.clone();
    let fun: &mut Fun = program.funs.values_mut().next().ok_or("there is no function")?;
    let count = fun.vars.push(VarInfo { hint: "checks".into(), ty: Ty::Scalar(Prim::I64) });
    fun.results.push(count);
    count_checks(&mut fun.body, count);
    fun.body.insert(0, Stm::Assign(count, Exp::int(0)));
    Ok(program)
}

fn count_checks(block: &mut Block, count: V) {
    let more = rewrite::bin(BinOp::Add, Exp::Var(count), Exp::int(1));
    for mut stm in std::mem::take(block) {
        match &mut stm {
            Stm::Assert(..) => block.push(Stm::Assign(count, more.clone())),
            Stm::For { kind, .. } => *kind = Kind::Sequential,
            // Tasks have no way to count together.
            Stm::Tasks(_) => {
                block.push(stm);
                continue;
            }
            _ => {}
        }
        stm.each_block_mut(&mut |inner| count_checks(inner, count));
        block.push(stm);
    }
}
