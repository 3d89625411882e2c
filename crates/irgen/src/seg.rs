//! Segs of every level: operators at the positions of spaces of up to three dimensions, after cheap code.

use crate::array::whole;
use crate::state::{Gen, MAX_ELEMENTS};
use fehu_base::Prim;
use fehu_base::bug::{OrBug, bug};
use fehu_ir::{
    Atom, BinOp, CmpOp, Elem, Exp, Hist, HistOp, Lambda, Level, Partition, Red, Scan, Scatter,
    Screma, Seg, Type, Var,
};

/// The most positions of a space.
const MAX_POSITIONS: i64 = 40;

/// What is decided about an operator before the function around it begins, for the sizes of its results come from there.
enum Plan {
    /// Scans and reductions of these types, and other results of a map.
    Screma {
        width: Atom,
        scans: Vec<Type>,
        reds: Vec<Type>,
        maps: Vec<Type>,
    },
    /// A map that updates the rows of what it is given.
    Rows(Type),
    /// Writes to an array of this type that is given.
    Scatter(Type),
    /// A histogram in an array of this type that is given.
    Hist(Type),
    Partition {
        width: Atom,
        classes: usize,
        rows: Vec<Type>,
    },
    /// A copy of an array from outside, or of what is given.
    Copy(Option<Var>, Type),
    Replicate(Type),
    Iota(Prim, Atom),
    Concat(Atom, Type),
}

/// An operator: what it binds, what it does, and which results the Seg returns.
struct Op {
    pat: Vec<Type>,
    exp: Exp,
    kept: Vec<bool>,
}

