//! The dataflow of a function, for people: array operators and what passes between them.
//!
//! Arithmetic on scalars, and other views of arrays (slices, transpositions, reshapes), are no nodes of their own: what
//! uses them depends on whatever they depend on. The bodies of operators, loops and branches become flows inside of
//! their node if there are operators or loops in them.

use fehu_base::IdVec;
use fehu_facts::cost::has_operators;
use fehu_ir::free::free_in_stm;
use fehu_ir::{Atom, Body, Entry, Exp, Fun, Loc, LoopForm, Prog, Scalar, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A dataflow graph. Edges lead from nodes to nodes with greater numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flow {
    /// In an order in which everything is computed before it is used.
    pub nodes: Vec<Node>,
    /// What passes between them.
    pub edges: Vec<Edge>,
}

/// Something that makes or takes arrays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// What kind of thing.
    pub kind: NodeKind,
    /// What people call it: `map`, `loop`, the name of an input.
    pub label: String,
    /// Where it comes from.
    pub loc: Option<Loc>,
    /// What is inside.
    pub inner: Option<Flow>,
}

/// Kinds of nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NodeKind {
    /// A parameter of the entry point.
    Input,
    /// What the entry point returns.
    Result,
    /// An array operator.
    Operator,
    /// A loop, branch or call.
    Control,
    /// Anything else that makes an array: `iota`, `concat`, an update.
    Data,
}

impl NodeKind {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            NodeKind::Input => "input",
            NodeKind::Result => "result",
            NodeKind::Operator => "operator",
            NodeKind::Control => "control",
            NodeKind::Data => "data",
        }
    }
}

/// Something that passes from one node to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The index of the node that makes it.
    pub from: usize,
    /// The index of the node that takes it.
    pub to: usize,
    /// The type of what passes, as in `[n]f64`.
    pub label: String,
    /// Whether it is an array.
    pub array: bool,
}

/// The dataflow of an entry point.
pub fn of_entry(prog: &Prog, entry: &Entry) -> Flow {
    let fun = &prog.funs[entry.fun];
    let (flow, from) = Default::default();
    let mut made = Maker { prog, fun: &fun.vars, flow, from, depth: 0 };
    made.inputs(fun);
    made.body(&fun.body);
    made.result(&fun.body);
    made.flow
}

/// The type of a variable with the names that sizes have in the source.
pub fn type_text(vars: &IdVec<Var, VarInfo>, ty: &Type) -> String {
    let mut text = String::new();
    for size in ty.shape() {
        let _ = match size {
            Atom::Var(var) => write!(text, "[{}]", vars[*var].hint),
            Atom::Const(Scalar::I64(size)) => write!(text, "[{size}]"),
            Atom::Const(_) => write!(text, "[]"),
        };
    }
    match ty {
        Type::Scalar(elem) | Type::Array(elem, _) => {
            let _ = write!(text, "{elem}");
        }
        Type::Acc(_) => text.push_str("accumulator"),
    }
    text
}

/// A node has edges from at most this many others for one variable.
const MAX_SOURCES: usize = 8;
/// What is deeper inside is not shown: no picture would be readable, and drawing needs no large stack.
const MAX_DEPTH: usize = 12;

struct Maker<'a> {
    prog: &'a Prog,
    fun: &'a IdVec<Var, VarInfo>,
    flow: Flow,
    /// The nodes that a variable comes from.
    from: FxHashMap<Var, Vec<usize>>,
    /// How many nodes this is inside of.
    depth: usize,
}

