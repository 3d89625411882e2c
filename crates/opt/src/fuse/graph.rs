//! The dependency graph of a body, which fusion reduces.
//!
//! A node is a statement. An edge leads from a statement to one that must come after it: because it uses a result, or
//! because one of the two consumes an array that the other one reads. The nodes are kept in an order in which all edges
//! lead forward.
//!
//! Two nodes can be merged if the only paths between them are direct edges. To determine this, only the nodes between
//! them in this order are considered: those that depend on the first node must not be needed by the second one. Then
//! the nodes between are moved before or after the new node, which preserves the order. The number of nodes considered
//! over a whole body is bounded by a budget that is linear in its size; when it is spent, fusion stops.

use fehu_base::IdVec;
use fehu_base::OrBug;
use fehu_base::id::Id;
use fehu_facts::{Share, consumed};
use fehu_ir::free::free_in_stm;
use fehu_ir::{Body, Exp, FunId, Prog, Stm, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of a node.
pub(super) type Node = usize;

/// Whether an expression calls one of these functions.
fn calls_any(exp: &Exp, funs: &FxHashSet<FunId>) -> bool {
    let mut found = matches!(exp, Exp::Call(fun, _) if funs.contains(fun));
    exp.for_each_body(&mut |body| {
        found = found || body.stms.iter().any(|stm| calls_any(&stm.exp, funs));
    });
    found
}

/// What stands between nodes that are further apart is not looked for.
const EXPLAINED: usize = 1000;

/// The graph of a body.
pub(super) struct Graph {
    /// The statements; none where a node was merged into another one.
    stms: Vec<Option<Stm>>,
    /// The nodes that must come before; some may have been merged since.
    before: Vec<FxHashSet<Node>>,
    /// The classes of arrays that a node consumes, and those of all arrays that it reads; only classes that
    /// something in this body consumes.
    classes: Vec<Classes>,
    /// For a merged node the one that it became part of.
    merged: Vec<Option<Node>>,
    /// All nodes, also those that were merged.
    order: Vec<Node>,
    /// Where in the order a node stands.
    place: Vec<usize>,
    /// The node that binds a variable.
    binder: FxHashMap<Var, Node>,
    /// The nodes that are not merged with others.
    alone: FxHashSet<Node>,
    budget: usize,
}

/// The classes of arrays that a node consumes and reads, sorted.
#[derive(Clone, Default)]
struct Classes {
    consumed: Vec<usize>,
    touched: Vec<usize>,
}

/// What stands between two nodes.
pub(super) struct Window {
    first: Node,
    second: Node,
    /// The nodes between that depend on the first one.
    after: Vec<Node>,
}

impl Graph {
    /// Takes the statements of a body.
    pub(super) fn new(
        prog: &Prog,
        vars: &IdVec<Var, VarInfo>,
        share: &Share,
        hosts: &FxHashSet<FunId>,
        body: &mut Body,
    ) -> Graph {
        let stms = std::mem::take(&mut body.stms);
        // What calls a function of the host is executed by the host, position by position.
        let calls_host = |(_, stm): &(Node, &Stm)| calls_any(&stm.exp, hosts);
        let nodes = || stms.iter().enumerate();
        let alone = match hosts.is_empty() {
            true => FxHashSet::default(),
            false => nodes().filter(calls_host).map(|(node, _)| node).collect(),
        };
        let count = stms.len();
        let mut binder = FxHashMap::default();
        let mut before: Vec<FxHashSet<Node>> = Vec::with_capacity(count);
        // For each class of arrays that is consumed here: who consumed it last, and who has used it since.
        let mut touched: FxHashMap<usize, (Option<Node>, Vec<Node>)> = FxHashMap::default();
        for stm in &stms {
            for var in consumed(prog, stm) {
                if let Some(class) = share.class(var) {
                    touched.entry(class).or_default();
                }
            }
        }
        let mut classes = Vec::with_capacity(count);
        for (node, stm) in stms.iter().enumerate() {
            let mut edges = FxHashSet::default();
            let free = free_in_stm(stm, vars);
            edges.extend(free.iter().filter_map(|var| binder.get(var)));
            let mut consumes: Vec<usize> =
                consumed(prog, stm).into_iter().filter_map(|var| share.class(var)).collect();
            consumes.sort_unstable();
            consumes.dedup();
            let mut touches: Vec<usize> =
                free.iter().chain(&stm.pat).filter_map(|var| share.class(*var)).collect();
            touches.sort_unstable();
            touches.dedup();
            touches.retain(|class| touched.contains_key(class));
            for class in &touches {
                let (last, since) = touched.get_mut(class).or_bug("class that is touched");
                edges.extend(*last);
                if consumes.binary_search(class).is_ok() {
                    edges.extend(since.drain(..));
                    *last = Some(node);
                } else {
                    since.push(node);
                }
            }
            for var in &stm.pat {
                binder.insert(*var, node);
            }
            before.push(edges);
            // What it binds is its own: an array that a producer makes may well be consumed by the consumer.
            let mut touched_here: Vec<usize> = free
                .iter()
                .filter_map(|var| share.class(*var))
                .filter(|class| touched.contains_key(class))
                .collect();
            touched_here.sort_unstable();
            touched_here.dedup();
            classes.push(Classes { consumed: consumes, touched: touched_here });
        }
        Graph {
            stms: stms.into_iter().map(Some).collect(),
            before,
            classes,
            merged: vec![None; count],
            order: (0..count).collect(),
            place: (0..count).collect(),
            binder,
            alone,
            budget: 100_000 + 64 * count,
        }
    }

    /// The nodes that a node directly depends on.
    pub(super) fn needs(&self, node: Node) -> Vec<Node> {
        let mut needs: Vec<Node> =
            self.before[node].iter().map(|other| self.resolve(*other)).collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    }

    /// Gives the statements back, in order.
    pub(super) fn finish(mut self, body: &mut Body) {
        body.stms = self.order.iter().filter_map(|node| self.stms[*node].take()).collect();
    }

    /// The nodes that are there, in order.
    pub(super) fn nodes(&self) -> Vec<Node> {
        self.order.iter().copied().filter(|node| self.stms[*node].is_some()).collect()
    }

    /// The statement of a node, unless it was merged.
    pub(super) fn stm(&self, node: Node) -> Option<&Stm> {
        self.stms[node].as_ref()
    }

    /// Takes the statement of a node, which gets another one.
    pub(super) fn take(&mut self, node: Node) -> Option<Stm> {
        self.stms[node].take()
    }

    /// Gives a node a statement with the same results.
    pub(super) fn put(&mut self, node: Node, stm: Stm) {
        self.stms[node] = Some(stm);
    }

    /// Whether one of two nodes consumes what the other one has to do with: an operator must not read what it
    /// writes.
    pub(super) fn clash(&self, a: Node, b: Node) -> bool {
        let (a, b) = (&self.classes[a], &self.classes[b]);
        let common = |consumed: &[usize], touched: &[usize]| {
            consumed.iter().any(|class| touched.binary_search(class).is_ok())
        };
        common(&a.consumed, &b.touched) || common(&b.consumed, &a.touched)
    }

    /// Notes that a node has to do with what another one has to do with.
    fn share_classes(&mut self, node: Node, other: Node) {
        let Classes { consumed, touched } = std::mem::take(&mut self.classes[other]);
        let classes = &mut self.classes[node];
        for (all, more) in [(&mut classes.consumed, consumed), (&mut classes.touched, touched)] {
            if !more.is_empty() {
                all.extend(more);
                all.sort_unstable();
                all.dedup();
            }
        }
    }

    /// Notes that a node depends on whatever another one, which stands before it, depends on.
    pub(super) fn depend(&mut self, node: Node, like: Node) {
        let more = self.before[like].clone();
        self.before[node].extend(more);
    }

    /// Whether a node directly depends on another one.
    pub(super) fn depends(&self, node: Node, on: Node) -> bool {
        self.before[node].iter().any(|other| self.resolve(*other) == on)
    }

    /// The node that binds a variable, if it is in this body.
    pub(super) fn binder(&self, var: Var) -> Option<Node> {
        self.binder.get(&var).map(|node| self.resolve(*node))
    }

    /// Two nodes as they stand.
    pub(super) fn in_order(&self, a: Node, b: Node) -> (Node, Node) {
        if self.place[a] < self.place[b] { (a, b) } else { (b, a) }
    }

    /// What stands between two nodes, the first one before the second one; none if there is a path between
    /// them through another node.
    pub(super) fn window(&mut self, first: Node, second: Node) -> Option<Window> {
        self.window_past(first, second, &[])
    }

    /// The same, if the second node did not depend on some other nodes, but on what those depend on.
    pub(super) fn window_past(
        &mut self,
        first: Node,
        second: Node,
        past: &[Node],
    ) -> Option<Window> {
        if self.alone.contains(&first) || self.alone.contains(&second) {
            return None;
        }
        let (from, to) = (self.place[first], self.place[second]);
        assert!(from < to, "the nodes are in order");
        self.budget = self.budget.checked_sub(to - from)?;
        let mut after = Vec::new();
        let mut reached: FxHashSet<Node> = FxHashSet::default();
        for place in from + 1..to {
            let node = self.order[place];
            if self.stms[node].is_none() {
                continue;
            }
            self.budget = self.budget.checked_sub(self.before[node].len())?;
            let depends = self.before[node].iter().any(|other| {
                let other = self.resolve(*other);
                other == first || reached.contains(&other)
            });
            if depends {
                reached.insert(node);
                after.push(node);
            }
        }
        let hit = |node: &Node| reached.contains(&self.resolve(*node));
        let blocked = self.before[second].iter().any(|other| {
            let other = self.resolve(*other);
            if past.contains(&other) {
                self.before[other].iter().any(hit)
            } else {
                reached.contains(&other)
            }
        });
        (!blocked).then_some(Window { first, second, after })
    }

    /// The nodes on paths from the first to the second node, in order; for explanations.
    pub(super) fn between(&self, first: Node, second: Node) -> Vec<Node> {
        let (from, to) = (self.place[first], self.place[second]);
        if to.saturating_sub(from) > EXPLAINED {
            return Vec::new();
        }
        let inner = self.order.get(from + 1..to).unwrap_or(&[]);
        let mut reached: FxHashSet<Node> = FxHashSet::from_iter([first]);
        for node in inner.iter().filter(|node| self.stms[**node].is_some()) {
            if self.before[*node].iter().any(|other| reached.contains(&self.resolve(*other))) {
                reached.insert(*node);
            }
        }
        let mut needed: FxHashSet<Node> = FxHashSet::from_iter([second]);
        for node in [second].iter().chain(inner.iter().rev()) {
            if needed.contains(node) {
                needed.extend(self.before[*node].iter().map(|other| self.resolve(*other)));
            }
        }
        inner
            .iter()
            .copied()
            .filter(|node| reached.contains(node) && needed.contains(node))
            .collect()
    }

    /// Makes one node of the two nodes of a window; the statement is the new node's.
    pub(super) fn merge(&mut self, window: Window, stm: Stm) -> Node {
        let Window { first, second, after } = window;
        let (from, to) = (self.place[first], self.place[second]);
        let gone = |node: &Node| self.stms[*node].is_none();
        let late: FxHashSet<Node> = after.iter().copied().collect();
        let mut order: Vec<Node> = self.order[from + 1..to]
            .iter()
            .copied()
            .filter(|node| !late.contains(node) && !gone(node))
            .collect();
        order.push(first);
        order.extend(after);
        // What was merged before keeps the places that are left; nobody looks there.
        order.extend(self.order[from + 1..to].iter().filter(|node| gone(node)));
        order.push(second);
        for (offset, node) in order.into_iter().enumerate() {
            self.order[from + offset] = node;
            self.place[node] = from + offset;
        }
        let more = std::mem::take(&mut self.before[second]);
        self.before[first].extend(more);
        self.before[first].remove(&first);
        self.before[first].remove(&second);
        self.share_classes(first, second);
        self.merged[second] = Some(first);
        self.stms[second] = None;
        for var in &stm.pat {
            self.binder.insert(*var, first);
        }
        self.stms[first] = Some(stm);
        first
    }

    /// Puts a statement before a node, which depends on it from now on. The new node depends on what the node
    /// depends on, and is taken to read and consume what the node does.
    pub(super) fn insert(&mut self, before: Node, stm: Stm) -> Node {
        let needs = self.before[before].clone();
        self.insert_after(before, stm, needs)
    }

    /// The same for a statement that uses these variables, before a node that consumes nothing which others use: of what the
    /// node depends on, the new one depends on what binds the variables and on what consumes something.
    pub(super) fn insert_using(&mut self, before: Node, stm: Stm, used: &[Var]) -> Node {
        let binders: FxHashSet<Node> = used.iter().filter_map(|var| self.binder(*var)).collect();
        let mut needs = self.before[before].clone();
        needs.retain(|need| {
            let need = self.resolve(*need);
            binders.contains(&need) || !self.classes[need].consumed.is_empty()
        });
        self.insert_after(before, stm, needs)
    }

    /// Puts a copy of a node's statement before it, which some users of the node depend on instead.
    pub(super) fn insert_copy(&mut self, node: Node, stm: Stm, users: &[Node]) {
        let copy = self.insert(node, stm);
        self.before[node].remove(&copy);
        for user in users {
            self.bypass(*user, node);
            self.before[*user].insert(copy);
        }
    }

    fn insert_after(&mut self, before: Node, stm: Stm, needs: FxHashSet<Node>) -> Node {
        let (node, place) = (self.stms.len(), self.place[before]);
        // Moving places costs little, but is not free.
        let cost = self.before[before].len() + (self.order.len() - place) / 16;
        self.budget = self.budget.saturating_sub(cost);
        self.order.insert(place, node);
        self.place.push(place);
        for at in place..self.order.len() {
            self.place[self.order[at]] = at;
        }
        for var in &stm.pat {
            self.binder.insert(*var, node);
        }
        self.before.push(needs);
        self.before[before].insert(node);
        self.classes.push(self.classes[before].clone());
        self.merged.push(None);
        self.stms.push(Some(stm));
        node
    }

    /// Notes that a node depends on another one no longer, but on what that one depends on.
    pub(super) fn bypass(&mut self, node: Node, other: Node) {
        let mut needs = std::mem::take(&mut self.before[node]);
        needs.retain(|need| self.resolve(*need) != other);
        needs.extend(&self.before[other]);
        self.before[node] = needs;
    }

    /// Takes so much of the budget; whether there was enough.
    pub(super) fn spend(&mut self, cost: usize) -> bool {
        let left = self.budget.checked_sub(cost);
        self.budget = left.unwrap_or(0);
        left.is_some()
    }

    fn resolve(&self, mut node: Node) -> Node {
        while let Some(next) = self.merged[node] {
            node = next;
        }
        node
    }
}

/// How often variables are mentioned in a body, its results included.
pub(super) struct Counts(Vec<u32>);

impl Counts {
    /// Counts.
    pub(super) fn of(body: &Body, vars: &IdVec<Var, VarInfo>) -> Counts {
        let uses = fehu_facts::Uses::of(body, vars);
        Counts((0..vars.len()).map(|index| uses.count(Var::from_index(index))).collect())
    }

    /// The number of mentions.
    pub(super) fn get(&self, var: Var) -> u32 {
        self.0.get(var.index()).copied().unwrap_or(0)
    }

    /// Notes one mention more.
    pub(super) fn add(&mut self, var: Var) {
        if self.0.len() <= var.index() {
            self.0.resize(var.index() + 1, 0);
        }
        self.0[var.index()] += 1;
    }

    /// Notes that there is one mention less.
    pub(super) fn drop(&mut self, var: Var) {
        if let Some(count) = self.0.get_mut(var.index()) {
            *count = count.saturating_sub(1);
        }
    }
}