impl Gen<'_> {
    /// A Seg of a level that may stand here, if there is one.
    pub(crate) fn seg_stm(&mut self) {
        let levels: Vec<Level> =
            Level::ALL.iter().copied().filter(|level| level.within(self.level)).collect();
        let Some(level) = self.rng.pick(&levels) else { return };
        let space = self.space();
        let times = space.iter().fold(1i64, |times, size| times * self.bound(*size));
        if !self.affordable(times * 60) {
            return;
        }
        let plan = self.plan(times);
        let mut inputs = Vec::new();
        // The operator may consume its first input.
        let given = plan.given();
        if let Some(ty) = &given {
            let array = self.array_of(&outside(ty.clone(), &space));
            let input = if plan.consumes() { self.own(array) } else { array };
            if plan.consumes() {
                self.consume(input);
            }
            inputs.push(input);
        }
        for _ in 0..self.rng.below(3) {
            inputs.extend(self.element_input(&space, times));
        }
        let mut params = vec![Type::I64; space.len()];
        let rank = space.len();
        let element = |ty: &Type| match ty {
            Type::Array(elem, shape) => Type::array(*elem, shape[rank..].to_vec()),
            Type::Scalar(_) | Type::Acc(_) => ty.clone(),
        };
        params.extend(inputs.iter().map(|input| element(&self.vars[*input].ty)));
        let outer = self.level.replace(level);
        let mut ret = Vec::new();
        let mut body = self.lambda(times, &params, Vec::new(), |g, params| {
            let given = given.as_ref().map(|_| params[rank]);
            if let Some(given) = given.filter(|_| plan.consumes()) {
                g.consume(given);
            }
            for _ in 0..g.rng.below(4) {
                g.cheap_stm();
            }
            let op = g.operation(&plan, given);
            let pat: Vec<Var> = op.pat.iter().map(|ty| g.var("q", ty.clone())).collect();
            g.stm(pat.clone(), op.exp);
            let mut results = Vec::new();
            for ((var, ty), kept) in pat.into_iter().zip(op.pat).zip(op.kept) {
                if kept {
                    results.push(Atom::Var(var));
                    ret.push(ty);
                }
            }
            results
        });
        body.ret = ret.clone();
        self.level = outer;
        let pat: Vec<Var> =
            ret.iter().map(|ty| self.var("sg", outside(ty.clone(), &space))).collect();
        for var in &pat {
            self.set_fresh(*var);
        }
        let lanes = matches!(level, Level::Task | Level::Thread) && self.rng.below(2) == 0;
        let seg = Seg { level, space, rows: None, inputs, body, tiling: None, lanes };
        self.stm(pat.clone(), Exp::Seg(Box::new(seg)));
        if let Plan::Partition { classes, .. } = plan {
            // What stands behind the classes is not looked at.
            pat[pat.len().min(classes)..].iter().for_each(|var| self.consume(*var));
        }
    }

    /// Up to three sizes, of not too many positions.
    fn space(&mut self) -> Vec<Atom> {
        let mut space = Vec::new();
        let mut times = 1i64;
        for _ in 0..self.rng.below(4) {
            let size = self.size();
            let size = match times.saturating_mul(self.bound(size)) > MAX_POSITIONS {
                true => Atom::i64(self.rng.range(1, 2)),
                false => size,
            };
            times = times.saturating_mul(self.bound(size));
            space.push(size);
        }
        space
    }

    /// A size such that arrays of it at all positions are not too large.
    fn width(&mut self, times: i64) -> Atom {
        let size = self.size();
        if times.saturating_mul(self.bound(size)) <= MAX_ELEMENTS { size } else { Atom::i64(2) }
    }

    /// The type of elements, small enough for so many of them.
    fn small_type(&mut self, times: i64) -> Type {
        let ty = self.any_type();
        let small = ty.rank() < 2 && self.elements(&ty).saturating_mul(times) <= MAX_ELEMENTS;
        if small { ty } else { Type::prim(self.prim()) }
    }

    fn plan(&mut self, times: i64) -> Plan {
        let width = self.width(times);
        let inside = times.saturating_mul(self.bound(width));
        match self.rng.below(14) {
            0..5 => {
                let mut ops = [Vec::new(), Vec::new()];
                for op in &mut ops {
                    for _ in 0..self.rng.below(3) {
                        let vector = self.rng.chance(20);
                        let shape = if vector { vec![Atom::i64(2)] } else { Vec::new() };
                        op.push(Type::array(self.exact_prim().into(), shape));
                    }
                }
                let [scans, reds] = ops;
                let nothing = usize::from(scans.is_empty() && reds.is_empty());
                let count = nothing + self.rng.below(3);
                let maps = (0..count).map(|_| self.small_type(inside)).collect();
                Plan::Screma { width, scans, reds, maps }
            }
            5 => Plan::Rows(Type::Array(self.prim().into(), vec![width, Atom::i64(2)])),
            6 => Plan::Scatter(outside(self.small_type(inside), &[width])),
            7 => Plan::Hist(Type::Array(self.exact_prim().into(), vec![width])),
            8 => {
                let rows = (0..1 + self.rng.below(2)).map(|_| self.small_type(inside)).collect();
                Plan::Partition { width, classes: 1 + self.rng.below(2), rows }
            }
            9 => {
                let limit = |g: &Self, ty: &Type| g.elements(ty).saturating_mul(times);
                match self.pick(|ty| ty.is_array() && ty.rank() < 3) {
                    Some(array) if limit(self, &self.vars[array].ty) <= MAX_ELEMENTS => {
                        Plan::Copy(Some(array), self.vars[array].ty.clone())
                    }
                    _ => Plan::Copy(None, outside(self.small_type(inside), &[width])),
                }
            }
            10 => Plan::Copy(None, outside(self.small_type(inside), &[width])),
            11 => Plan::Replicate(outside(self.small_type(inside), &[width])),
            12 => Plan::Iota(self.integer(), width),
            _ => match (width, inside * 2 <= MAX_ELEMENTS) {
                (Atom::Const(fehu_ir::Scalar::I64(known)), true) => {
                    let half = Type::Array(self.prim().into(), vec![width]);
                    Plan::Concat(Atom::i64(known * 2), half)
                }
                _ => Plan::Replicate(outside(self.small_type(inside), &[width])),
            },
        }
    }

    /// An array with elements at all positions.
    fn element_input(&mut self, space: &[Atom], times: i64) -> Option<Var> {
        let rank = space.len();
        let fits = |ty: &Type| {
            ty.is_array() && ty.rank() >= rank.max(1) && ty.shape()[..rank] == space[..]
        };
        if self.rng.chance(60)
            && let Some(array) = self.pick(fits)
        {
            return Some(array);
        }
        let ty = outside(self.small_type(times), space);
        ty.is_array().then(|| self.array_of(&ty))
    }

    /// A statement that may stand before the operator.
    fn cheap_stm(&mut self) {
        match self.rng.below(8) {
            0..3 => {
                let prim = self.integer();
                let (a, b) = (self.scalar(prim), self.scalar(prim));
                let ops = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Max, BinOp::Xor];
                let op = ops[self.rng.below(ops.len())];
                self.exp("ch", Exp::BinOp(op, a, b));
            }
            3 => {
                let (from, to) = (self.prim(), self.prim());
                let a = self.scalar(from);
                self.exp("ch", Exp::Convert(to, a));
            }
            4 | 5 => {
                let array = self.any_array();
                self.element(array);
            }
            6 => {
                let array = self.any_array();
                let shape = self.vars[array].ty.shape().to_vec();
                self.shared(array);
                if self.rng.chance(50) {
                    let perm = (0..shape.len()).rev().collect();
                    self.exp("ch", Exp::Rearrange(array, perm));
                } else {
                    self.exp("ch", Exp::Index(array, vec![whole(shape[0])]));
                }
            }
            _ => {
                let prim = self.integer();
                let (a, b) = (self.scalar(prim), self.scalar(prim));
                let cond = self.exp("ch", Exp::CmpOp(CmpOp::Lt, a, b));
                let yes = self.body(|g| vec![g.exp("ch", Exp::BinOp(BinOp::Sub, b, a)).into()]);
                let no = fehu_ir::Body::of(vec![a]);
                let exp = Exp::If(cond.into(), Box::new([yes, no]));
                self.typed("ch", Type::prim(prim), exp);
            }
        }
    }

    /// Arrays of this outermost size. What is made for them is cheap.
    fn arrays_of_width(&mut self, width: Atom) -> Vec<Var> {
        let same = move |ty: &Type| {
            ty.is_array() && ty.shape()[0] == width && ty.elem() != Some(Elem::Unit)
        };
        let mut inputs = Vec::new();
        for _ in 0..self.rng.below(3) {
            inputs.push(match self.pick(same) {
                Some(array) if self.rng.chance(70) => array,
                _ => {
                    let prim = self.prim();
                    self.array_of(&Type::Array(prim.into(), vec![width]))
                }
            });
        }
        inputs
    }

    /// The function of the operator, in which there may be further Segs.
    fn function(&mut self, width: Atom, params: &[Type], ret: Vec<Type>) -> Lambda {
        let (times, types) = (self.bound(width), ret.clone());
        self.lambda(times, params, ret, |g, _| {
            if g.depth < 5 && g.rng.chance(40) {
                g.seg_stm();
            }
            g.random_results(&types)
        })
    }

    /// The operator, and cheap statements for what it needs.
    fn operation(&mut self, plan: &Plan, given: Option<Var>) -> Op {
        match plan {
            Plan::Screma { width, scans, reds, maps } => {
                let inputs = self.arrays_of_width(*width);
                let fold = |g: &mut Self, ty: &Type| {
                    let (op, neutral) = g.exact_op(prim_of(ty));
                    g.operator(ty, op, neutral, 0)
                };
                let scan_ops: Vec<Scan> = scans
                    .iter()
                    .map(|ty| fold(self, ty))
                    .map(|(op, neutral)| Scan { op, neutral: vec![neutral] })
                    .collect();
                let red_ops: Vec<Red> = reds
                    .iter()
                    .map(|ty| fold(self, ty))
                    .map(|(op, neutral)| Red { op, neutral: vec![neutral], commutative: false })
                    .collect();
                let rows = self.rows(&inputs);
                let ret = [&scans[..], reds, maps].concat();
                let map = self.function(*width, &rows, ret);
                let row = |ty: &Type| outside(ty.clone(), &[*width]);
                let pat: Vec<Type> = scans
                    .iter()
                    .map(row)
                    .chain(reds.iter().cloned())
                    .chain(maps.iter().map(row))
                    .collect();
                // Scalars may be left out, if something is kept.
                let mut kept: Vec<bool> =
                    pat.iter().map(|ty| ty.is_array() || !self.rng.chance(20)).collect();
                if !kept.contains(&true) {
                    kept[0] = true;
                }
                let op = Screma { width: *width, inputs, map, scans: scan_ops, reds: red_ops };
                Op { pat, exp: Exp::Screma(Box::new(op)), kept }
            }
            Plan::Rows(ty) => {
                let own = vec![given.or_bug("array whose rows are updated")];
                let (width, rows) = (ty.shape()[0], self.rows(&own));
                let times = self.bound(width);
                let map = self.lambda(times, &rows, rows.clone(), |g, params| {
                    g.set_fresh(params[0]);
                    let count = g.rng.below(3);
                    g.statements(count);
                    let row = match g.is_own(params[0]) {
                        true => g.update_own(params[0]),
                        false => g.new_array(&rows[0].clone()),
                    };
                    vec![row.into()]
                });
                let (scans, reds) = (Vec::new(), Vec::new());
                let op = Screma { width, inputs: own, map, scans, reds };
                Op::of(ty, Exp::Screma(Box::new(op)))
            }
            Plan::Scatter(ty) => {
                let row = ty.row().unwrap_or(Type::CERT);
                let width = self.width(1);
                let (zero, one) = (Atom::i64(0), Atom::i64(1));
                let positions = self.exp("pos", Exp::Iota(Prim::I64, width, zero, one));
                let offset = Atom::i64(self.rng.range(-2, 2));
                let (times, ret) = (self.bound(width), vec![Type::I64, row.clone()]);
                let map = self.lambda(times, &[Type::I64], ret, |g, params| {
                    let index = g.exp("j", Exp::BinOp(BinOp::Add, params[0].into(), offset));
                    let mut results = vec![index.into()];
                    results.extend(g.random_results(std::slice::from_ref(&row)));
                    results
                });
                let dest = given.or_bug("destination of a scatter");
                let dests = vec![(vec![ty.shape()[0]], dest)];
                let op = Scatter { width, inputs: vec![positions], map, dests };
                Op::of(ty, Exp::Scatter(Box::new(op)))
            }
            Plan::Hist(ty) => {
                let width = self.width(1);
                let inputs = self.arrays_of_width(width);
                let elem = Type::Scalar(ty.elem().unwrap_or(Elem::Unit));
                let (op, neutral) = self.exact_op(prim_of(ty));
                let (op, neutral) = self.operator(&elem, op, neutral, 0);
                let rows = self.rows(&inputs);
                let map = self.function(width, &rows, vec![Type::I64, elem]);
                let ops = vec![HistOp {
                    shape: vec![ty.shape()[0]],
                    race_factor: Atom::i64(1),
                    dests: vec![given.or_bug("destination of a histogram")],
                    op,
                    neutral: vec![neutral],
                }];
                Op::of(ty, Exp::Hist(Box::new(Hist { width, inputs, map, ops })))
            }
            Plan::Partition { width, classes, rows } => {
                let inputs = self.arrays_of_width(*width);
                let params = self.rows(&inputs);
                let ret = [&[Type::I64], &rows[..]].concat();
                let (times, types) = (self.bound(*width), ret.clone());
                let map = self.lambda(times, &params, ret, |g, _| {
                    let mut values = g.random_results(&types);
                    let count = Atom::i64(*classes as i64 + 1);
                    values[0] = g.exp("class", Exp::BinOp(BinOp::Mod, values[0], count)).into();
                    values
                });
                let mut pat = vec![Type::I64; *classes];
                pat.extend(rows.iter().map(|ty| outside(ty.clone(), &[*width])));
                let op = Partition { width: *width, classes: *classes, inputs, map };
                let kept = vec![true; pat.len()];
                Op { pat, exp: Exp::Partition(Box::new(op)), kept }
            }
            Plan::Copy(source, ty) => {
                let array = source.or(given).or_bug("array to be copied");
                match self.rng.chance(50) {
                    true => Op::of(ty, Exp::Copy(array)),
                    false => Op::of(ty, Exp::Manifest(array)),
                }
            }
            Plan::Replicate(ty) => {
                let inner = ty.row().unwrap_or(Type::CERT);
                let value = self.value(&inner);
                Op::of(ty, Exp::Replicate(vec![ty.shape()[0]], value))
            }
            Plan::Iota(prim, width) => {
                let (start, step) = (self.scalar(*prim), Atom::Const(self.constant(*prim)));
                let ty = Type::Array((*prim).into(), vec![*width]);
                Op::of(&ty, Exp::Iota(*prim, *width, start, step))
            }
            Plan::Concat(total, half) => {
                let arrays = vec![self.array_of(half), self.array_of(half)];
                let ty = Type::Array(half.elem().unwrap_or(Elem::Unit), vec![*total]);
                Op::of(&ty, Exp::Concat(*total, arrays))
            }
        }
    }
}

