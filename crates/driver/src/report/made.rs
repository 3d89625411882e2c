//! Which arrays are still made, and for whom: what operators leave in memory is what the program waits for.
//!
//! An array that only the next operator reads is gone after fusion. Of the others, this says who needs them as a whole:
//! operators that could not be fused, indexing, loops, the caller.

use super::model::{Note, NoteKind};
use fehu_base::IdVec;
use fehu_ir::visit::{Visit, walk_exp, walk_stm};
use fehu_ir::{Atom, Body, Dim, Exp, Item, Lambda, Loc, Prog, Stm, Var, VarInfo};
use rustc_hash::FxHashMap;

/// Adds a note for each operator that makes arrays. `show` says where a place is, in words, as seen from another one.
pub(super) fn explain(
    prog: &Prog,
    show: &dyn Fn(Option<&Loc>, Option<&Loc>) -> String,
    add: &mut dyn FnMut(Option<&Loc>, Note),
) {
    for item in prog.items() {
        let (vars, body) = (prog.vars(item), prog.body(item));
        let reader = match item {
            Item::Const(_) => "the program",
            Item::Fun(_) => "the caller",
        };
        let mut uses = Uses { reader, ..Uses::default() };
        uses.body(body);
        let mut notes = Notes { vars, uses: &uses.of, show, add };
        notes.body(body);
    }
}

/// The number of operators of a program, and of the arrays that they make.
pub(super) fn count(prog: &Prog) -> (usize, usize) {
    let mut total = (0, 0);
    for item in prog.items() {
        let mut counter = Counter { vars: prog.vars(item), operators: 0, arrays: 0 };
        counter.body(prog.body(item));
        total = (total.0 + counter.operators, total.1 + counter.arrays);
    }
    total
}

struct Counter<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    operators: usize,
    arrays: usize,
}

impl Visit for Counter<'_> {
    fn stm(&mut self, stm: &Stm) {
        if stm.exp.operator().is_some() {
            self.operators += 1;
            self.arrays += made(self.vars, stm).len();
        }
        walk_stm(self, stm);
    }
}

/// The arrays that an operator makes anew; those that it writes to were there before.
fn made(vars: &IdVec<Var, VarInfo>, stm: &Stm) -> Vec<Var> {
    match &stm.exp {
        Exp::Hist(_) | Exp::Scatter(_) | Exp::WithAcc(..) => Vec::new(),
        _ => stm.pat.iter().copied().filter(|var| vars[*var].ty.is_array()).collect(),
    }
}

/// What is done with an array, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Use {
    /// In words, such as `indexed by the map`.
    how: String,
    /// The operator or loop that does it; none if the words say all.
    place: Option<Option<Loc>>,
}

/// The uses of variables in one function.
#[derive(Default)]
struct Uses {
    /// Who gets the results of the outermost body.
    reader: &'static str,
    of: FxHashMap<Var, Vec<Use>>,
    /// The operators and loops around, outermost first.
    around: Vec<(String, Option<Loc>)>,
}

impl Uses {
    fn add(&mut self, var: Var, how: String, place: Option<Option<Loc>>) {
        let uses = self.of.entry(var).or_default();
        let new = Use { how, place };
        if !uses.contains(&new) {
            uses.push(new);
        }
    }

    /// A use that is best described by what is around it.
    fn within(&mut self, var: Var, how: &str) {
        match self.around.last().cloned() {
            Some((what, loc)) => self.add(var, format!("{how} in the {what}"), Some(loc)),
            None => self.add(var, how.to_owned(), None),
        }
    }

    fn enter(&mut self, what: &str, stm: &Stm) {
        self.around.push((what.to_owned(), stm.loc.clone()));
        walk_exp(self, &stm.exp);
        self.around.pop();
    }
}

