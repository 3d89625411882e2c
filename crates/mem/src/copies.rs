//! The copies that are left: elements that a program moves from one place to another by its table.
//!
//! Rows of results, operands, parts that are replaced, values of branches and loops: whatever is not where it must be is
//! copied. `copy` and `manifest` are copies as such, unless they are to their own place.

use crate::lmad::Pick;
use crate::short_circuit::{Refusals, Why};
use crate::table::{Origin, Place, Placed, Table, flat, pick, poly};
use fehu_facts::poly::Poly;
use fehu_ir::{Atom, Body, Exp, Item, Loc, Stm, Var};

/// A copy of an array.
#[derive(Clone, PartialEq, Debug)]
pub struct Copied {
    /// The function or constant.
    pub item: Item,
    /// The array.
    pub array: Var,
    /// What copies it, in a word or two.
    pub by: &'static str,
    /// Where in the source, if that is known.
    pub loc: Option<Loc>,
    /// Why it is not made where it is copied to, if that was tried.
    pub why: Option<Why>,
}

/// All copies of a program, in the order of the text.
pub fn copies(placed: &Placed, refusals: &Refusals) -> Vec<Copied> {
    let mut found = Vec::new();
    for item in placed.prog.items() {
        let table = match item {
            Item::Const(id) => &placed.consts[id],
            Item::Fun(id) => &placed.funs[id],
        };
        let body = placed.prog.body(item);
        Look { item, table, refusals, found: &mut found, loc: None }.body(body);
    }
    found
}

struct Look<'a> {
    item: Item,
    table: &'a Table,
    refusals: &'a Refusals,
    found: &'a mut Vec<Copied>,
    loc: Option<Loc>,
}

impl Look<'_> {
    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            let outer = self.loc.clone();
            if stm.loc.is_some() {
                self.loc.clone_from(&stm.loc);
            }
            self.stm(stm);
            self.loc = outer;
        }
    }

    /// An array becomes what is at a place.
    fn put(&mut self, value: Atom, to: Option<Place>, by: &'static str) {
        let (Some(array), Some(to)) = (value.var(), to) else { return };
        let Some(from) = self.table.place(array) else { return };
        if !from.same(&to) {
            let unjoined = self.table.unjoined.get(&array).copied().filter(|_| by == "boundary");
            let why = unjoined.or_else(|| self.refusals.of(self.item, array));
            self.found.push(Copied { item: self.item, array, by, loc: self.loc.clone(), why });
        }
    }

    fn place(&self, var: Var) -> Option<Place> {
        self.table.place(var).cloned()
    }

    fn part(&self, var: Var, picks: &[Pick]) -> Option<Place> {
        let Place { block, lmad } = self.place(var)?;
        Some(Place { block, lmad: lmad.slice(picks)? })
    }

    /// Values become those of variables, unless these carry blocks.
    fn assign(&mut self, vars: &[Var], values: &[Atom], by: &'static str) {
        for (var, value) in vars.iter().zip(values) {
            let to = self
                .place(*var)
                .filter(|place| self.table.blocks[place.block].origin != Origin::Carried(*var));
            self.put(*value, to, by);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others copy no arrays")]
    fn stm(&mut self, stm: &Stm) {
        let pat = &stm.pat;
        match &stm.exp {
            Exp::Update(array, dims, value) => {
                let picks: Vec<Pick> = dims.iter().map(pick).collect();
                self.put(*value, self.part(*array, &picks), "update");
            }
            Exp::FlatUpdate(array, offset, dims, value) => {
                let to = self.place(*array).and_then(|Place { block, lmad }| {
                    Some(Place { block, lmad: lmad.flat_slice(&flat(*offset, dims))? })
                });
                self.put((*value).into(), to, "update");
            }
            Exp::Copy(array) => self.put((*array).into(), self.place(pat[0]), "copy"),
            Exp::Manifest(array) => self.put((*array).into(), self.place(pat[0]), "boundary"),
            Exp::Concat(_, arrays) => {
                let mut start = Poly::default();
                for array in arrays {
                    let Some(place) = self.table.place(*array) else { continue };
                    let Some(size) = place.lmad.dims.first().map(|dim| dim.size.clone()) else {
                        continue;
                    };
                    let to = self.part(pat[0], &[Pick::range(start.clone(), size.clone())]);
                    self.put((*array).into(), to, "concatenation");
                    let Some(next) = start.add(&size) else { return };
                    start = next;
                }
            }
            Exp::Array(_, atoms) => {
                for (index, atom) in (0i64..).zip(atoms) {
                    let to = self.part(pat[0], &[Pick::Fix(poly(Atom::i64(index)))]);
                    self.put(*atom, to, "array literal");
                }
            }
            Exp::If(_, bodies) => {
                bodies.iter().for_each(|body| self.assign(pat, &body.results, "branch"));
            }
            Exp::Switch(_, switch) => {
                let bodies = switch.cases.iter().map(|(_, body)| body).chain([&switch.default]);
                bodies.for_each(|body| self.assign(pat, &body.results, "branch"));
            }
            Exp::Loop(params, _, body) => {
                let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
                let inits: Vec<Atom> = params.iter().map(|param| param.init).collect();
                self.assign(&vars, &inits, "loop");
                self.assign(&vars, &body.results, "loop");
            }
            Exp::Screma(op) => {
                let index = self.table.index(pat, &op.map);
                let results = &op.map.body.results;
                for (var, result) in pat.iter().zip(results).skip(op.folded()) {
                    let to = self.part(*var, &[Pick::Fix(Poly::var(index))]);
                    self.put(*result, to, "row of a map");
                }
            }
            _ => {}
        }
        stm.exp.for_each_body(&mut |body| self.body(body));
    }
}
