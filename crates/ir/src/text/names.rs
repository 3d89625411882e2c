//! Numbering of variables in the order of their bindings, and names that the text form can write.

use crate::visit::{Visit, VisitMut, walk_type_mut};
use crate::{Body, Entry, External, Fun, Prog, Type, Var, VarInfo};
use ecow::EcoString;
use fehu_base::IdVec;
use fehu_base::id::Id;
use rustc_hash::FxHashMap;

/// The same program with the variables of each function numbered in the order of their bindings:
/// parameters, results, then the body in the order of its text. Variables that do not occur are dropped,
/// and hints and names are made such that they can be written.
pub fn renumber(prog: &Prog) -> Prog {
    let mut prog = prog.clone();
    let mut renames = IdVec::<crate::FunId, _>::new();
    for index in 0..prog.funs.len() {
        renames.push(renumber_fun(&mut prog.funs[crate::FunId::from_index(index)]));
    }
    for index in 0..prog.consts.len() {
        let item = &mut prog.consts[crate::ConstId::from_index(index)];
        item.name = sanitise(&item.name, "c");
        let mut rename = Rename::default();
        rename.bind_all(&item.results);
        rename.body(&item.body);
        item.vars = rename.finish(&item.vars);
        rename.apply_vars(&mut item.results);
        Apply(&rename).body(&mut item.body);
    }
    for entry in &mut prog.entries {
        // Sizes that do not occur in the function would be dropped; there is no such function.
        if let Some(rename) = renames.get(entry.fun) {
            rename_entry(entry, rename);
        }
    }
    prog
}

/// Numbers the variables of one function; returns where each one went.
pub fn renumber_fun(fun: &mut Fun) -> FxHashMap<Var, Var> {
    fun.name = sanitise(&fun.name, "f");
    let mut rename = Rename::default();
    for param in &fun.params {
        rename.bind(&param.var);
    }
    rename.bind_all(&fun.results);
    rename.body(&fun.body);
    fun.vars = rename.finish(&fun.vars);
    for param in &mut fun.params {
        param.var = rename.new_of(param.var);
    }
    rename.apply_vars(&mut fun.results);
    Apply(&rename).body(&mut fun.body);
    rename.map
}

/// A name that the text form can write: letters, digits, `_`, `'` and `.`, and no digit first.
pub fn sanitise(name: &str, default: &str) -> EcoString {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '\'' | '.');
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    if name.chars().all(plain) && name.starts_with(starts) {
        return name.into();
    }
    let mut result = EcoString::new();
    if !name.starts_with(starts) {
        result.push_str(default);
    }
    result.extend(name.chars().map(|c| if plain(c) { c } else { '_' }));
    result
}

/// A name without a trailing `_` and number.
pub(super) fn without_number(name: &str) -> &str {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match bare.strip_suffix('_') {
        Some(hint) if bare.len() < name.len() && !hint.is_empty() => hint,
        _ => name,
    }
}

#[derive(Default)]
struct Rename {
    map: FxHashMap<Var, Var>,
    /// The old variables in the new order.
    order: Vec<Var>,
    /// Used before or without being bound.
    used: Vec<Var>,
}

impl Rename {
    fn bind_all(&mut self, vars: &[Var]) {
        for var in vars {
            self.bind(var);
        }
    }

    /// Numbers what is used but not bound, and makes the new table.
    fn finish(&mut self, vars: &IdVec<Var, VarInfo>) -> IdVec<Var, VarInfo> {
        for var in std::mem::take(&mut self.used) {
            self.bind(&var);
        }
        // The types of variables may mention others that occur nowhere else.
        let mut next = 0;
        while let Some(&old) = self.order.get(next) {
            next += 1;
            if let Some(info) = vars.get(old) {
                crate::visit::walk_type(self, &info.ty);
                for var in std::mem::take(&mut self.used) {
                    self.bind(&var);
                }
            }
        }
        let mut table = IdVec::new();
        for old in &self.order {
            let mut info = vars
                .get(*old)
                .cloned()
                .unwrap_or(VarInfo { hint: EcoString::new(), ty: Type::CERT });
            info.hint = sanitise(&info.hint, "v");
            walk_type_mut(&mut Apply(self), &mut info.ty);
            table.push(info);
        }
        table
    }

    fn new_of(&self, var: Var) -> Var {
        self.map.get(&var).copied().unwrap_or(var)
    }

    fn apply_vars(&self, vars: &mut [Var]) {
        for var in vars {
            *var = self.new_of(*var);
        }
    }
}

impl Visit for Rename {
    fn use_var(&mut self, var: &Var) {
        if !self.map.contains_key(var) {
            self.used.push(*var);
        }
    }

    fn bind(&mut self, var: &Var) {
        let next = Var::from_index(self.order.len());
        if let std::collections::hash_map::Entry::Vacant(entry) = self.map.entry(*var) {
            entry.insert(next);
            self.order.push(*var);
        }
    }

    fn body(&mut self, body: &Body) {
        crate::visit::walk_body(self, body);
    }
}

struct Apply<'a>(&'a Rename);

impl VisitMut for Apply<'_> {
    fn use_var(&mut self, var: &mut Var) {
        *var = self.0.new_of(*var);
    }

    fn bind(&mut self, var: &mut Var) {
        *var = self.0.new_of(*var);
    }
}

/// Renames the sizes in the external types of an entry point.
pub(super) fn rename_entry(entry: &mut Entry, map: &FxHashMap<Var, Var>) {
    let rename = Rename { map: map.clone(), ..Rename::default() };
    for (_, ty) in &mut entry.params {
        rename_external(ty, &rename);
    }
    rename_external(&mut entry.result, &rename);
}

fn rename_external(external: &mut External, rename: &Rename) {
    external.for_each_type_mut(&mut |ty| walk_type_mut(&mut Apply(rename), ty));
}
