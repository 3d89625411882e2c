//! The peak: which blocks of a function exist at the same time, and how large they are together.
//!
//! Goes through the code of the host with the moments at which blocks begin and end ([`crate::lifetimes`]), and adds up
//! what exists. Sizes are polynomials in the sizes of the program, so that there may be several moments of which none
//! is the worst for all arguments.
//!
//! What is counted is an upper bound: an array that a branch or loop carries on may be in a block that exists anyway.
//! Blocks of the functions of operators are counted once, as for one thread, from the operator on, because handles in
//! them are kept; those whose sizes are only known there are not counted, nor is what a foreign or recursive function
//! allocates, which [`Peak::more`] says.

use crate::arith::{self, is_at_most, product_of};
use crate::table::{BlockId, Moment, Origin, Placed, Table, poly};
use fehu_base::IdVec;
use fehu_facts::poly::Poly;
use fehu_ir::free::bound_in_body;
use fehu_ir::{Atom, Body, Exp, FunId, Item, Loc, Stm, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// The worst moments of a function.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Peak {
    /// None of them has certainly less memory in use than another.
    pub moments: Vec<Worst>,
    /// Whether there is memory besides whose size is not known.
    pub more: bool,
}

/// A moment.
#[derive(Clone, PartialEq, Debug)]
pub struct Worst {
    /// The statement, by its place in the source.
    pub loc: Option<Loc>,
    /// The blocks that exist.
    pub blocks: Vec<BlockId>,
    /// Their sizes together, in bytes.
    pub bytes: Poly,
}

/// At most so many moments are kept.
const MAX_MOMENTS: usize = 4;

/// The peak of a function, with what it calls.
pub fn peak(placed: &Placed, fun: FunId) -> Peak {
    Peaks { placed, known: FxHashMap::default() }.function(fun)
}

struct Peaks<'a> {
    placed: &'a Placed,
    /// The peaks of functions; none while they are being computed.
    known: FxHashMap<FunId, Option<Peak>>,
}

impl<'a> Peaks<'a> {
    fn function(&mut self, id: FunId) -> Peak {
        match self.known.get(&id) {
            Some(Some(peak)) => return peak.clone(),
            Some(None) => return Peak { moments: Vec::new(), more: true },
            None => self.known.insert(id, None),
        };
        let fun = &self.placed.prog.funs[id];
        let table = &self.placed.funs[id];
        let vars = self.placed.prog.vars(Item::Fun(id));
        let mut made: FxHashMap<Var, Vec<BlockId>> = FxHashMap::default();
        for (id, block) in table.blocks.iter() {
            if let Origin::Fresh { before, .. } = &block.origin {
                made.entry(*before).or_default().push(id);
            }
        }
        let (live, peak) = (Vec::new(), Peak::default());
        let mut walk = Walk { all: self, vars, table, made, live, loc: None, peak };
        let params: Vec<Var> = fun.params.iter().map(|param| param.var).collect();
        walk.begin_carried(&params);
        walk.record(None);
        walk.body(&fun.body);
        let peak = walk.peak;
        self.known.insert(id, Some(peak.clone()));
        peak
    }
}

struct Walk<'a, 'p> {
    all: &'p mut Peaks<'a>,
    vars: &'a IdVec<Var, VarInfo>,
    table: &'a Table,
    /// The blocks that are allocated before the statement that binds a variable.
    made: FxHashMap<Var, Vec<BlockId>>,
    /// The blocks that exist.
    live: Vec<BlockId>,
    loc: Option<Loc>,
    peak: Peak,
}

