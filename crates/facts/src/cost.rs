//! What is cheap, and for what it is cheap enough. All passes ask here; `imp::cost` is the same for imperative code.
//!
//! - *How much work it is*: [`weigh`], [`weigh_stm`]. The weight of an operation on scalars is about the number of cycles that it
//!   keeps a processor busy. Reading an element of an array weighs [`READ`]. A body's weight is the sum over its statements, of a
//!   branch the condition's and the larger alternative's. Loops, array operators, calls, and everything that makes an array have
//!   no weight: they are never cheap. [`has_loops`] and [`has_operators`] look for what takes longest.
//! - *What is computed again instead of being stored*: [`is_cheap`], [`is_cheap_stm`], up to the weight [`LIMIT`].
//!   Writing an array of numbers to memory and reading it again costs about as much. Nests that the flattening makes
//!   repeat up to [`NEST_LIMIT`].
//! - *What may be done twice* for each position: [`is_repeatable`], by the number of statements, if nothing is changed
//!   ([`has_effects`]).
//! - *What every thread does for itself*: [`is_private`].
//! - *What is not worth a branch*: [`is_instruction`].

use fehu_base::IdVec;
use fehu_ir::builder::atom_type;
use fehu_ir::{BinOp, Body, Dim, Elem, Exp, Family, MathFn, Seg, Stm, Type, Var, VarInfo};

/// What may be computed again instead of being stored.
pub const LIMIT: u32 = 8;
/// What every nest may repeat that needs it: a result that is stored by one kernel and loaded by another costs a launch, too.
pub const NEST_LIMIT: u32 = 12;
/// Reading an element of an array.
pub const READ: u32 = 4;

/// Whether a body is cheap.
pub fn is_cheap(body: &Body, vars: &IdVec<Var, VarInfo>) -> bool {
    weigh(body, vars).is_some_and(|weight| weight <= LIMIT)
}

