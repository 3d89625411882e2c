//! Types and levels of Segs.

use super::scope::Checker;
use crate::seg::takes_elements;
use crate::{After, Atom, Exp, Level, Rows, Screma, Seg, SegParts, Stm, Type, Var};
use fehu_base::Prim;

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
        if let Some(rows) = seg.rows {
            self.rows(seg, rows);
        }
        let mut params = vec![Type::I64; seg.leading()];
        for input in &seg.inputs {
            params.push(self.seg_input(seg, *input));
        }
        self.form(seg);
        if let Some(tiling) = &seg.tiling {
            self.tiling(seg, tiling);
        }
        if seg.lanes && !matches!(seg.level, Level::Task | Level::Thread) {
            self.fail(format!("a seg of level \"{}\" has lanes", seg.level.name()));
        }
        let outer = self.level.replace(seg.level);
        let ret = self.lambda("the function of the seg", &seg.body, &params, seg.rows.is_some());
        self.level = outer;
        Some(ret.into_iter().map(|ty| seg.whole(ty)).collect())
    }

    /// Whether rows can differ as a Seg says. That `ends` are the sums of widths is not looked at.
    fn rows(&mut self, seg: &Seg, rows: Rows) {
        if !matches!(seg.level, Level::Task | Level::Grid) {
            self.fail(format!("a seg of level \"{}\" has rows that differ", seg.level.name()));
        }
        let [count] = seg.space.as_slice() else {
            return self.fail("a seg with rows that differ has one dimension".to_owned());
        };
        self.want_i64(&[rows.total], "the number of positions");
        let ends = Type::Array(Prim::I64.into(), vec![*count]);
        if let Some(ty) = self.var(rows.ends) {
            self.same(&ty, &ends, || "the ends of rows".to_owned(), Some(rows.ends.into()));
        }
        let scalars = |op: &Screma| {
            let folds = op.scans.iter().map(|scan| &scan.op.ret);
            let types = folds.chain(op.reds.iter().map(|red| &red.op.ret)).flatten();
            types.into_iter().all(|ty| matches!(ty, Type::Scalar(_)))
        };
        let width = seg.row().map(|[_, width]| Atom::Var(width));
        let as_wide = |op: &Screma| width == Some(op.width) && scalars(op);
        let Some(SegParts { op, after, .. }) = seg.parts() else { return };
        if !matches!(&op.exp, Exp::Screma(op) if as_wide(op)) {
            self.fail(
                "a seg with rows that differ should have a map, or a reduction or scan of scalars, as wide as a row"
                    .to_owned(),
            );
        }
        let is_map = |stm: &Stm| matches!(&stm.exp, Exp::Screma(op) if as_wide(op));
        match after {
            // `form` refuses a finish of these.
            After::Nothing | After::Finish(_) => {}
            After::Epilogue(stm) if is_map(stm) => {}
            After::Epilogue(_) => {
                self.fail("the epilogue of rows that differ is no map as wide as a row".to_owned());
            }
        }
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

    /// Whether the function consists of cheap code, an operator, and possibly an epilogue.
    fn form(&mut self, seg: &Seg) {
        let Some(parts) = seg.parts() else {
            return self.fail("a seg has no operator".to_owned());
        };
        if !Seg::takes(&parts.op.exp) {
            self.fail("the last statement of a seg is no operator".to_owned());
        }
        if let Some(stm) = parts.before.iter().find(|stm| !Seg::allows_before(stm)) {
            let names: Vec<String> = stm.pat.iter().map(|var| self.name(*var)).collect();
            let names = names.join(", ");
            self.fail(format!(
                "\"{names}\" is computed before the operator of a seg, but is not cheap or may fail"
            ));
        }
        match parts.after {
            After::Nothing => {}
            After::Epilogue(epilogue) => self.epilogue(seg.level, parts.op, epilogue),
            After::Finish(stms) => self.finish(seg, parts.op, stms),
        }
        let Some(returned) = Seg::returned(&seg.body.body) else {
            return self
                .fail("a seg returns something else than its operator's results".to_owned());
        };
        let in_order = returned.is_sorted_by(|a, b| a < b);
        let made: Vec<Var> = parts.made().collect();
        let needed = |k: &usize| match self.declared(made[*k]) {
            Some(Type::Array(_, shape)) => !is_elided(parts, *k, shape.len()),
            Some(Type::Acc(_)) => true,
            Some(Type::Scalar(_)) | None => false,
        };
        // Arrays of a finish are views.
        let by_operators = parts.operators().map(|stm| stm.pat.len()).sum::<usize>();
        if !in_order || (0..by_operators).filter(|k| !returned.contains(k)).any(|k| needed(&k)) {
            self.fail("a seg does not return its operator's results in order".to_owned());
        }
    }

    /// Whether what follows a reduction is code of one thread, for each segment.
    fn finish(&mut self, seg: &Seg, op: &Stm, stms: &[Stm]) {
        let is_plain = seg.level == Level::Grid
            && !seg.space.is_empty()
            && seg.rows.is_none()
            && seg.tiling.is_none();
        let scalars = |op: &Screma| op.map.ret.iter().all(|ty| matches!(ty, Type::Scalar(_)));
        let folds = |op: &Screma| op.scans.is_empty() && op.folded() == op.map.ret.len();
        if !is_plain || !matches!(&op.exp, Exp::Screma(op) if folds(op) && scalars(op)) {
            self.fail(
                "only a segmented reduction to scalars on a device is followed by code".to_owned(),
            );
        }
        if !stms.iter().all(Seg::allows_after) {
            self.fail("what follows a segmented reduction is not cheap or may fail".to_owned());
        }
    }

    /// Whether the second operator of a Seg needs only the elements of the first one's arrays at its own position.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else can be an epilogue")]
    fn epilogue(&mut self, level: Level, op: &Stm, epilogue: &Stm) {
        let (Exp::Screma(scan), pat) = (&op.exp, &op.pat) else { return };
        let width = match &epilogue.exp {
            Exp::Screma(next) if next.folded() == 0 || level == Level::Thread => next.width,
            Exp::Scatter(next) => next.width,
            _ => return self.fail("an epilogue is no map or scatter".to_owned()),
        };
        if !self.same_size(width, scan.width) {
            self.fail("an epilogue has another width than its operator".to_owned());
        }
        if !takes_elements(epilogue, pat, self.vars) {
            self.fail("an epilogue uses more than the elements that its operator makes".to_owned());
        }
    }
}

/// Whether an array of an operator, by number, needs no memory: it is given to the epilogue element by element, or
/// nobody needs it.
fn is_elided(parts: SegParts<'_>, number: usize, rank: usize) -> bool {
    let has_scans = matches!(&parts.op.exp, Exp::Screma(op) if !op.scans.is_empty());
    has_scans && number < parts.op.pat.len() && rank == 1
}