impl<'a> Walk<'a, '_> {
    fn body(&mut self, body: &'a Body) {
        for stm in &body.stms {
            let around = self.loc.clone();
            if stm.loc.is_some() {
                self.loc.clone_from(&stm.loc);
            }
            self.stm(stm);
            self.end(&stm.pat, Moment::After);
            self.loc = around;
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others have only functions of operators"
    )]
    fn stm(&mut self, stm: &'a Stm) {
        for var in &stm.pat {
            self.made
                .get(var)
                .cloned()
                .unwrap_or_default()
                .into_iter()
                .for_each(|id| self.begin(id));
        }
        match &stm.exp {
            Exp::If(_, bodies) => self.branches(stm, bodies.iter()),
            Exp::Switch(_, switch) => {
                let cases = switch.cases.iter().map(|(_, body)| body);
                self.branches(stm, cases.chain([&switch.default]));
            }
            Exp::Loop(params, _, body) => {
                let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
                self.begin_carried(&vars);
                self.end(&stm.pat, |var| Moment::Entry(var, 0));
                self.body(body);
                self.end(&stm.pat, |var| Moment::Exit(var, 0));
            }
            Exp::Call(fun, args) => {
                self.call(*fun, args);
                self.begin_carried(&stm.pat);
            }
            exp => exp.for_each_body(&mut |body| self.inside(body)),
        }
        self.record(None);
    }

    fn branches<'b>(&mut self, stm: &'a Stm, bodies: impl Iterator<Item = &'a Body>)
    where
        'a: 'b,
    {
        let before = self.live.clone();
        let mut after = before.clone();
        for (number, body) in bodies.enumerate() {
            self.live.clone_from(&before);
            self.end(&stm.pat, |var| Moment::Entry(var, number));
            self.body(body);
            self.end(&stm.pat, |var| Moment::Exit(var, number));
            after.retain(|block| self.live.contains(block) || !before.contains(block));
            for block in &self.live {
                if !before.contains(block) && !after.contains(block) {
                    after.push(*block);
                }
            }
        }
        self.live = after;
        self.begin_carried(&stm.pat);
    }

    /// The blocks in the function of an operator.
    fn inside(&mut self, body: &Body) {
        let bound: FxHashSet<Var> = bound_in_body(body).into_iter().collect();
        let made = bound_in_body(body).into_iter().filter_map(|var| self.made.get(&var)).flatten();
        for id in made.copied().collect::<Vec<BlockId>>() {
            match self.size(id) {
                Some(size) if !size.vars().iter().any(|var| bound.contains(var)) => self.begin(id),
                _ => self.peak.more |= self.table.local_size(id).is_none(),
            }
        }
    }

    /// What a function that is called needs besides its arguments.
    fn call(&mut self, fun: FunId, args: &[Atom]) {
        let callee = &self.all.placed.prog.funs[fun];
        if callee.foreign.is_some() {
            self.peak.more = true;
            return;
        }
        let peak = self.all.function(fun);
        self.peak.more |= peak.more;
        let params: Vec<Var> = callee.params.iter().map(|param| param.var).collect();
        let table = &self.all.placed.funs[fun];
        let vars = &callee.vars;
        let given: Option<Poly> = params
            .iter()
            .filter_map(|param| table.place(*param))
            .map(|place| size_of(vars, table, place.block))
            .try_fold(Poly::default(), |sum, size| sum.add(&size?));
        for worst in peak.moments {
            let own = given.as_ref().and_then(|given| worst.bytes.sub(given));
            let sizes = |var: Var| {
                let number = params.iter().position(|param| *param == var)?;
                Some(poly(args[number]))
            };
            let is_known = |poly: &Poly| poly.vars().iter().all(|var| params.contains(var));
            let here = own.filter(is_known).and_then(|own| arith::substitute(&own, &sizes));
            match here {
                Some(more) => self.record(Some(&more)),
                None => self.peak.more = true,
            }
        }
    }

    fn begin(&mut self, block: BlockId) {
        if self.table.local_size(block).is_none() && !self.live.contains(&block) {
            self.live.push(block);
        }
    }

    /// The blocks that come with variables.
    fn begin_carried(&mut self, vars: &[Var]) {
        for var in vars {
            let Some(place) = self.table.place(*var) else { continue };
            if self.table.blocks[place.block].origin == Origin::Carried(*var) {
                self.begin(place.block);
            }
        }
    }

    fn end(&mut self, pat: &[Var], moment: impl FnOnce(Var) -> Moment) {
        let Some(var) = pat.first() else { return };
        let Some(ends) = self.table.ends.get(&moment(*var)) else { return };
        self.live.retain(|block| !ends.contains(block));
    }

    fn size(&self, block: BlockId) -> Option<Poly> {
        size_of(self.vars, self.table, block)
    }

    /// Notes what exists now, and something else, if that may be more than at other moments.
    fn record(&mut self, besides: Option<&Poly>) {
        let mut sum = besides.cloned();
        for block in &self.live {
            let size = self.size(*block);
            sum = match (sum, size) {
                (Some(sum), Some(size)) => sum.add(&size),
                (None, size) => size,
                (Some(_), None) => None,
            };
            if sum.is_none() {
                self.peak.more = true;
                return;
            }
        }
        let bytes = sum.unwrap_or_default();
        let moments = &mut self.peak.moments;
        if moments.iter().any(|worst| is_at_most(&bytes, &worst.bytes)) {
            return;
        }
        moments.retain(|worst| !is_at_most(&worst.bytes, &bytes));
        if moments.len() < MAX_MOMENTS {
            moments.push(Worst { loc: self.loc.clone(), blocks: self.live.clone(), bytes });
        } else {
            self.peak.more = true;
        }
    }
}

/// The size of a block in bytes.
fn size_of(vars: &IdVec<Var, VarInfo>, table: &Table, block: BlockId) -> Option<Poly> {
    let bytes = i128::from(table.blocks[block].elem.bits().div_ceil(8));
    let shape = match &table.blocks[block].origin {
        Origin::Fresh { size, .. } => size.as_slice(),
        Origin::Carried(var) => vars[*var].ty.shape(),
        Origin::Unused => return Some(Poly::default()),
    };
    let sizes: Vec<Poly> = shape.iter().map(|size| poly(*size)).collect();
    product_of(&sizes)?.scale(bytes)
}
