//! The text of a program with its table: the program, and then for each function, as comments, its blocks and what is
//! where. So the text still reads as the program.
//!
//! ```text
//! -- memory of main
//! --   m0 comes with xs_1: i32
//! --   m1 before ys_3: i32, n_0*4
//! --   xs_1: m0, 0 + {(n_0 : 1)}
//! --   ys_3: m1, 0 + {(n_0 : 4), (4 : 1)}
//! --   is_5: computed, iota from 0 by 1
//! --   after ys_3: m0 ends
//! ```
//!
//! Variables for the positions of operators are not in the program; they have a dot in their names.

use crate::table::{Computed, Moment, Origin, Placed, Table};
use fehu_base::IdVec;
use fehu_ir::text::{renumber_fun, show_atom, var_name};
use fehu_ir::{Atom, Fun, Var, VarInfo};
use rustc_hash::FxHashMap;
use std::fmt;

impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.prog.to_string().trim_end())?;
        for (id, constant) in self.prog.consts.iter() {
            let fun = Fun {
                name: constant.name.clone(),
                vars: constant.vars.clone(),
                params: Vec::new(),
                results: constant.results.clone(),
                body: constant.body.clone(),
                attrs: Vec::new(),
                foreign: None,
            };
            table(f, fun, &self.consts[id])?;
        }
        for (id, fun) in self.prog.funs.iter() {
            table(f, fun.clone(), &self.funs[id])?;
        }
        Ok(())
    }
}

/// The names that variables have in the text of a program.
struct Names<'a> {
    old: &'a IdVec<Var, VarInfo>,
    new: IdVec<Var, VarInfo>,
    map: FxHashMap<Var, Var>,
}

impl Names<'_> {
    fn var(&self, var: Var) -> String {
        match self.map.get(&var) {
            Some(new) => var_name(*new, &self.new),
            None => format!("{}.{}", self.old[var].hint, var.0),
        }
    }

    fn atom(&self, atom: Atom) -> String {
        match atom {
            Atom::Var(var) => self.var(var),
            Atom::Const(_) => show_atom(atom, &self.new),
        }
    }
}

fn table(f: &mut fmt::Formatter<'_>, mut fun: Fun, table: &Table) -> fmt::Result {
    let old = fun.vars.clone();
    let map = renumber_fun(&mut fun);
    let names = Names { old: &old, new: fun.vars, map };
    writeln!(f, "\n-- memory of {}", fun.name)?;
    for (id, block) in table.blocks.iter() {
        let elem = block.elem;
        match &block.origin {
            Origin::Unused => {}
            Origin::Carried(var) => {
                writeln!(f, "--   {id:?} comes with {}: {elem}", names.var(*var))?
            }
            Origin::Fresh { before, size } => {
                let size: Vec<String> = size.iter().map(|size| names.atom(*size)).collect();
                let size = if size.is_empty() { "1".to_owned() } else { size.join("*") };
                let local = if table.local_size(id).is_some() { ", on the stack" } else { "" };
                writeln!(f, "--   {id:?} before {}: {elem}, {size}{local}", names.var(*before))?;
            }
        }
    }
    let mut places = table.places();
    places.sort_by_key(|(var, _)| (names.map.get(var).copied().unwrap_or(*var), *var));
    for (var, place) in places {
        let lmad = place.lmad.show(&|var| names.var(var));
        writeln!(f, "--   {}: {:?}, {lmad}", names.var(var), place.block)?;
    }
    let mut computed: Vec<(Var, Computed)> =
        table.computed.iter().map(|(var, computed)| (*var, *computed)).collect();
    computed.sort_unstable_by_key(|(var, _)| *var);
    for (var, computed) in computed {
        let what = match computed {
            Computed::Iota(prim, start, step) => {
                format!("iota {prim} from {} by {}", names.atom(start), names.atom(step))
            }
            Computed::Replicate(value) => format!("always {}", names.atom(value)),
        };
        writeln!(f, "--   {}: computed, {what}", names.var(var))?;
    }
    let mut moments: Vec<Moment> = table.ends.keys().copied().collect();
    moments.sort_unstable_by_key(|moment| (names.map.get(&moment.var()).copied(), *moment));
    for moment in moments {
        let var = names.var(moment.var());
        let when = match moment {
            Moment::After(_) => format!("after {var}"),
            Moment::Entry(_, number) => format!("on entry {number} of {var}"),
            Moment::Exit(_, number) => format!("on exit {number} of {var}"),
        };
        let blocks: Vec<String> =
            table.ends[&moment].iter().map(|block| format!("{block:?}")).collect();
        writeln!(f, "--   {when}: {} ends", blocks.join(", "))?;
    }
    Ok(())
}
