//! Types and levels of Segs.

use super::scope::Checker;
use crate::{Atom, Exp, Level, LoopForm, Seg, Stm, Tiling, Type, Var};

impl<'a> Checker<'a> {
    /// The types of the results, if they can be known.
    pub(super) fn seg(&mut self, seg: &'a Seg) -> Option<Vec<Type>> {
        if !seg.level.within(self.level) {
            let around = self.level.map_or("outside of all others".to_owned(), |level| {
                format!("inside of one of level \"{}\"", level.name())
            });
            self.fail(format!("a seg of level \"{}\" stands {around}", seg.level.name()));
        }
        self.want_i64(&seg.space, "a size of the space");
        let mut params = vec![Type::I64; seg.space.len()];
        for input in &seg.inputs {
            params.push(self.seg_input(seg, *input));
        }
        self.form(seg);
        if let Some(tiling) = &seg.tiling {
            self.tiling(seg, tiling);
        }
        let outer = self.level.replace(seg.level);
        let ret = self.lambda("the function of the seg", &seg.body, &params, false);
        self.level = outer;
        // Accumulators are one for all positions.
        let array = |ty: Type, size: &Atom| ty.array_of(*size).unwrap_or(ty);
        Some(ret.into_iter().map(|ty| seg.space.iter().rev().fold(ty, array)).collect())
    }

    /// The type of an input's elements.
    fn seg_input(&mut self, seg: &Seg, input: Var) -> Type {
        let Some(ty) = self.var(input) else { return Type::CERT };
        let rank = seg.space.len();
        match &ty {
            Type::Acc(_) => ty,
            Type::Array(elem, shape)
                if shape.len() >= rank
                    && shape.iter().zip(&seg.space).all(|(a, b)| self.same_size(*a, *b)) =>
            {
                Type::array(*elem, shape[rank..].to_vec())
            }
            Type::Scalar(_) | Type::Array(..) => {
                let (name, ty) = (self.name(input), self.show(&ty));
                self.fail(format!(
                    "input \"{name}\" has type {ty}, but its outer sizes should be those of the space"
                ));
                Type::CERT
            }
        }
    }

    /// Whether positions can share what they read as the Seg says. Along which dimensions elements really differ is not looked at.
    fn tiling(&mut self, seg: &Seg, tiling: &Tiling) {
        if seg.level != Level::Grid {
            self.fail(format!("a seg of level \"{}\" is tiled", seg.level.name()));
        }
        let fold = match seg.op().map(|(op, _)| &op.exp) {
            Some(Exp::Screma(op)) if op.folded() == 0 => op.map.body.stms.iter().any(is_fold),
            _ => false,
        };
        if !fold {
            self.fail("a seg is tiled, but its operator is not a map with a fold".to_owned());
        }
        let rank = seg.space.len() + 1;
        let fits = |dims: &[usize]| {
            dims.is_sorted_by(|a, b| a < b) && dims.last().is_none_or(|last| *last < rank)
        };
        if tiling.dims.is_empty()
            || !fits(&tiling.dims)
            || !tiling.reads.iter().all(|read| fits(read))
        {
            self.fail(format!("the dimensions of a tile are not among the {rank} of the space"));
        }
        let is_shared = |read: &Vec<usize>| tiling.dims.iter().any(|dim| !read.contains(dim));
        if !tiling.reads.iter().any(is_shared) {
            self.fail("the positions of a tile have nothing in common".to_owned());
        }
    }

    /// Whether the function consists of cheap code and an operator.
    fn form(&mut self, seg: &Seg) {
        let Some((op, before)) = seg.op() else {
            return self.fail("a seg has no operator".to_owned());
        };
        if !Seg::takes(&op.exp) {
            self.fail("the last statement of a seg is no operator".to_owned());
        }
        if let Some(stm) = before.iter().find(|stm| !is_cheap(stm)) {
            let names: Vec<String> = stm.pat.iter().map(|var| self.name(*var)).collect();
            let names = names.join(", ");
            self.fail(format!(
                "\"{names}\" is computed before the operator of a seg, but is not cheap or may fail"
            ));
        }
        let Some(returned) = Seg::returned(&seg.body.body) else {
            return self
                .fail("a seg returns something else than its operator's results".to_owned());
        };
        let in_order = returned.is_sorted_by(|a, b| a < b);
        let is_array = |var: &Var| self.declared(*var).is_some_and(|ty| ty.is_array());
        let unused =
            (0..op.pat.len()).filter(|k| !returned.contains(k)).any(|k| is_array(&op.pat[k]));
        if !in_order || unused {
            self.fail("a seg does not return its operator's results in order".to_owned());
        }
    }
}

/// Whether a statement folds: at each of a number of steps.
fn is_fold(stm: &Stm) -> bool {
    match &stm.exp {
        Exp::Screma(op) => !op.reds.is_empty(),
        exp => matches!(exp, Exp::Loop(_, LoopForm::For(..), _)),
    }
}

/// Whether every thread may execute a statement for itself: it makes no array and calls nothing. How much there may be of
/// that is not the verifier's business.
fn is_cheap(stm: &Stm) -> bool {
    match &stm.exp {
        Exp::Assert(..)
        | Exp::Fail(_)
        | Exp::Array(..)
        | Exp::Update(..)
        | Exp::FlatUpdate(..)
        | Exp::Concat(..)
        | Exp::Scratch(..)
        | Exp::Copy(_)
        | Exp::Manifest(_)
        | Exp::Loop(..)
        | Exp::Call(..)
        | Exp::Const(_)
        | Exp::Screma(_)
        | Exp::Hist(_)
        | Exp::Scatter(_)
        | Exp::Stream(_)
        | Exp::Partition(_)
        | Exp::Seg(_)
        | Exp::WithAcc(..)
        | Exp::UpdateAcc(..)
        | Exp::Trace(..)
        | Exp::Tuning(..)
        | Exp::Threads => false,
        Exp::If(_, bodies) => bodies.iter().all(|body| body.stms.iter().all(is_cheap)),
        Exp::Switch(_, switch) => {
            let bodies = switch.cases.iter().map(|(_, body)| body).chain([&switch.default]);
            bodies.into_iter().all(|body| body.stms.iter().all(is_cheap))
        }
        Exp::Atom(_)
        | Exp::UnOp(..)
        | Exp::BinOp(..)
        | Exp::CmpOp(..)
        | Exp::Math(..)
        | Exp::Convert(..)
        | Exp::Reinterpret(..)
        | Exp::Index(..)
        | Exp::FlatIndex(..)
        | Exp::Reshape(..)
        | Exp::Rearrange(..)
        | Exp::Iota(..)
        | Exp::Replicate(..)
        | Exp::Opaque(_) => true,
    }
}