/// Whether a statement is cheap.
pub fn is_cheap_stm(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> bool {
    weigh_stm(stm, vars).is_some_and(|weight| weight <= LIMIT)
}

/// The weight of a body, if it has one.
pub fn weigh(body: &Body, vars: &IdVec<Var, VarInfo>) -> Option<u32> {
    body.stms.iter().try_fold(0u32, |sum, stm| Some(sum.saturating_add(weigh_stm(stm, vars)?)))
}

/// The weight of a statement, if it has one.
#[expect(clippy::wildcard_enum_match_arm, reason = "what has no weight is never cheap")]
pub fn weigh_stm(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> Option<u32> {
    match &stm.exp {
        Exp::Atom(_) | Exp::Reinterpret(..) => Some(0),
        Exp::UnOp(..) | Exp::Convert(..) | Exp::CmpOp(..) | Exp::Assert(..) | Exp::Tuning(..) => {
            Some(1)
        }
        Exp::Threads => Some(1),
        Exp::BinOp(op, a, _) => Some(binop(*op, &atom_type(*a, vars))),
        Exp::Math(f, _) => Some(math(*f)),
        Exp::Index(_, dims) => {
            let element = stm.pat.first().is_some_and(|var| !vars[*var].ty.is_array());
            let fixed = dims.iter().all(|dim| matches!(dim, Dim::Fix(_)));
            Some(if element && fixed { READ } else { 0 })
        }
        // Views are free: only an index changes.
        Exp::FlatIndex(..) | Exp::Reshape(..) | Exp::Rearrange(..) => Some(0),
        Exp::If(_, bodies) => {
            let [yes, no] = &**bodies;
            Some(1 + weigh(yes, vars)?.max(weigh(no, vars)?))
        }
        Exp::Switch(_, switch) => {
            let mut most = weigh(&switch.default, vars)?;
            for (_, body) in &switch.cases {
                most = most.max(weigh(body, vars)?);
            }
            Some(1 + most)
        }
        // Numbers that are computed from the position cost nothing to store.
        Exp::Iota(..) | Exp::Replicate(..) | Exp::Scratch(..) => Some(0),
        _ => None,
    }
}

/// Whether a statement is an operation on scalars that takes a cycle and cannot fail: as cheap as a branch around it.
pub fn is_instruction(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> bool {
    stm.exp.family() == Family::Scalar && weigh_stm(stm, vars).is_some_and(|weight| weight <= 1)
}

/// A function of no more statements than this, without loops and operators, may be executed twice.
const REPEATABLE: usize = 16;

/// Whether a function may be executed twice for each position: it consists of a few statements, and has no loops, operators,
/// calls or effects.
pub fn is_repeatable(body: &Body) -> bool {
    has_at_most(body, REPEATABLE)
}

/// Whether a function consists of at most so many statements, and has no loops, operators, calls or effects.
pub fn has_at_most(body: &Body, most: usize) -> bool {
    count(body).is_some_and(|count| count <= most)
}

/// The number of statements, including those in branches; none if there are loops, operators, or calls.
fn count(body: &Body) -> Option<usize> {
    let mut count = body.stms.len();
    for stm in &body.stms {
        let mut inside = Some(0);
        let mut bodies = 0;
        stm.exp.for_each_body(&mut |body| {
            bodies += 1;
            inside = inside.zip(self::count(body)).map(|(sum, more)| sum + more);
        });
        let branches = matches!(stm.exp, Exp::If(..) | Exp::Switch(..));
        let once = matches!(
            stm.exp,
            Exp::Call(..) | Exp::Trace(..) | Exp::Notice(..) | Exp::UpdateAcc(..)
        );
        if once || bodies > 0 && !branches {
            return None;
        }
        count += inside?;
    }
    Some(count)
}

/// Whether every thread may execute a statement for itself, instead of one for all: operations on scalars, branches that lead
/// to scalars, and arrays that are views or computed where they are read.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are the verifier's business")]
pub fn is_private(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> bool {
    let is_scalar = |var: Var| matches!(vars[var].ty, Type::Scalar(_));
    let fits = match &stm.exp {
        Exp::If(..) | Exp::Switch(..) => stm.pat.iter().all(|var| is_scalar(*var)),
        Exp::Replicate(_, atom) => atom.var().is_none_or(is_scalar),
        _ => true,
    };
    fits && Seg::allows_before(stm)
}

/// Whether a body has something to do that takes long: loops or array operators.
pub fn has_loops(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = matches!(stm.exp, Exp::Loop(..)) || stm.exp.operator().is_some();
        stm.exp.for_each_body(&mut |body| found = found || has_loops(body));
        found
    })
}

/// Whether a body contains array operators.
pub fn has_operators(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = stm.exp.operator().is_some();
        stm.exp.for_each_body(&mut |body| found |= has_operators(body));
        found
    })
}

/// Whether a body changes arrays or accumulators.
pub fn has_effects(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = matches!(
            &stm.exp,
            Exp::Update(..)
                | Exp::FlatUpdate(..)
                | Exp::UpdateAcc(..)
                | Exp::WithAcc(..)
                | Exp::Hist(_)
                | Exp::Scatter(_)
                | Exp::Call(..)
        );
        stm.exp.for_each_body(&mut |body| found |= has_effects(body));
        found
    })
}

fn binop(op: BinOp, ty: &Type) -> u32 {
    let float = ty.elem().is_some_and(Elem::is_float);
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Min | BinOp::Max => 1,
        BinOp::And | BinOp::Or | BinOp::Xor => 1,
        BinOp::Shl | BinOp::Shr | BinOp::Lshr | BinOp::Ashr => 1,
        BinOp::Div if float => 5,
        BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem => 12,
        BinOp::Pow => 40,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what is not known to be cheap is not")]
fn math(f: MathFn) -> u32 {
    match f {
        MathFn::Sqrt | MathFn::Rsqrt => 6,
        MathFn::Ceil | MathFn::Floor | MathFn::Round | MathFn::Copysign => 1,
        MathFn::Lerp | MathFn::Mad | MathFn::Fma | MathFn::Isnan | MathFn::Isinf => 2,
        MathFn::Popc | MathFn::Clz | MathFn::Ctz | MathFn::MulHi | MathFn::MadHi => 2,
        MathFn::Nextafter | MathFn::Ldexp => 4,
        _ => 20,
    }
}
