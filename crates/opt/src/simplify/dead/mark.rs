//! A graph of dependences, and what can be reached in it.
//!
//! Its nodes are variables, and *groups*: things that are there as a whole or not at all. A statement is a group, and so is
//! every operator of an array operator with its operands. A variable depends on the group that binds it, and a group
//! on the one that it is inside, because a statement is evaluated only if the statement around it is.
//!
//! Groups have the numbers of their statements in the order of the text. The groups inside a statement
//! itself follow it, and then come those of its bodies.

use fehu_base::id::Id;
use fehu_ir::visit::{Visit, walk_type};
use fehu_ir::{Atom, Type, Var};
use smallvec::SmallVec;

/// The number of a group.
pub(super) type Group = usize;

#[derive(Clone, Default)]
struct Node {
    needs: SmallVec<[Var; 4]>,
    group: Option<Group>,
    live: bool,
}

/// The graph.
pub(super) struct Graph {
    vars: Vec<Node>,
    groups: Vec<Node>,
    /// For every group the first one that is not inside it.
    ends: Vec<Group>,
    work: Vec<Work>,
}

enum Work {
    Var(Var),
    Group(Group),
}

/// What is live.
pub(super) struct Live {
    vars: Vec<bool>,
    groups: Vec<bool>,
    ends: Vec<Group>,
}

impl Graph {
    pub(super) fn new(vars: usize) -> Graph {
        Graph {
            vars: vec![Node::default(); vars],
            groups: Vec::new(),
            ends: Vec::new(),
            work: Vec::new(),
        }
    }

    /// A new group inside another.
    pub(super) fn group(&mut self, inside: Option<Group>) -> Group {
        self.groups.push(Node { group: inside, ..Node::default() });
        self.ends.push(0);
        self.groups.len() - 1
    }

    /// Notes that everything inside a group has been added.
    pub(super) fn end(&mut self, group: Group) {
        self.ends[group] = self.groups.len();
    }

    /// A variable belongs to a group.
    pub(super) fn bind(&mut self, var: Var, group: Group) {
        self.vars[var.index()].group = Some(group);
    }

    pub(super) fn var_needs(&mut self, var: Var, atom: Atom) {
        if let Atom::Var(needed) = atom {
            self.vars[var.index()].needs.push(needed);
        }
    }

    pub(super) fn var_needs_type(&mut self, var: Var, ty: &Type) {
        walk_type(&mut Collect(&mut self.vars[var.index()].needs), ty);
    }

    pub(super) fn group_needs(&mut self, group: Group, atom: Atom) {
        if let Atom::Var(needed) = atom {
            self.groups[group].needs.push(needed);
        }
    }

    pub(super) fn group_needs_type(&mut self, group: Group, ty: &Type) {
        walk_type(&mut Collect(&mut self.groups[group].needs), ty);
    }

    /// Something is needed from outside.
    pub(super) fn mark_atom(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom {
            self.work.push(Work::Var(var));
        }
    }

    /// A group has an effect.
    pub(super) fn mark_group(&mut self, group: Group) {
        self.work.push(Work::Group(group));
    }

    /// Follows all dependences.
    pub(super) fn finish(mut self) -> Live {
        while let Some(work) = self.work.pop() {
            let node = match work {
                Work::Var(var) => &mut self.vars[var.index()],
                Work::Group(group) => &mut self.groups[group],
            };
            if std::mem::replace(&mut node.live, true) {
                continue;
            }
            self.work.extend(node.needs.iter().map(|var| Work::Var(*var)));
            self.work.extend(node.group.map(Work::Group));
        }
        Live {
            vars: self.vars.into_iter().map(|node| node.live).collect(),
            groups: self.groups.into_iter().map(|node| node.live).collect(),
            ends: self.ends,
        }
    }
}

impl Live {
    /// Whether a variable is needed.
    pub(super) fn var(&self, var: Var) -> bool {
        self.vars[var.index()]
    }

    /// Whether a group is.
    pub(super) fn group(&self, group: Group) -> bool {
        self.groups[group]
    }

    /// The first group that is not inside this one.
    pub(super) fn end(&self, group: Group) -> Group {
        self.ends[group]
    }
}

struct Collect<'a>(&'a mut SmallVec<[Var; 4]>);

impl Visit for Collect<'_> {
    fn use_var(&mut self, var: &Var) {
        self.0.push(*var);
    }
}