impl Plan {
    /// The type of the first input's elements, if the operator needs one.
    fn given(&self) -> Option<Type> {
        match self {
            Plan::Rows(ty) | Plan::Scatter(ty) | Plan::Hist(ty) | Plan::Copy(None, ty) => {
                Some(ty.clone())
            }
            Plan::Screma { .. }
            | Plan::Partition { .. }
            | Plan::Copy(Some(_), _)
            | Plan::Replicate(_)
            | Plan::Iota(..)
            | Plan::Concat(..) => None,
        }
    }

    /// Whether the operator consumes it.
    fn consumes(&self) -> bool {
        matches!(self, Plan::Rows(_) | Plan::Scatter(_) | Plan::Hist(_))
    }
}

impl Op {
    /// An operator with one result, an array.
    fn of(ty: &Type, exp: Exp) -> Op {
        Op { pat: vec![ty.clone()], exp, kept: vec![true] }
    }
}

/// Arrays of such things at all positions.
fn outside(ty: Type, space: &[Atom]) -> Type {
    space.iter().rev().fold(ty, |ty, size| ty.array_of(*size).unwrap_or(ty))
}

/// The type of the numbers of what operators combine.
fn prim_of(ty: &Type) -> Prim {
    match ty.elem() {
        Some(Elem::Prim(prim)) => prim,
        Some(Elem::Unit) | None => bug("nothing is combined"),
    }
}