impl Visit for Uses {
    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.stm(stm);
        }
        for var in body.results.iter().filter_map(|atom| atom.var()) {
            match self.around.last().cloned() {
                Some((what, loc)) => {
                    self.add(var, format!("part of the result of the {what}"), Some(loc));
                }
                None => self.add(var, format!("returned to {}", self.reader), None),
            }
        }
    }

    fn stm(&mut self, stm: &Stm) {
        let loc = &stm.loc;
        match &stm.exp {
            Exp::Loop(params, ..) => {
                for var in params.iter().filter_map(|param| param.init.var()) {
                    self.add(var, "needed by the loop".to_owned(), Some(loc.clone()));
                }
                self.enter("loop", stm);
            }
            // Its branches are where it is.
            Exp::If(..) | Exp::Switch(..) => walk_exp(self, &stm.exp),
            Exp::Index(array, dims) => {
                let fixed = dims.iter().all(|dim| matches!(dim, Dim::Fix(_)));
                self.within(*array, if fixed { "indexed" } else { "sliced" });
            }
            Exp::FlatIndex(array, ..) => self.within(*array, "sliced"),
            Exp::Update(array, _, value) => {
                self.within(*array, "updated in place");
                if let Atom::Var(value) = value {
                    self.within(*value, "written to another array");
                }
            }
            Exp::FlatUpdate(array, _, _, value) => {
                self.within(*array, "updated in place");
                self.within(*value, "written to another array");
            }
            Exp::Concat(_, arrays) => {
                arrays.iter().for_each(|array| self.within(*array, "concatenated"));
            }
            Exp::Copy(array) | Exp::Manifest(array) => self.within(*array, "copied"),
            Exp::Rearrange(array, _) => self.within(*array, "transposed"),
            Exp::Reshape(array, _) => self.within(*array, "reshaped"),
            Exp::Call(_, args) => {
                for var in args.iter().filter_map(|arg| arg.var()) {
                    self.add(var, "passed to a function that is not inlined".to_owned(), None);
                }
            }
            exp => match exp.operator() {
                Some(what) => {
                    exp.for_each_operand(&mut |atom| {
                        if let Atom::Var(var) = atom {
                            self.add(var, format!("read by the {what}"), Some(loc.clone()));
                        }
                    });
                    self.enter(what, stm);
                }
                None => exp.for_each_operand(&mut |atom| {
                    if let Atom::Var(var) = atom {
                        self.within(var, "used");
                    }
                }),
            },
        }
    }

    fn lambda(&mut self, lambda: &Lambda) {
        self.body(&lambda.body);
    }
}

struct Notes<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    uses: &'a FxHashMap<Var, Vec<Use>>,
    show: &'a dyn Fn(Option<&Loc>, Option<&Loc>) -> String,
    add: &'a mut dyn FnMut(Option<&Loc>, Note),
}

/// No more uses are listed.
const MAX_USES: usize = 3;

impl Visit for Notes<'_> {
    fn stm(&mut self, stm: &Stm) {
        let arrays = made(self.vars, stm);
        let name = stm.exp.operator();
        if let (Some(name), false) = (name, arrays.is_empty()) {
            let mut words: Vec<String> = Vec::new();
            for used in arrays.iter().filter_map(|var| self.uses.get(var)).flatten() {
                let text = match &used.place {
                    None => used.how.clone(),
                    Some(loc) => {
                        let place = (self.show)(stm.loc.as_ref(), loc.as_ref());
                        format!("{} {place}", used.how)
                    }
                };
                if !words.contains(&text) {
                    words.push(text);
                }
            }
            let more = words.len().saturating_sub(MAX_USES);
            words.truncate(MAX_USES);
            let mut text = match arrays.len() {
                1 => format!("{name}: creates an array"),
                count => format!("{name}: creates {count} arrays"),
            };
            if !words.is_empty() {
                text.push_str(": ");
                text.push_str(&words.join("; "));
            }
            if more > 0 {
                text.push_str(&format!("; and {more} more uses"));
            }
            let note = Note { line: 0, column: 0, kind: NoteKind::Made, text };
            (self.add)(stm.loc.as_ref(), note);
        }
        walk_stm(self, stm);
    }
}
