//! The sizes of a property's parameter, as its type says them.
//!
//! The interface of an entry point only knows how many dimensions an array has, and which arrays share a size by name. The
//! type knows more: in `([n]i32, [n + 1]i32)` the sizes depend on each other, and in `[k]i32` the size is a constant of the
//! program, whose value is found out by evaluating it.

use fehu_base::Prim;
use fehu_check::ty::{Printer, Size, Ty, VarId};
use fehu_driver::check::Outcome;
use fehu_driver::files::Disk;
use fehu_driver::repl::{self, Breaks, Repl};

/// The scalars and arrays that a value consists of, and the sizes of their dimensions.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Part {
    /// The type of the elements.
    pub(super) elem: Prim,
    /// The sizes, outermost first: numbers, names, and arithmetic with them.
    pub(super) shape: Vec<Size>,
}

/// The parts of the parameter of a property. Nothing if its type has values that only the program can make.
pub(super) fn parts(outcome: &Outcome, name: &str) -> Option<Vec<Part>> {
    let program = &*outcome.program;
    let entry = program.entries.iter().find(|entry| entry.name == name)?;
    let scheme = program.vars[entry.var].scheme.as_deref()?;
    let Ty::Fun(fun) = &scheme.ty else { return None };
    let mut parts = Vec::new();
    collect(&fun.param, &mut Vec::new(), &mut parts)?;
    let mut constants = Constants { outcome, free: &scheme.sizes, repl: None };
    for size in parts.iter_mut().flat_map(|part| &mut part.shape) {
        *size = constants.known(size);
    }
    Some(parts)
}

/// The value of a size, if that of every name in it is known.
pub(super) fn value(size: &Size, names: &[(VarId, usize)]) -> Option<i64> {
    let both = |sides: &[Size; 2]| Some((value(&sides[0], names)?, value(&sides[1], names)?));
    match size {
        Size::Const(size) => Some(*size),
        Size::Var(var) => {
            let (_, size) = names.iter().find(|(name, _)| name == var)?;
            i64::try_from(*size).ok()
        }
        Size::Add(sides) => both(sides).and_then(|(a, b)| a.checked_add(b)),
        Size::Sub(sides) => both(sides).and_then(|(a, b)| a.checked_sub(b)),
        Size::Mul(sides) => both(sides).and_then(|(a, b)| a.checked_mul(b)),
        Size::Term(_) | Size::Meta(_) | Size::Any => None,
    }
}

fn collect(ty: &Ty, outer: &mut Vec<Size>, parts: &mut Vec<Part>) -> Option<()> {
    match ty {
        Ty::Prim(elem) => parts.push(Part { elem: *elem, shape: outer.clone() }),
        Ty::Array(size, elem) => {
            outer.push(size.clone());
            collect(elem, outer, parts)?;
            outer.pop();
        }
        Ty::Unique(inner) => collect(inner, outer, parts)?,
        Ty::Record(fields) => {
            for (_, ty) in fields.iter() {
                collect(ty, outer, parts)?;
            }
        }
        Ty::Sum(_) | Ty::Fun(_) | Ty::Con(..) | Ty::Meta(_) | Ty::Error => return None,
    }
    Some(())
}

/// Finds out what constants of a program are.
struct Constants<'a> {
    outcome: &'a Outcome,
    /// The names that values may be chosen for.
    free: &'a [VarId],
    /// A session with the program, once one is needed.
    repl: Option<Repl>,
}

impl Constants<'_> {
    /// The same size with the values of constants in it, as far as they can be found out.
    fn known(&mut self, size: &Size) -> Size {
        let [a, b] = match size {
            Size::Add(sides) | Size::Sub(sides) | Size::Mul(sides) => {
                [self.known(&sides[0]), self.known(&sides[1])]
            }
            Size::Var(var) if self.free.contains(var) => return size.clone(),
            Size::Var(_) | Size::Term(_) => {
                return self.evaluated(size).map_or_else(|| size.clone(), Size::Const);
            }
            Size::Const(_) | Size::Meta(_) | Size::Any => return size.clone(),
        };
        let sides = [a, b].into();
        match size {
            Size::Add(_) => Size::Add(sides),
            Size::Sub(_) => Size::Sub(sides),
            Size::Mul(_)
            | Size::Var(_)
            | Size::Term(_)
            | Size::Const(_)
            | Size::Meta(_)
            | Size::Any => Size::Mul(sides),
        }
    }

    fn evaluated(&mut self, size: &Size) -> Option<i64> {
        let program = &*self.outcome.program;
        let text = Printer { vars: &program.vars, types: &program.types }.size(size);
        let loaded = &*self.outcome.loaded;
        let root = loaded.root.and_then(|root| loaded.files.get(root))?;
        let path = &self.outcome.sources.file(root.id).name;
        let repl = self.repl.get_or_insert_with(|| {
            let mut repl = Repl::new(Disk, Breaks::Always);
            repl.load(path);
            repl
        });
        match repl.evaluate("<size>", &text).outcome {
            repl::Outcome::Value(shown) => shown.text.trim().parse().ok(),
            _ => None,
        }
    }
}
