//! The types of number literals in sizes.
//!
//! A size is a term without types. What a literal is follows from the function that it is an argument of: from the type
//! of its parameter, or if that is a type parameter, from the result that is wanted and from the other arguments.

use fehu_base::{IdVec, Prim};
use fehu_check::program::VarInfo;
use fehu_check::ty::{Head, Size, Ty, TypeId, VarId};
use rustc_hash::FxHashMap;

/// The types of scalars, or of the scalars in arrays, among a function and its arguments, where they are known. The
/// result is one of `wanted`, or an array of them.
pub(crate) fn of_arguments(
    vars: &IdVec<VarId, VarInfo>,
    terms: &[Size],
    wanted: Option<Prim>,
) -> Vec<Option<Prim>> {
    let mut params = Vec::new();
    let mut rest = type_of(vars, &terms[0]);
    while let Some(Ty::Fun(fun)) = rest
        && params.len() + 1 < terms.len()
    {
        params.push(&fun.param);
        rest = Some(&fun.ret);
    }
    let mut known = Known::default();
    if let (Some(result), Some(prim)) = (rest, wanted) {
        known.learn(scalars(result), &Ty::Prim(prim));
    }
    for (param, arg) in params.iter().zip(&terms[1..]) {
        if let Some(arg) = type_of(vars, arg) {
            known.learn(param, arg);
        }
    }
    let prims = params.into_iter().map(|param| known.prim(scalars(param)));
    [None].into_iter().chain(prims).collect()
}

/// The type of a term as it is declared, where that is easily seen. The type parameters of functions in it stand
/// for themselves.
fn type_of<'p>(vars: &'p IdVec<VarId, VarInfo>, term: &Size) -> Option<&'p Ty> {
    match term {
        Size::Var(var) => vars[*var].scheme.as_ref().map(|scheme| &scheme.ty),
        Size::Term(term) if term.head == Head::Apply => {
            let mut ty = type_of(vars, term.args.first()?)?;
            for _ in &term.args[1..] {
                let Ty::Fun(fun) = ty else { return None };
                ty = &fun.ret;
            }
            Some(ty)
        }
        Size::Const(_)
        | Size::Add(_)
        | Size::Sub(_)
        | Size::Mul(_)
        | Size::Term(_)
        | Size::Meta(_)
        | Size::Any => None,
    }
}

/// What an array is made of, or the type itself.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is no array is its own element")]
fn scalars(ty: &Ty) -> &Ty {
    match ty.unwrap_unique() {
        Ty::Array(_, elem) => scalars(elem),
        ty => ty,
    }
}

/// The type parameters that stand for scalars.
#[derive(Default)]
struct Known(FxHashMap<TypeId, Prim>);

impl Known {
    /// Compares the type of a parameter with that of its argument.
    fn learn(&mut self, param: &Ty, arg: &Ty) {
        match (param.unwrap_unique(), arg.unwrap_unique()) {
            (Ty::Con(id, _), Ty::Prim(prim)) => {
                self.0.insert(*id, *prim);
            }
            (Ty::Array(_, param), Ty::Array(_, arg)) => self.learn(param, arg),
            (Ty::Fun(param), Ty::Fun(arg)) => {
                self.learn(&param.param, &arg.param);
                self.learn(&param.ret, &arg.ret);
            }
            (Ty::Record(params), Ty::Record(args)) => {
                for ((_, param), (_, arg)) in params.iter().zip(args.iter()) {
                    self.learn(param, arg);
                }
            }
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other types say nothing here")]
    fn prim(&self, ty: &Ty) -> Option<Prim> {
        match ty {
            Ty::Prim(prim) => Some(*prim),
            Ty::Con(id, _) => self.0.get(id).copied(),
            _ => None,
        }
    }
}
