//! Arrays without a function, and operators that are more than one Seg.

use super::space::{Home, array_of, whole};
use super::{Irregular, Lifted, stays};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Dim, Elem, Exp, Lambda, Partition, Red, Scan, Scatter, Screma, Stm,
    Type, Var,
};

impl Irregular<'_> {
    /// The only variable of a statement, and the size of its outermost dimension, if the others are the same everywhere.
    fn made(&self, stm: &Stm) -> Lifted<(Var, Atom, Type)> {
        let var = *stm.pat.first().or_bug("what a statement binds");
        let ty = &self.vars[var].ty;
        match ty.shape() {
            [size, rest @ ..] if rest.iter().all(|size| self.labels.is_avoided(*size)) => {
                Ok((var, *size, ty.row().or_bug("the elements of an array")))
            }
            _ => Err(stays("an array has several dimensions whose sizes differ", stm)),
        }
    }

    /// A map over rows that makes an array.
    fn fill(&mut self, stm: &Stm, map: Lambda, inputs: &[Var], space: usize) -> Lifted<()> {
        let (var, size, _) = self.made(stm)?;
        let rows = self.rows_of(size, space);
        let data = self.row_map(map, inputs, space, &rows)[0];
        self.homes.insert((var, space), Home::Row(data, rows.start));
        Ok(())
    }

    pub(super) fn replicate(
        &mut self,
        stm: &Stm,
        shape: &[Atom],
        value: Atom,
        space: usize,
    ) -> Lifted<()> {
        let (_, _, row) = self.made(stm)?;
        let mut b = Builder::new(self.vars);
        let body = b.body(|b| match shape.len() {
            1 => vec![value],
            _ => {
                let inner = Exp::Replicate(shape[1..].to_vec(), value);
                vec![b.typed("row", row.clone(), inner).into()]
            }
        });
        let map = Lambda { params: Vec::new(), body, ret: vec![row] };
        self.fill(stm, map, &[], space)
    }

    pub(super) fn copy(&mut self, stm: &Stm, array: Var, space: usize) -> Lifted<()> {
        let (_, _, row) = self.made(stm)?;
        let identity = self.identity(&[row]);
        self.fill(stm, identity, &[array], space)
    }

    /// Memory that is written later.
    pub(super) fn scratch(&mut self, stm: &Stm, space: usize) -> Lifted<()> {
        let (var, size, row) = self.made(stm)?;
        let rows = self.rows_of(size, space);
        let ty = array_of(&row, rows.total);
        let elem = ty.elem().or_bug("the elements of an array");
        let data = self.bind("all", ty.clone(), Exp::Scratch(elem, ty.shape().to_vec()));
        self.homes.insert((var, space), Home::Row(data, rows.start));
        Ok(())
    }

    /// Each position asks which array it is in.
    pub(super) fn concat(&mut self, stm: &Stm, arrays: &[Var], space: usize) -> Lifted<()> {
        let (_, size, row) = self.made(stm)?;
        let positions = self.positions(size, space);
        let sizes: Vec<Atom> = arrays.iter().map(|array| self.vars[*array].ty.shape()[0]).collect();
        let mut b = Builder::new(self.vars);
        let map = b.lambda(vec![("at".into(), Type::I64)], vec![row.clone()], |b, at| {
            vec![element_of(arrays, &sizes, at[0].into(), &row, b)]
        });
        self.fill(stm, map, &[positions], space)
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
fn element_of(arrays: &[Var], sizes: &[Atom], at: Atom, row: &Type, b: &mut Builder<'_>) -> Atom {
    let [array, rest @ ..] = arrays else { return at };
    let read = |b: &mut Builder<'_>, at: Atom| {
        let mut dims = vec![Dim::Fix(at)];
        dims.extend(row.shape().iter().map(|size| whole(*size)));
        b.typed("elem", row.clone(), Exp::Index(*array, dims)).into()
    };
    if rest.is_empty() {
        return read(b, at);
    }
    let here = b.exp("here", Exp::CmpOp(CmpOp::Lt, at, sizes[0]));
    let yes = b.body(|b| vec![read(b, at)]);
    let no = b.body(|b| {
        let beyond = b.exp("beyond", Exp::BinOp(BinOp::Sub, at, sizes[0]));
        vec![element_of(rest, &sizes[1..], beyond.into(), row, b)]
    });
    b.typed("elem", row.clone(), Exp::If(here.into(), Box::new([yes, no]))).into()
}

/// The type of truth values.
pub(super) const BOOL: Type = Type::Scalar(Elem::Prim(Prim::Bool));
