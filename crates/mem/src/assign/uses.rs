//! What a function does with its arrays: whether somebody only reads their elements, and how often.
//!
//! An array that a branch or a loop hands on with strides that are known only at run time is read more slowly than one
//! whose rows are known to be contiguous, and it is copied where it crosses a boundary. So it is handed on like this
//! only if each of its elements is read about as often as a copy would read it, and if nothing copies it anyway.

use super::returns::Returns;
use fehu_base::IdVec;
use fehu_ir::free::free_in_stm;
use fehu_ir::{Atom, Body, Exp, Lambda, Seg, Stm, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// An array of which all elements are read this often, and more often, should be copied once.
const MAX_READS: usize = 4;

/// What becomes of an array.
#[derive(Clone, Copy)]
enum Use {
    /// Elements are read, in so many loops and operators.
    Read(usize),
    /// It is this array, or this is a part of it.
    Is(Var),
    /// It is copied, or passed as a pointer.
    Moved,
    /// A function returns it as it is.
    Left,
}

/// Who reads an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reader {
    /// The function that has it.
    Function,
    /// Perhaps those that call the function, too.
    Caller,
}

/// When an array would be copied otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Copied {
    /// Each time that the variable gets a value.
    Here,
    /// Once, before the loop whose parameter it is.
    BeforeLoop,
}

/// Why strides should not be known only at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slow {
    /// The array is copied anyway.
    Moved,
    /// It is read too often.
    Often,
}

/// The uses of the arrays of a function.
#[derive(Default)]
pub(super) struct Uses {
    of: FxHashMap<Var, Vec<Use>>,
    /// In how many loops and operators results of branches and calls and parameters of loops are.
    depth: FxHashMap<Var, usize>,
}

impl Uses {
    /// Those of a function or constant.
    pub(super) fn of(body: &Body, vars: &IdVec<Var, VarInfo>, returns: Returns) -> Uses {
        let mut find = Find { vars, found: Uses::default(), depth: 0 };
        find.body(body);
        match returns {
            Returns::Copies => find.results(body),
            // What becomes of them is seen where the function is called.
            Returns::Views => find.add_all(&body.results, Use::Left),
        }
        find.found
    }

    /// Whether a result of a branch, or a parameter of a loop, of this rank may have strides that are known only at run
    /// time. Otherwise it would be copied once, or, as a parameter, in each iteration. Threads of a device have no
    /// memory for a copy: they read it as it is.
    pub(super) fn may_be_strided(
        &self,
        var: Var,
        rank: usize,
        copied: Copied,
        is_thread: bool,
    ) -> Result<Reader, Slow> {
        let Some(depth) = self.depth.get(&var) else { return Err(Slow::Moved) };
        let base = match copied {
            Copied::Here => *depth,
            Copied::BeforeLoop => depth.saturating_sub(1),
        };
        let (mut seen, mut open, mut reads) = (FxHashSet::from_iter([var]), vec![var], 0);
        let mut reader = Reader::Function;
        while let Some(array) = open.pop() {
            for found in self.of.get(&array).into_iter().flatten() {
                match found {
                    Use::Moved => return Err(Slow::Moved),
                    Use::Left => reader = Reader::Caller,
                    Use::Is(other) => {
                        if seen.insert(*other) {
                            open.push(*other);
                        }
                    }
                    // Fewer loops than dimensions do not read all elements.
                    Use::Read(depth) => match depth.saturating_sub(base) {
                        loops if loops > rank => reads = usize::MAX,
                        loops if loops == rank => reads = reads.saturating_add(1),
                        _ => {}
                    },
                }
            }
        }
        if reads > MAX_READS && !is_thread { Err(Slow::Often) } else { Ok(reader) }
    }
}

struct Find<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    found: Uses,
    depth: usize,
}

impl Find<'_> {
    fn add(&mut self, var: Var, found: Use) {
        if self.vars[var].ty.is_array() {
            self.found.of.entry(var).or_default().push(found);
        }
    }

    fn add_all(&mut self, atoms: &[Atom], found: Use) {
        atoms.iter().filter_map(|atom| atom.var()).for_each(|var| self.add(var, found));
    }

    fn body(&mut self, body: &Body) {
        body.stms.iter().for_each(|stm| self.stm(stm));
    }

    fn results(&mut self, body: &Body) {
        self.add_all(&body.results, Use::Moved);
    }

    fn repeated(&mut self, body: &Body) {
        self.deeper(1, |this| this.body(body));
    }

    fn deeper(&mut self, by: usize, work: impl FnOnce(&mut Self)) {
        self.depth += by;
        work(self);
        self.depth -= by;
    }

    /// The function of an operator, whose results are stored.
    fn function(&mut self, lambda: &Lambda) {
        self.repeated(&lambda.body);
        self.results(&lambda.body);
    }

    /// A part of an array, which is an element or another array.
    fn part(&mut self, array: Var, part: Var, depth: usize) {
        match self.vars[part].ty.is_array() {
            true => self.add(array, Use::Is(part)),
            false => self.add(array, Use::Read(depth)),
        }
    }

    fn join(&mut self, pat: &[Var], values: &[Atom]) {
        for (var, value) in pat.iter().zip(values) {
            self.add_all(&[*value], Use::Is(*var));
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "whatever else has to do with an array may copy it"
    )]
    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Index(array, _) | Exp::Rearrange(array, _) => {
                self.part(*array, stm.pat[0], self.depth);
            }
            Exp::Atom(atom) | Exp::Opaque(atom) => self.join(&stm.pat, &[*atom]),
            Exp::If(..) | Exp::Switch(..) => {
                stm.pat.iter().for_each(|var| _ = self.found.depth.insert(*var, self.depth));
                stm.exp.for_each_body(&mut |body| {
                    self.body(body);
                    self.join(&stm.pat, &body.results);
                });
            }
            Exp::Call(_, args) => {
                stm.pat.iter().for_each(|var| _ = self.found.depth.insert(*var, self.depth));
                self.add_all(args, Use::Moved);
            }
            Exp::Loop(params, _, body) => {
                let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
                let inits: Vec<Atom> = params.iter().map(|param| param.init).collect();
                vars.iter().for_each(|var| _ = self.found.depth.insert(*var, self.depth + 1));
                self.join(&vars, &inits);
                self.repeated(body);
                self.join(&vars, &body.results);
                self.join(&stm.pat, &vars.into_iter().map(Atom::Var).collect::<Vec<Atom>>());
            }
            Exp::Screma(op) => {
                for (input, param) in op.inputs.iter().zip(&op.map.params) {
                    self.part(*input, *param, self.depth + 1);
                }
                self.function(&op.map);
                let scans = op.scans.iter().map(|scan| (&scan.op, &scan.neutral));
                for (lambda, neutral) in
                    scans.chain(op.reds.iter().map(|red| (&red.op, &red.neutral)))
                {
                    self.add_all(neutral, Use::Moved);
                    self.function(lambda);
                }
            }
            Exp::Seg(seg) => self.seg(seg),
            _ => {
                free_in_stm(stm, self.vars).into_iter().for_each(|var| self.add(var, Use::Moved));
                stm.exp.for_each_lambda(&mut |lambda| self.function(lambda));
            }
        }
    }

    fn seg(&mut self, seg: &Seg) {
        if let Some(rows) = seg.rows {
            self.add(rows.ends, Use::Moved);
        }
        let space = seg.space.len();
        for (input, param) in seg.inputs.iter().zip(seg.elements()) {
            self.part(*input, *param, self.depth + space);
        }
        self.deeper(space, |this| this.body(&seg.body.body));
        self.results(&seg.body.body);
    }
}
