//! Decides which calls are inlined: the call graph, sizes and budgets.

use fehu_base::IdVec;
use fehu_base::OrBug;
use fehu_base::id::Id;
use fehu_ir::pass::{RemarkKind, Remarks};
use fehu_ir::visit::{Visit, walk_lambda, walk_stm};
use fehu_ir::{Attr, Body, ConstId, Exp, FunId, Lambda, Loc, Prog, Stm};

/// The size up to which a function is always inlined: about what a call costs.
pub(super) const SMALL: usize = 8;
/// The size from which a function that is called several times stays.
pub(super) const LARGE: usize = 1000;
/// How many calls deep bodies are put into bodies at most: the traversal recurses, and nobody writes such chains.
const DEEPEST: usize = 100;
/// How many times its own size a caller, and the program, may grow.
const FACTOR: usize = 8;
/// What small callers and programs may grow in any case.
const LEAST: usize = 4000;

/// What is to be done.
pub(super) struct Plan {
    /// For the calls of each function, in the order of the text, whether they are inlined.
    pub(super) funs: IdVec<FunId, Vec<bool>>,
    /// Likewise for each constant.
    pub(super) consts: IdVec<ConstId, Vec<bool>>,
    /// The functions that stay in any case.
    pub(super) roots: Vec<FunId>,
}

/// Decides for all calls, callees before their callers.
pub(super) fn plan(prog: &Prog, remarks: &mut Remarks) -> Plan {
    let mut funs = IdVec::new();
    for (_, fun) in prog.funs.iter() {
        funs.push(Item::of(&fun.body));
    }
    let mut consts = IdVec::new();
    for (_, item) in prog.consts.iter() {
        consts.push(Item::of(&item.body));
    }
    let mut roots = prog.roots();
    if prog.entries.is_empty() {
        roots = prog.funs.iter().map(|(id, _)| id).collect();
    }
    let mut decide = Decide {
        prog,
        recursive: IdVec::filled(false, funs.len()),
        calls: IdVec::filled(0, funs.len()),
        inside: IdVec::filled(false, funs.len()),
        is_root: IdVec::filled(false, funs.len()),
        funs,
        consts,
        left: 0,
        remarks,
    };
    for root in &roots {
        decide.is_root[*root] = true;
    }
    decide.run(roots)
}

/// A call.
#[derive(Clone)]
struct Site {
    callee: FunId,
    /// Whether it stands in the function of an array operator.
    inside: bool,
    mark: Mark,
    loc: Option<Loc>,
}

/// What an attribute says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    Inline,
    Noinline,
}

/// What matters of a function or constant.
#[derive(Default)]
struct Item {
    size: usize,
    /// How many calls deep its body is made of others.
    height: usize,
    /// Whether it makes arrays.
    arrays: bool,
    sites: Vec<Site>,
    consts: Vec<ConstId>,
    /// How deep in functions of operators the traversal is.
    depth: usize,
}

struct Decide<'a> {
    prog: &'a Prog,
    funs: IdVec<FunId, Item>,
    consts: IdVec<ConstId, Item>,
    recursive: IdVec<FunId, bool>,
    is_root: IdVec<FunId, bool>,
    /// How many calls of a function there are in what is needed.
    calls: IdVec<FunId, usize>,
    /// Whether a function may be called from the function of an array operator, perhaps through others.
    inside: IdVec<FunId, bool>,
    /// By how many statements the program may still grow.
    left: usize,
    remarks: &'a mut Remarks,
}