impl Maker<'_> {
    fn inputs(&mut self, fun: &Fun) {
        for param in &fun.params {
            let info = &self.fun[param.var];
            if info.ty.is_array() {
                let label = info.hint.to_string();
                let node = Node { kind: NodeKind::Input, label, loc: None, inner: None };
                self.from.insert(param.var, vec![self.flow.nodes.len()]);
                self.flow.nodes.push(node);
            }
        }
    }

    fn result(&mut self, body: &Body) {
        let node =
            Node { kind: NodeKind::Result, label: "result".to_owned(), loc: None, inner: None };
        let vars: Vec<Var> = body.results.iter().filter_map(|atom| atom.var()).collect();
        self.connect(&vars);
        self.flow.nodes.push(node);
    }

    /// Adds edges to the next node.
    fn connect(&mut self, vars: &[Var]) {
        let to = self.flow.nodes.len();
        let first = self.flow.edges.len();
        for var in vars {
            let ty = &self.fun[*var].ty;
            for from in self.from.get(var).into_iter().flatten().copied() {
                let array = ty.is_array();
                let known = self.flow.edges[first..].iter_mut().find(|edge| edge.from == from);
                match known {
                    // One line is enough for all that passes between two nodes; arrays matter most.
                    Some(edge) if array && !edge.array => {
                        edge.array = true;
                        edge.label = type_text(self.fun, ty);
                    }
                    Some(_) => {}
                    None => {
                        let label = type_text(self.fun, ty);
                        self.flow.edges.push(Edge { from, to, label, array });
                    }
                }
            }
        }
    }

    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.stm(stm);
        }
    }

    fn stm(&mut self, stm: &Stm) {
        let free = free_in_stm(stm, self.fun);
        let Some((kind, label)) = self.node(stm) else {
            let mut from: Vec<usize> =
                free.iter().filter_map(|var| self.from.get(var)).flatten().copied().collect();
            from.sort_unstable();
            from.dedup();
            from.truncate(MAX_SOURCES);
            if !from.is_empty() {
                for var in &stm.pat {
                    self.from.insert(*var, from.clone());
                }
            }
            return;
        };
        self.connect(&free);
        for var in &stm.pat {
            self.from.insert(*var, vec![self.flow.nodes.len()]);
        }
        let inner = self.inner(&stm.exp);
        self.flow.nodes.push(Node { kind, label, loc: stm.loc.clone(), inner });
    }

    /// The flow of everything inside of an expression, if it is worth showing.
    fn inner(&self, exp: &Exp) -> Option<Flow> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        let (flow, from) = Default::default();
        let depth = self.depth + 1;
        let mut inner = Maker { prog: self.prog, fun: self.fun, flow, from, depth };
        exp.for_each_body(&mut |body| inner.body(body));
        let shown = |node: &Node| matches!(node.kind, NodeKind::Operator | NodeKind::Control);
        inner.flow.nodes.iter().any(shown).then_some(inner.flow)
    }

    fn node(&self, stm: &Stm) -> Option<(NodeKind, String)> {
        if let Some(name) = stm.exp.operator() {
            return Some((NodeKind::Operator, name.to_owned()));
        }
        let arrays = stm.pat.iter().any(|var| self.fun[*var].ty.is_array());
        let mut contains = false;
        stm.exp.for_each_body(&mut |body| contains |= has_operators(body));
        let control =
            |name: &str| (arrays || contains).then(|| (NodeKind::Control, name.to_owned()));
        let data = |name: &str| arrays.then(|| (NodeKind::Data, name.to_owned()));
        match &stm.exp {
            Exp::Loop(_, LoopForm::For(..), _) => control("for loop"),
            Exp::Loop(_, LoopForm::While(_), _) => control("while loop"),
            Exp::If(..) => control("if"),
            Exp::Switch(..) => control("match"),
            Exp::Call(id, _) => {
                let name = format!("call of {}", self.prog.funs[*id].name);
                Some((NodeKind::Control, name))
            }
            Exp::Const(id) => data(&format!("constant {}", self.prog.consts[*id].name)),
            Exp::Array(..) => data("array literal"),
            Exp::Update(..) | Exp::FlatUpdate(..) => data("update"),
            Exp::Concat(..) => data("concat"),
            Exp::Iota(..) => data("iota"),
            Exp::Replicate(..) => data("replicate"),
            Exp::Scratch(..) => data("scratch"),
            Exp::Copy(_) | Exp::Manifest(_) => data("copy"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_ir::text::parse;

    /// Nodes and edges in short.
    fn show(flow: &Flow) -> String {
        let mut text = String::new();
        for (index, node) in flow.nodes.iter().enumerate() {
            let from: Vec<String> = (flow.edges.iter().filter(|edge| edge.to == index))
                .map(|edge| format!("{}:{}", edge.from, edge.label))
                .collect();
            let inner = node.inner.as_ref().map_or(String::new(), |inner| {
                format!(" {{ {} }}", show(inner).replace('\n', "; "))
            });
            let _ = writeln!(text, "{index} {} <- {}{inner}", node.label, from.join(" "));
        }
        text
    }

    const PROG: &str = "prog arrays
fun f (n: i64, xs: [n]f64) -> (r: [n]f64) =
  let (m: f64) = screma n (xs) map \\(x: f64) -> (f64) {(x)} red \\(a: f64, b: f64) -> (f64) {
      let (c: f64) = add a b
      in (c) } neutral (0.0f64)
  let (d: f64) = mul m m
  let (ys: [n]f64) = screma n (xs) map \\(x: f64) -> (f64) {
      let (s: f64) = screma n (xs) map \\(z: f64) -> (f64) {(z)} red \\(a: f64, b: f64) -> (f64) {
        let (c: f64) = mul a b
        in (c) } neutral (1.0f64)
      let (y: f64) = mul s d
      in (y) }
  in (ys)
entry \"f\" = f (\"xs\": [n]f64) -> [n]f64
";

    #[test]
    fn operators_are_connected_through_scalars_and_nested() {
        let prog = parse(PROG).expect("it is a program");
        let flow = of_entry(&prog, &prog.entries[0]);
        let expected = "0 xs <- \n1 reduction <- 0:[n]f64\n\
            2 map <- 0:[n]f64 1:f64 { 0 reduction <- ;  }\n3 result <- 2:[n]f64\n";
        assert_eq!(show(&flow), expected);
        assert!(flow.edges.iter().all(|edge| edge.from < edge.to));
    }
}
