//! The constants and functions of a program alike: each has variables and a body.

use crate::{Body, ConstId, FunId, Prog, Var, VarInfo};
use ecow::EcoString;
use fehu_base::IdVec;
use fehu_base::id::Id;

/// A constant or a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Item {
    /// A constant.
    Const(ConstId),
    /// A function.
    Fun(FunId),
}

impl Prog {
    /// All constants, and then all functions that there are now.
    pub fn items(&self) -> impl Iterator<Item = Item> + use<> {
        let consts = (0..self.consts.len()).map(|index| Item::Const(ConstId::from_index(index)));
        let funs = (0..self.funs.len()).map(|index| Item::Fun(FunId::from_index(index)));
        consts.chain(funs)
    }

    /// The body of an item.
    pub fn body(&self, item: Item) -> &Body {
        match item {
            Item::Const(id) => &self.consts[id].body,
            Item::Fun(id) => &self.funs[id].body,
        }
    }

    /// The variables of an item.
    pub fn vars(&self, item: Item) -> &IdVec<Var, VarInfo> {
        match item {
            Item::Const(id) => &self.consts[id].vars,
            Item::Fun(id) => &self.funs[id].vars,
        }
    }

    /// The parameters of an item; a constant has none.
    pub fn params(&self, item: Item) -> Vec<Var> {
        match item {
            Item::Const(_) => Vec::new(),
            Item::Fun(id) => self.funs[id].params.iter().map(|param| param.var).collect(),
        }
    }

    /// Whether a function may be called by something else than functions: entry points are, and steps of sequences. In a program
    /// without entry points, all are.
    pub fn is_called_from_outside(&self, fun: FunId) -> bool {
        self.entries.is_empty()
            || self.entries.iter().any(|entry| entry.fun == fun)
            || self.streams.iter().any(|stream| stream.funs().any(|step| step == fun))
    }

    /// The name by which users know an item: that of an entry point, if it is one.
    pub fn known_name(&self, item: Item) -> &EcoString {
        match item {
            Item::Const(id) => &self.consts[id].name,
            Item::Fun(id) => {
                let entry = self.entries.iter().find(|entry| entry.fun == id);
                entry.map_or(&self.funs[id].name, |entry| &entry.name)
            }
        }
    }

    /// The bodies of all items.
    pub fn bodies(&self) -> impl Iterator<Item = &Body> {
        self.items().map(|item| self.body(item))
    }

    /// Changes the variables and the body of an item, which is meanwhile empty in the program.
    pub fn change<R>(
        &mut self,
        item: Item,
        change: impl FnOnce(&Prog, &mut IdVec<Var, VarInfo>, &mut Body) -> R,
    ) -> R {
        let (vars, body) = self.code(item);
        let (mut vars, mut body) = (std::mem::take(vars), std::mem::take(body));
        let result = change(self, &mut vars, &mut body);
        let code = self.code(item);
        (*code.0, *code.1) = (vars, body);
        result
    }

    /// Changes one item after the other, as [`Prog::change`] does.
    pub fn for_each_body(
        &mut self,
        mut change: impl FnMut(&Prog, &mut IdVec<Var, VarInfo>, &mut Body),
    ) {
        for item in self.items() {
            self.change(item, &mut change);
        }
    }

    fn code(&mut self, item: Item) -> (&mut IdVec<Var, VarInfo>, &mut Body) {
        match item {
            Item::Const(id) => {
                let constant = &mut self.consts[id];
                (&mut constant.vars, &mut constant.body)
            }
            Item::Fun(id) => {
                let fun = &mut self.funs[id];
                (&mut fun.vars, &mut fun.body)
            }
        }
    }
}