impl Decide<'_> {
    fn run(mut self, roots: Vec<FunId>) -> Plan {
        let (order, consts) = self.needed(&roots);
        let mut total = 0;
        for id in &order {
            total += self.funs[*id].size;
            for site in &self.funs[*id].sites {
                self.calls[site.callee] += 1;
            }
        }
        for id in &consts {
            total += self.consts[*id].size;
            for site in &self.consts[*id].sites {
                self.calls[site.callee] += 1;
            }
        }
        self.left = FACTOR * total + LEAST;
        self.spread(&order);

        let mut plan = Plan {
            funs: IdVec::filled(Vec::new(), self.funs.len()),
            consts: IdVec::filled(Vec::new(), self.consts.len()),
            roots,
        };
        for id in order {
            let item = std::mem::take(&mut self.funs[id]);
            let (decisions, size, height) = self.sites(&item, self.inside[id]);
            plan.funs[id] = decisions;
            self.funs[id] = Item { size, height, ..item };
        }
        for id in consts {
            let item = std::mem::take(&mut self.consts[id]);
            plan.consts[id] = self.sites(&item, true).0;
        }
        plan
    }

    /// Finds out what operators' functions call: these calls are executed for each element, and what is not inlined there
    /// keeps the loop from being vectorised. Callers are looked at before what they call.
    fn spread(&mut self, order: &[FunId]) {
        for (_, item) in self.consts.iter() {
            for site in item.sites.iter().filter(|site| site.inside) {
                self.inside[site.callee] = true;
            }
        }
        for id in order.iter().rev() {
            for site in &self.funs[*id].sites {
                self.inside[site.callee] |= site.inside || self.inside[*id];
            }
        }
    }

    /// Decides for the calls of one function, which may itself be called inside; also its size and height afterwards.
    fn sites(&mut self, item: &Item, inside: bool) -> (Vec<bool>, usize, usize) {
        let (mut size, mut height) = (item.size, 0);
        let most = FACTOR * item.size + LEAST;
        let mut decisions = Vec::with_capacity(item.sites.len());
        for site in &item.sites {
            let yes = self.inlined(site, site.inside || inside, most.saturating_sub(size));
            if yes {
                size += self.funs[site.callee].size;
                height = height.max(self.funs[site.callee].height + 1);
            }
            decisions.push(yes);
        }
        (decisions, size, height)
    }

    fn inlined(&mut self, site: &Site, inside: bool, room: usize) -> bool {
        let id = site.callee;
        // A foreign function is called as such.
        if self.prog.funs[id].foreign.is_some() {
            return false;
        }
        let callee = &self.funs[id];
        let mark = match mark(&self.prog.funs[id].attrs) {
            Mark::None => site.mark,
            mark @ (Mark::Inline | Mark::Noinline) => mark,
        };
        if self.recursive[id] || mark == Mark::Noinline || site.mark == Mark::Noinline {
            return false;
        }
        if callee.height >= DEEPEST {
            return false;
        }
        if (self.calls[id] == 1 && !self.is_root[id]) || callee.size <= SMALL {
            return true;
        }
        if mark != Mark::Inline && !callee.arrays && !inside {
            return false;
        }
        let small_enough = mark == Mark::Inline || callee.size <= LARGE;
        if small_enough && callee.size <= room && callee.size <= self.left {
            self.left -= callee.size;
            return true;
        }
        let text = format!(
            "\"{}\" is called and not inlined, because the code would become too large",
            self.prog.funs[id].name
        );
        self.remarks.add("inline", RemarkKind::Missed, site.loc.as_ref(), None, text);
        false
    }

    /// The functions that are needed, callees before callers, and the constants. Finds the recursive ones.
    fn needed(&mut self, roots: &[FunId]) -> (Vec<FunId>, Vec<ConstId>) {
        let mut search = Search {
            index: vec![0; self.funs.len()],
            low: vec![0; self.funs.len()],
            ..Search::default()
        };
        let mut seen_consts = vec![false; self.consts.len()];
        let mut funs: Vec<FunId> = roots.iter().rev().copied().collect();
        let mut scanned = 0;
        loop {
            while let Some(root) = funs.pop() {
                search.visit(root, &self.funs, &mut self.recursive);
            }
            let mut consts = Vec::new();
            for id in &search.order[scanned..] {
                consts.extend_from_slice(&self.funs[*id].consts);
            }
            scanned = search.order.len();
            while let Some(id) = consts.pop() {
                if !std::mem::replace(&mut seen_consts[id.index()], true) {
                    consts.extend_from_slice(&self.consts[id].consts);
                    funs.extend(self.consts[id].sites.iter().map(|site| site.callee));
                }
            }
            if funs.is_empty() {
                let all = self.consts.iter().map(|(id, _)| id);
                let consts = all.filter(|id| seen_consts[id.index()]).collect();
                return (search.order, consts);
            }
        }
    }
}

