//! The bodies of a function: what each of them is part of, and how to enter it.
//!
//! Arrays deep inside of a statement move together with the array that they are part of, and read what they must not;
//! to describe where they are, and what they read, one has to know what holds there.

use crate::table::Table;
use fehu_base::OrBug;
use fehu_facts::flow::Known;
use fehu_ir::{Atom, Body, Exp, Lambda, LoopForm, LoopParam, Scalar, Seg, Stm, Var};
use rustc_hash::FxHashMap;

/// The number of a body.
pub(super) type BodyId = usize;

/// All bodies of a function.
pub(super) struct Nest<'a> {
    bodies: Vec<Nested<'a>>,
    /// By the address of the body.
    ids: FxHashMap<*const Body, BodyId>,
    /// For each variable, the body where it is known and when it is bound, in the order of the text. A statement binds
    /// its variables before those that are inside of it.
    bound: FxHashMap<Var, (BodyId, u32)>,
    clock: u32,
}

struct Nested<'a> {
    outer: Option<BodyId>,
    way: Way<'a>,
    body: &'a Body,
    /// When everything in it is bound.
    end: u32,
}

/// How a body is entered.
#[derive(Clone, Copy)]
enum Way<'a> {
    /// It is that of the function.
    Whole,
    /// By a condition.
    Branch(Atom, bool),
    /// By the value of something.
    Case(Atom, Scalar),
    /// By any other value.
    Default,
    Iteration(&'a [LoopParam], LoopForm),
    Element(Var, Atom, &'a [Var], &'a Lambda),
    Space(&'a Seg),
    Function(&'a Lambda),
}

impl<'a> Nest<'a> {
    /// The bodies of a function or constant.
    pub(super) fn new(body: &'a Body, params: &[Var], table: &Table) -> Nest<'a> {
        let mut nest = Nest {
            bodies: Vec::new(),
            ids: FxHashMap::default(),
            bound: FxHashMap::default(),
            clock: 0,
        };
        nest.add(None, Way::Whole, body, params, table);
        nest
    }

    /// The number of a body.
    pub(super) fn id(&self, body: &Body) -> BodyId {
        self.ids.get(&std::ptr::from_ref(body)).copied().or_bug("a body of this function")
    }

    /// When a variable is bound, in the order of the text.
    pub(super) fn when(&self, var: Var) -> Option<u32> {
        self.bound.get(&var).map(|(_, when)| *when)
    }

    /// When everything in a body is bound.
    pub(super) fn end(&self, body: BodyId) -> u32 {
        self.bodies[body].end
    }

    /// Whether a variable is bound before some time in a body or one around it.
    pub(super) fn is_known(&self, var: Var, body: BodyId, before: u32) -> bool {
        self.bound.get(&var).is_some_and(|(home, when)| *when < before && self.within(body, *home))
    }

    /// The body where a variable is bound.
    pub(super) fn home(&self, var: Var) -> Option<BodyId> {
        self.bound.get(&var).map(|(home, _)| *home)
    }

    /// Whether a variable is bound in the function of an operator.
    pub(super) fn is_in_operator(&self, var: Var) -> bool {
        let mut body = self.home(var);
        while let Some(id) = body {
            if let Way::Element(..) | Way::Space(_) | Way::Function(_) = self.bodies[id].way {
                return true;
            }
            body = self.bodies[id].outer;
        }
        false
    }

    /// Whether a body is another one, or inside of it.
    fn within(&self, mut body: BodyId, outer: BodyId) -> bool {
        loop {
            if body == outer {
                return true;
            }
            match self.bodies[body].outer {
                Some(next) => body = next,
                None => return false,
            }
        }
    }

    /// Enters a body from the one around it.
    pub(super) fn enter(&self, body: BodyId, known: &mut Known<'a>) {
        let Nested { way, body, .. } = &self.bodies[body];
        match way {
            Way::Whole | Way::Default => {}
            Way::Branch(cond, truth) => known.condition(*cond, *truth),
            Way::Case(value, case) => known.case(*value, *case),
            Way::Iteration(params, form) => known.iteration(params, *form),
            Way::Element(index, width, inputs, map) => known.element(*index, *width, inputs, map),
            Way::Space(seg) => known.seg(seg),
            Way::Function(lambda) => known.function(lambda),
        }
        known.body(body);
    }

    /// Enters all bodies on the way from one body to another one inside of it. Nothing if that is elsewhere.
    pub(super) fn enter_from(&self, from: BodyId, to: BodyId, known: &mut Known<'a>) {
        if from == to || !self.within(to, from) {
            return;
        }
        if let Some(outer) = self.bodies[to].outer {
            self.enter_from(from, outer, known);
        }
        self.enter(to, known);
    }

    fn add(
        &mut self,
        outer: Option<BodyId>,
        way: Way<'a>,
        body: &'a Body,
        params: &[Var],
        table: &Table,
    ) {
        let id = self.bodies.len();
        self.bodies.push(Nested { outer, way, body, end: 0 });
        self.ids.insert(std::ptr::from_ref(body), id);
        self.bind(id, params);
        for stm in &body.stms {
            self.bind(id, &stm.pat);
            self.stm(id, stm, table);
        }
        self.clock += 1;
        self.bodies[id].end = self.clock;
    }

    fn bind(&mut self, body: BodyId, vars: &[Var]) {
        self.clock += 1;
        for var in vars {
            self.bound.insert(*var, (body, self.clock));
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no bodies")]
    fn stm(&mut self, id: BodyId, stm: &'a Stm, table: &Table) {
        let outer = Some(id);
        let mut elements: Option<(Atom, &'a [Var], &'a Lambda)> = None;
        let mut functions: Vec<&'a Lambda> = Vec::new();
        match &stm.exp {
            Exp::If(cond, bodies) => {
                for (body, truth) in bodies.iter().zip([true, false]) {
                    self.add(outer, Way::Branch(*cond, truth), body, &[], table);
                }
            }
            Exp::Switch(value, switch) => {
                for (case, body) in &switch.cases {
                    self.add(outer, Way::Case(*value, *case), body, &[], table);
                }
                self.add(outer, Way::Default, &switch.default, &[], table);
            }
            Exp::Loop(params, form, body) => {
                let mut bound: Vec<Var> = params.iter().map(|param| param.var).collect();
                match form {
                    LoopForm::For(var, _) => bound.push(*var),
                    LoopForm::While(_) => {}
                }
                self.add(outer, Way::Iteration(params, *form), body, &bound, table);
            }
            Exp::Screma(op) => {
                elements = Some((op.width, &op.inputs, &op.map));
                functions.extend(op.scans.iter().map(|scan| &scan.op));
                functions.extend(op.reds.iter().map(|red| &red.op));
            }
            Exp::Hist(op) => {
                elements = Some((op.width, &op.inputs, &op.map));
                functions.extend(op.ops.iter().map(|op| &op.op));
            }
            Exp::Scatter(op) => elements = Some((op.width, &op.inputs, &op.map)),
            Exp::Partition(op) => elements = Some((op.width, &op.inputs, &op.map)),
            Exp::Seg(seg) => {
                self.add(outer, Way::Space(seg), &seg.body.body, &seg.body.params, table);
            }
            Exp::WithAcc(inputs, lambda) => {
                functions.extend(inputs.iter().filter_map(|input| Some(&input.op.as_ref()?.0)));
                functions.push(lambda);
            }
            _ => {}
        }
        if let Some((width, inputs, map)) = elements {
            let index = table.index(&stm.pat, map);
            self.bound.insert(index, (self.bodies.len(), self.clock));
            self.add(outer, Way::Element(index, width, inputs, map), &map.body, &map.params, table);
        }
        for lambda in functions {
            self.add(outer, Way::Function(lambda), &lambda.body, &lambda.params, table);
        }
    }
}
