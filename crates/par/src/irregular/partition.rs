//! Filters and partitions of rows.
//!
//! ```text
//! (a, b, c, ys) = partition m (xs) 3 f
//! ==>
//! (a, b) = seg rows { reduce: how many elements of xs have class 0 and class 1 }
//! c = m - (a + b)
//! ys = withacc scratch {
//!   seg rows {
//!     (p, q, f, g, x) = screma m (xs): scan: how many elements up to each have class 0 and class 1; whether each has
//!     screma m (p, q, f, g, x, iota m): write x to the place that follows from these and the position
//!   }
//! }
//! ```
//!
//! The second operator is the epilogue of the scan, so that nothing is stored but the elements in their new order. If
//! there is one class, it begins at the start of the row, and the scan counts as well. If the function is not short, a
//! map stores classes and elements first, so that it is executed once.

use super::space::{Home, RowsOf, array_of};
use super::{Irregular, Lifted, stays};
use fehu_base::{OrBug, Prim, bug};
use fehu_facts::cost::is_repeatable;
use fehu_ir::builder::Builder;
use fehu_ir::{
    AccInput, Atom, BinOp, Body, CmpOp, Exp, Lambda, Partition, Red, Scalar, Scan, Screma, Stm,
    Type, Var, VarInfo,
};

/// Classes and elements of positions.
struct Classified {
    /// What yields them: the class first, and then the elements that it has.
    inputs: Vec<Var>,
    map: Lambda,
    /// Arrays of the other elements.
    elements: Vec<Var>,
    /// How many classes are counted, and whether the last one has all other elements.
    counted: usize,
    has_rest: bool,
}