/// Strongly connected components of the call graph, by Tarjan's algorithm with a stack of its own.
#[derive(Default)]
struct Search {
    /// When a function was found, from one; zero if it was not yet.
    index: Vec<usize>,
    low: Vec<usize>,
    count: usize,
    /// Functions whose component is not complete.
    open: Vec<FunId>,
    order: Vec<FunId>,
}

impl Search {
    fn visit(
        &mut self,
        root: FunId,
        funs: &IdVec<FunId, Item>,
        recursive: &mut IdVec<FunId, bool>,
    ) {
        if self.index[root.index()] != 0 {
            return;
        }
        self.enter(root);
        let mut stack = vec![(root, 0)];
        while let Some((id, next)) = stack.pop() {
            if let Some(site) = funs[id].sites.get(next) {
                stack.push((id, next + 1));
                let callee = site.callee;
                if callee == id {
                    recursive[id] = true;
                } else if self.index[callee.index()] == 0 {
                    self.enter(callee);
                    stack.push((callee, 0));
                } else {
                    // A component that is complete has an infinite index.
                    let found = self.index[callee.index()];
                    let low = &mut self.low[id.index()];
                    *low = (*low).min(found);
                }
                continue;
            }
            let low = self.low[id.index()];
            if let Some((caller, _)) = stack.last() {
                let up = &mut self.low[caller.index()];
                *up = (*up).min(low);
            }
            if low == self.index[id.index()] {
                let start = self.open.iter().rposition(|open| *open == id);
                let start = start.or_bug("function whose callees were looked at");
                let component = self.open.split_off(start);
                for member in &component {
                    self.index[member.index()] = usize::MAX;
                    recursive[*member] |= component.len() > 1;
                }
            }
            self.order.push(id);
        }
    }

    fn enter(&mut self, id: FunId) {
        self.count += 1;
        self.index[id.index()] = self.count;
        self.low[id.index()] = self.count;
        self.open.push(id);
    }
}

fn mark(attrs: &[Attr]) -> Mark {
    let has = |name: &str| attrs.iter().any(|attr| attr.name == name && attr.args.is_empty());
    if has("noinline") {
        Mark::Noinline
    } else if has("inline") {
        Mark::Inline
    } else {
        Mark::None
    }
}

impl Item {
    fn of(body: &Body) -> Item {
        let mut item = Item::default();
        item.body(body);
        item
    }
}

impl Visit for Item {
    fn stm(&mut self, stm: &Stm) {
        self.size += 1;
        match &stm.exp {
            Exp::Call(callee, _) => self.sites.push(Site {
                callee: *callee,
                inside: self.depth > 0,
                mark: mark(&stm.attrs),
                loc: stm.loc.clone(),
            }),
            Exp::Const(id) => self.consts.push(*id),
            Exp::Array(..)
            | Exp::Update(..)
            | Exp::FlatUpdate(..)
            | Exp::Concat(..)
            | Exp::Iota(..)
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Copy(_)
            | Exp::Manifest(_)
            | Exp::Screma(_)
            | Exp::Hist(_)
            | Exp::Scatter(_)
            | Exp::Stream(_)
            | Exp::Partition(_)
            | Exp::Flatmap(_)
            | Exp::Diff(_)
            | Exp::Seg(_)
            | Exp::WithAcc(..) => self.arrays = true,
            Exp::Atom(_)
            | Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Assert(..)
            | Exp::Index(..)
            | Exp::FlatIndex(..)
            | Exp::Reshape(..)
            | Exp::Rearrange(..)
            | Exp::If(..)
            | Exp::Switch(..)
            | Exp::Loop(..)
            | Exp::UpdateAcc(..)
            | Exp::Notice(..)
            | Exp::Trace(..)
            | Exp::Opaque(_)
            | Exp::Tuning(..)
            | Exp::Threads
            | Exp::Fail(_) => {}
        }
        walk_stm(self, stm);
    }

    fn lambda(&mut self, lambda: &Lambda) {
        self.depth += 1;
        walk_lambda(self, lambda);
        self.depth -= 1;
    }
}
