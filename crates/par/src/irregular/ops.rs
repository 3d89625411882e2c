//! Arrays without a function, and operators that are more than one Seg.

use super::rows::{Flat, inner_type};
use super::space::{Home, array_of};
use super::{Irregular, Lifted, stays};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::{Builder, atom_type};
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Elem, Exp, Lambda, Partition, Red, Scan, Scatter, Screma, Stm, Type,
    Var, VarInfo,
};

impl Irregular<'_> {
    /// The only variable of a statement, an irregular array, with the type of what its dimensions in common have.
    fn made(&self, stm: &Stm) -> (Var, Type) {
        let var = *stm.pat.first().or_bug("what a statement binds");
        let ty = &self.vars[var].ty;
        (var, inner_type(ty, self.common(ty)))
    }

    /// A map over rows that makes an array.
    fn fill(&mut self, stm: &Stm, map: Lambda, inputs: &[Var], space: usize) {
        let (var, row) = self.made(stm);
        let ty = self.vars[var].ty.clone();
        let rows = self.rows_like(&ty, row.rank(), space);
        let data = self.row_map(map, inputs, space, &rows)[0];
        self.homes.insert((var, space), Home::Row(data, rows.start));
    }

    /// A map over the numbers of a row's positions that makes an array.
    fn tabulate(
        &mut self,
        stm: &Stm,
        space: usize,
        element: impl FnOnce(Atom, &Type, &mut Builder<'_>) -> Atom,
    ) {
        let (var, row) = self.made(stm);
        let sizes = self.vars[var].ty.shape().to_vec();
        let size = self.product(&sizes[..sizes.len() - row.rank()], space);
        let positions = self.positions(size, space);
        let mut b = Builder::new(self.vars);
        let map = b.lambda(vec![("at".into(), Type::I64)], vec![row.clone()], |b, at| {
            vec![element(at[0].into(), &row, b)]
        });
        self.fill(stm, map, &[positions], space);
    }

    pub(super) fn replicate(&mut self, stm: &Stm, shape: &[Atom], value: Atom, space: usize) {
        let (_, row) = self.made(stm);
        let own = atom_type(value, self.vars);
        if own.rank() > row.rank() {
            // Each of its elements, again and again.
            let value = value.var().or_bug("an array");
            let size = self.product(&own.shape()[..own.rank() - row.rank()], space);
            let view = self.flat_view(value, row.rank(), space);
            self.tabulate(stm, space, |at, row, b| {
                let at = b.exp("at", Exp::BinOp(BinOp::Rem, at, size));
                view.read(at.into(), row, b)
            });
            return;
        }
        let outer = shape[shape.len() - (row.rank() - own.rank())..].to_vec();
        let mut b = Builder::new(self.vars);
        let body = b.body(|b| match outer.is_empty() {
            true => vec![value],
            false => vec![b.typed("row", row.clone(), Exp::Replicate(outer, value)).into()],
        });
        let map = Lambda { params: Vec::new(), body, ret: vec![row] };
        self.fill(stm, map, &[], space);
    }

    pub(super) fn copy(&mut self, stm: &Stm, array: Var, space: usize) {
        let (var, row) = self.made(stm);
        let ty = self.vars[var].ty.clone();
        let rows = self.rows_like(&ty, row.rank(), space);
        let data = self.packed(array.into(), row.rank(), space, &rows);
        let ty = self.vars[data].ty.clone();
        let data = self.bind("all", ty, Exp::Copy(data));
        self.homes.insert((var, space), Home::Row(data, rows.start));
    }

    /// A view of an array that changes later: its elements as they are now.
    pub(super) fn view(&mut self, stm: &Stm, space: usize) {
        let var = *stm.pat.first().or_bug("what a statement binds");
        let VarInfo { hint, ty } = self.vars[var].clone();
        let view = self.local(&hint, ty);
        let repeated = Stm { pat: vec![view], ..stm.clone() };
        self.homes.insert((view, space), Home::Repeated(repeated));
        self.copy(stm, view, space);
        self.homes.remove(&(view, space));
    }

    /// Memory that is written later.
    pub(super) fn scratch(&mut self, stm: &Stm, space: usize) {
        let (var, row) = self.made(stm);
        let ty = self.vars[var].ty.clone();
        let rows = self.rows_like(&ty, row.rank(), space);
        let ty = array_of(&row, rows.total);
        let elem = ty.elem().or_bug("the elements of an array");
        let data = self.bind("all", ty.clone(), Exp::Scratch(elem, ty.shape().to_vec()));
        self.homes.insert((var, space), Home::Row(data, rows.start));
    }

    /// Each position asks which array it is in.
    pub(super) fn concat(&mut self, stm: &Stm, arrays: &[Var], space: usize) {
        let (_, row) = self.made(stm);
        let mut parts = Vec::new();
        for array in arrays {
            let sizes = self.vars[*array].ty.shape().to_vec();
            let size = self.product(&sizes[..sizes.len() - row.rank()], space);
            parts.push((self.flat_view(*array, row.rank(), space), size));
        }
        self.tabulate(stm, space, |at, row, b| element_of(&parts, at, row, b));
    }

    /// The numbers of the positions of a row.
    pub(super) fn positions(&mut self, size: Atom, space: usize) -> Var {
        let positions = self.local("positions", Type::array(Prim::I64.into(), vec![size]));
        let iota = Exp::Iota(Prim::I64, size, Atom::i64(0), Atom::i64(1));
        let home = Home::Repeated(Stm::new(vec![positions], iota));
        self.homes.insert((positions, space), home);
        positions
    }

    /// A partition is a scan, which says where each element goes, and a scatter.
    pub(super) fn partition(&mut self, stm: &Stm, op: &Partition, space: usize) -> Lifted<()> {
        let (counts, arrays) = stm.pat.split_at(op.classes);
        let width = op.width;
        let numbers = Type::array(Prim::I64.into(), vec![width]);
        let mut map = op.map.clone();
        let [class, elements @ ..] = op.map.body.results.as_slice() else {
            return Err(stays("it has no classes", stm));
        };
        // Whether an element has each of the classes: scanned, and summed up.
        let mut b = Builder::new(self.vars);
        let flags = b.body(|b| {
            let flag = |k: usize| {
                let is = b.exp("is", Exp::CmpOp(CmpOp::Eq, *class, Atom::i64(k as i64)));
                b.exp("flag", Exp::Convert(Prim::I64, is.into())).into()
            };
            (0..op.classes).map(flag).collect()
        });
        map.body.stms.extend(flags.stms);
        map.body.results =
            [&flags.results, &flags.results, std::slice::from_ref(class), elements].concat();
        map.ret = [vec![Type::I64; 2 * op.classes], op.map.ret.clone()].concat();
        let (mut scans, mut reds) = (Vec::new(), Vec::new());
        for _ in 0..op.classes {
            scans.push(Scan { op: self.operator(BinOp::Add), neutral: vec![Atom::i64(0)] });
            let op = self.operator(BinOp::Add);
            reds.push(Red { op, neutral: vec![Atom::i64(0)], commutative: true });
        }
        let locals = |this: &mut Self, hint: &str, count: usize, ty: &Type| {
            (0..count).map(|_| this.local(hint, ty.clone())).collect::<Vec<Var>>()
        };
        let places = locals(self, "place", op.classes, &numbers);
        let classes = locals(self, "class", 1, &numbers);
        let mut elems = Vec::new();
        for array in arrays {
            let ty = self.vars[*array].ty.clone();
            elems.push(self.local("elem", ty));
        }
        let screma = Screma { width, inputs: op.inputs.clone(), map, scans, reds };
        let pat = [&places, counts, &classes, &elems].concat();
        let scan = Stm { exp: Exp::Screma(Box::new(screma)), pat, ..stm.clone() };
        let mut stms = vec![scan];

        // Where the elements of each class start.
        let mut starts = vec![Atom::i64(0)];
        for count in counts.iter().take(op.classes.saturating_sub(1)) {
            let start = self.local("start", Type::I64);
            let before = starts[starts.len() - 1];
            let exp = Exp::BinOp(BinOp::Add, before, (*count).into());
            stms.push(Stm::new(vec![start], exp));
            starts.push(start.into());
        }
        let mut dests = Vec::new();
        for array in arrays {
            let ty = self.vars[*array].ty.clone();
            let elem = ty.elem().or_bug("the elements of an array");
            let dest = self.local("all", ty.clone());
            stms.push(Stm::new(vec![dest], Exp::Scratch(elem, ty.shape().to_vec())));
            dests.push((vec![width], dest));
        }
        let rows: Vec<Type> = op.map.ret[1..].to_vec();
        let mut params: Vec<_> = vec![("class".into(), Type::I64)];
        params.extend(places.iter().map(|_| ("place".into(), Type::I64)));
        params.extend(rows.iter().map(|ty| ("elem".into(), ty.clone())));
        let ret = [vec![Type::I64; arrays.len()], rows].concat();
        let classes_of = op.classes;
        let mut b = Builder::new(self.vars);
        let map = b.lambda(params, ret, |b, params| {
            let mut at = Atom::i64(-1);
            for (k, start) in starts.iter().enumerate().take(classes_of) {
                let is = b.exp("is", Exp::CmpOp(CmpOp::Eq, params[0].into(), Atom::i64(k as i64)));
                let yes = b.body(|b| {
                    let place = Exp::BinOp(BinOp::Add, params[1 + k].into(), *start);
                    let place = b.exp("place", place);
                    vec![b.exp("at", Exp::BinOp(BinOp::Sub, place.into(), Atom::i64(1))).into()]
                });
                let no = Body::of(vec![at]);
                let exp = Exp::If(is.into(), Box::new([yes, no]));
                at = b.typed("at", Type::I64, exp).into();
            }
            let elems = params[1 + classes_of..].iter().map(|elem| Atom::Var(*elem));
            std::iter::repeat_n(at, arrays.len()).chain(elems).collect()
        });
        let inputs = [classes, places, elems].concat();
        let scatter = Scatter { width, inputs, map, dests };
        if !arrays.is_empty() {
            let exp = Exp::Scatter(Box::new(scatter));
            stms.push(Stm { pat: arrays.to_vec(), exp, ..stm.clone() });
        }
        let results = stm.pat.iter().map(|var| Atom::Var(*var)).collect();
        self.body(&Body { stms, results }, space)
    }
}

/// The element at a position of several arrays, one after the other.
pub(super) fn element_of(
    parts: &[(Flat, Atom)],
    at: Atom,
    row: &Type,
    b: &mut Builder<'_>,
) -> Atom {
    let [(array, size), rest @ ..] = parts else { return at };
    if rest.is_empty() {
        return array.read(at, row, b);
    }
    let here = b.exp("here", Exp::CmpOp(CmpOp::Lt, at, *size));
    let yes = b.body(|b| vec![array.read(at, row, b)]);
    let no = b.body(|b| {
        let beyond = b.exp("beyond", Exp::BinOp(BinOp::Sub, at, *size));
        vec![element_of(rest, beyond.into(), row, b)]
    });
    b.typed("elem", row.clone(), Exp::If(here.into(), Box::new([yes, no]))).into()
}

/// The type of truth values.
pub(super) const BOOL: Type = Type::Scalar(Elem::Prim(Prim::Bool));