impl Irregular<'_> {
    pub(super) fn partition(&mut self, stm: &Stm, op: &Partition, space: usize) -> Lifted<()> {
        if self.has_parts(&op.map) {
            return self.after_map(stm, space);
        }
        if !self.has_regular_elements(stm, op.classes) {
            return Err(stays("it writes rows whose sizes differ", stm));
        }
        let (counts, arrays) = stm.pat.split_at(op.classes);
        let mut stms = Vec::new();
        let made = self.classified(stm, op, &mut stms);
        // Where the elements of each class start.
        let mut starts = vec![Atom::i64(0)];
        let counts_first = op.classes > 1 || arrays.is_empty();
        if counts_first {
            stms.push(self.counts(stm, op.width, &made, counts));
            for count in &counts[..op.classes - 1] {
                let start = self.local("start", Type::I64);
                let exp = Exp::BinOp(BinOp::Add, starts[starts.len() - 1], (*count).into());
                stms.push(Stm::new(vec![start], exp));
                starts.push(start.into());
            }
            if made.has_rest {
                let exp = Exp::BinOp(BinOp::Sub, op.width, starts[made.counted]);
                stms.push(Stm::new(vec![counts[made.counted]], exp));
            }
        }
        let needed = counts.iter().filter(|_| counts_first).chain(&made.inputs);
        let needed = needed.chain(&made.elements).copied().map(Atom::Var);
        let results = needed.chain(starts.iter().copied()).collect();
        self.body(&Body { stms, results }, space)?;
        if !arrays.is_empty() {
            let count = counts.first().copied().filter(|_| !counts_first);
            self.reordered(stm, op, &made, &starts, count, space);
        }
        Ok(())
    }

    /// What yields classes and elements: the function, or arrays with its results.
    fn classified(&mut self, stm: &Stm, op: &Partition, stms: &mut Vec<Stm>) -> Classified {
        let [class, ..] = op.map.body.results.as_slice() else {
            bug("a partition without classes")
        };
        let bounds = bounds(&op.map.body, *class);
        let last = op.classes as i64 - 1;
        let has_rest = last > 0 && bounds.is_some_and(|[low, high]| 0 <= low && high <= last);
        let counted = if has_rest { op.classes - 1 } else { op.classes };
        let scalars = op.map.ret.iter().all(|ty| matches!(ty, Type::Scalar(_)));
        if scalars && is_repeatable(&op.map.body) {
            let (inputs, map) = (op.inputs.clone(), op.map.clone());
            return Classified { inputs, map, elements: Vec::new(), counted, has_rest };
        }
        let is_small =
            |[low, high]: [i64; 2]| i8::try_from(low).is_ok() && i8::try_from(high).is_ok();
        let prim = if bounds.is_some_and(is_small) { Prim::I8 } else { Prim::I64 };
        let mut map = op.map.clone();
        let mut b = Builder::new(self.vars);
        let narrow = b.body(|b| vec![b.exp("class", Exp::Convert(prim, *class)).into()]);
        map.body.stms.extend(narrow.stms);
        // What the function only passes on is to be found where it was.
        let (mut results, mut ret) = (narrow.results, vec![Type::Scalar(prim.into())]);
        let mut pat = vec![self.local("classes", array_of(&ret[0], op.width))];
        let mut elements = Vec::with_capacity(op.map.ret.len());
        for (result, ty) in op.map.body.results.iter().zip(&op.map.ret).skip(1) {
            let given = op.map.params.iter().position(|param| Atom::Var(*param) == *result);
            if let Some(given) = given {
                elements.push(op.inputs[given]);
                continue;
            }
            let array = self.local("elems", array_of(ty, op.width));
            elements.push(array);
            pat.push(array);
            results.push(*result);
            ret.push(ty.clone());
        }
        (map.body.results, map.ret) = (results, ret);
        let (inputs, (scans, reds)) = (op.inputs.clone(), (Vec::new(), Vec::new()));
        let screma = Screma { width: op.width, inputs, map, scans, reds };
        stms.push(Stm { pat: pat.clone(), exp: Exp::Screma(Box::new(screma)), ..stm.clone() });
        let mut b = Builder::new(self.vars);
        let params = vec![("class".into(), Type::Scalar(prim.into()))];
        let map = b.lambda(params, vec![Type::I64], |b, class| {
            vec![b.exp("class", Exp::Convert(Prim::I64, class[0].into())).into()]
        });
        pat.truncate(1);
        Classified { inputs: pat, map, elements, counted, has_rest }
    }

    /// The function that yields, for each class that is counted, whether an element has it; so many times, and then the elements.
    fn flags(&mut self, made: &Classified, times: usize) -> Lambda {
        let mut map = made.map.clone();
        let class = map.body.results[0];
        let mut b = Builder::new(self.vars);
        let flags = b.body(|b| {
            let flag = |k: usize| {
                let is = b.exp("is", Exp::CmpOp(CmpOp::Eq, class, Atom::i64(k as i64)));
                b.exp("flag", Exp::Convert(Prim::I64, is.into())).into()
            };
            (0..made.counted).map(flag).collect()
        });
        map.body.stms.extend(flags.stms);
        // In the place of the class.
        let flags = flags.results.repeat(times);
        map.ret.splice(0..1, vec![Type::I64; flags.len()]);
        map.body.results.splice(0..1, flags);
        map
    }

    fn sums(&mut self, count: usize) -> Vec<Red> {
        let red = |this: &mut Self| {
            let op = this.operator(BinOp::Add);
            Red { op, neutral: vec![Atom::i64(0)], commutative: true }
        };
        (0..count).map(|_| red(self)).collect()
    }

    /// How many elements of each class there are.
    fn counts(&mut self, stm: &Stm, width: Atom, made: &Classified, counts: &[Var]) -> Stm {
        let mut map = self.flags(made, 1);
        map.body.results.truncate(made.counted);
        map.ret.truncate(made.counted);
        let (inputs, scans, reds) = (made.inputs.clone(), Vec::new(), self.sums(made.counted));
        let exp = Exp::Screma(Box::new(Screma { width, inputs, map, scans, reds }));
        Stm { pat: counts[..made.counted].to_vec(), exp, ..stm.clone() }
    }

    /// The elements in their new order. If the number of the elements is not known, it is found out, too.
    fn reordered(
        &mut self,
        stm: &Stm,
        op: &Partition,
        made: &Classified,
        starts: &[Atom],
        count: Option<Var>,
        space: usize,
    ) {
        let rows = self.rows_of(op.width, space);
        let width = Atom::Var(rows.width);
        let arrays = &stm.pat[op.classes..];

        let times = 2 + usize::from(count.is_some());
        let map = self.flags(made, times);
        let scan =
            |this: &mut Self| Scan { op: this.operator(BinOp::Add), neutral: vec![0.into()] };
        let scans = (0..made.counted).map(|_| scan(self)).collect();
        let reds = if count.is_some() { self.sums(made.counted) } else { Vec::new() };
        let inputs = self.as_wide(&made.inputs, space, &rows);
        let screma = Screma { width, inputs, map, scans, reds };
        self.note_reads(&screma, space);
        let mut pat = Vec::with_capacity(screma.map.ret.len());
        for (k, ty) in screma.map.ret.clone().iter().enumerate() {
            let is_sum = (screma.scanned()..screma.folded()).contains(&k);
            let ty = if is_sum { ty.clone() } else { array_of(ty, width) };
            pat.push(self.local("place", ty));
        }
        let (scanned, folded) = (screma.scanned(), screma.folded());
        let scan = Stm { pat: pat.clone(), exp: Exp::Screma(Box::new(screma)), ..stm.clone() };

        // One accumulator for the arrays of all rows.
        let cert = self.vars.push(VarInfo { hint: "cert".into(), ty: Type::CERT });
        let ty = Type::Acc(cert);
        let acc = self.vars.push(VarInfo { hint: "acc".into(), ty: ty.clone() });
        self.accs.insert(cert, acc);
        let given = self.local("acc", ty.clone());
        let written = self.local("acc", ty.clone());
        let positions = self.positions(width, space);
        let map = self.placing(op, made, starts, &rows, cert);
        let elements = self.as_wide(&made.elements, space, &rows);
        let places = [&pat[..scanned], &pat[folded..]].concat();
        let inputs = [places, elements, vec![positions, given]].concat();
        let (scans, reds) = (Vec::new(), Vec::new());
        let epilogue = Exp::Screma(Box::new(Screma { width, inputs, map, scans, reds }));
        let epilogue = Stm { pat: vec![written], exp: epilogue, ..stm.clone() };
        let results = [&pat[scanned..folded], &[written]].concat();
        let bound = self.row_seg_with(vec![scan, epilogue], &results, space, &rows);
        let seg = self.out.pop().or_bug("the operator of rows");
        self.accs.remove(&cert);

        let (acc_out, counts) = bound.split_last().or_bug("an accumulator");
        let mut body = Body { stms: vec![seg], results: vec![(*acc_out).into()] };
        body.results.extend(counts.iter().map(|var| Atom::Var(*var)));
        let mut ret = vec![ty];
        ret.extend(counts.iter().map(|var| self.vars[*var].ty.clone()));
        let lambda = Lambda { params: vec![cert, acc], body, ret };
        let (mut dests, mut pat) = (Vec::new(), Vec::new());
        for (array, elem) in arrays.iter().zip(&op.map.ret[1..]) {
            let ty = array_of(elem, rows.total);
            let of = ty.elem().or_bug("the elements of an array");
            dests.push(self.bind("all", ty.clone(), Exp::Scratch(of, ty.shape().to_vec())));
            let all = self.vars.push(VarInfo { hint: "all".into(), ty });
            self.homes.insert((*array, space), Home::Row(all, rows.start));
            pat.push(all);
        }
        for var in counts {
            let all = self.vars.push(self.vars[*var].clone());
            let count = count.or_bug("the number of elements");
            self.homes.insert((count, space), Home::Stored(all));
            pat.push(all);
        }
        let input = AccInput { shape: vec![rows.total], arrays: dests, op: None };
        let exp = Exp::WithAcc(vec![input], Box::new(lambda));
        self.out.push(Stm { loc: stm.loc.clone(), ..Stm::new(pat, exp) });
    }

    /// The function that writes an element: of how many elements of each class there are up to it, whether it has the
    /// class, what it consists of, its position, and the accumulator.
    fn placing(
        &mut self,
        op: &Partition,
        made: &Classified,
        starts: &[Atom],
        rows: &RowsOf,
        cert: Var,
    ) -> Lambda {
        let elements = &op.map.ret[1..];
        let mut params = vec![("place".into(), Type::I64); 2 * made.counted];
        params.extend(elements.iter().map(|ty| ("elem".into(), ty.clone())));
        params.extend([("at".into(), Type::I64), ("acc".into(), Type::Acc(cert))]);
        let mut b = Builder::new(self.vars);
        b.lambda(params, vec![Type::Acc(cert)], |b, params| {
            let (places, rest) = params.split_at(made.counted);
            let (flags, rest) = rest.split_at(made.counted);
            let (elements, [at, acc]) = rest.split_at(rest.len() - 2) else {
                bug("the parameters of a function")
            };
            let add = |b: &mut Builder<'_>, x: Atom, y: Atom| -> Atom {
                b.exp("at", Exp::BinOp(BinOp::Add, x, y)).into()
            };
            let mut place: Body = if made.has_rest {
                // What is no element of the classes before.
                b.body(|b| {
                    let mut others: Atom = (*at).into();
                    for place in places {
                        others =
                            b.exp("at", Exp::BinOp(BinOp::Sub, others, (*place).into())).into();
                    }
                    let first = add(b, rows.start.into(), starts[made.counted]);
                    vec![add(b, first, others)]
                })
            } else {
                Body::of(vec![Atom::i64(-1)])
            };
            for (k, count) in places.iter().enumerate().rev() {
                let otherwise = place;
                place = b.body(|b| {
                    let is = b.exp("is", Exp::CmpOp(CmpOp::Eq, flags[k].into(), Atom::i64(1)));
                    let here = b.body(|b| {
                        let first = add(b, rows.start.into(), starts[k]);
                        let after = add(b, first, (*count).into());
                        vec![b.exp("at", Exp::BinOp(BinOp::Sub, after, Atom::i64(1))).into()]
                    });
                    let exp = Exp::If(is.into(), Box::new([here, otherwise]));
                    vec![b.typed("at", Type::I64, exp).into()]
                });
            }
            let at = place.results[0];
            place.stms.into_iter().for_each(|stm| b.push(stm));
            let values = elements.iter().map(|elem| Atom::Var(*elem)).collect();
            let exp = Exp::UpdateAcc(*acc, vec![at], values);
            vec![b.typed("acc", Type::Acc(cert), exp).into()]
        })
    }
}

/// The least and the greatest value that a result of a body can have, if it is chosen from constants.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing is known about the others")]
fn bounds(body: &Body, atom: Atom) -> Option<[i64; 2]> {
    let var = match atom {
        Atom::Const(Scalar::I64(value)) => return Some([value, value]),
        Atom::Const(_) => return None,
        Atom::Var(var) => var,
    };
    let stm = body.stms.iter().find(|stm| stm.pat.contains(&var))?;
    let number = stm.pat.iter().position(|bound| *bound == var)?;
    let of = |body: &Body| bounds(body, *body.results.get(number)?);
    match &stm.exp {
        Exp::If(_, bodies) => {
            let [[a, b], [c, d]] = [of(&bodies[0])?, of(&bodies[1])?];
            Some([a.min(c), b.max(d)])
        }
        Exp::Atom(atom) => bounds(body, *atom),
        _ => None,
    }
}
