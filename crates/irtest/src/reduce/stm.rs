//! Edits of single statements, wherever they are.

use super::Edited;
use fehu_base::IdVec;
use fehu_ir::subst::{Subst, subst_body};
use fehu_ir::visit::{VisitMut, walk_body_mut, walk_exp_mut};
use fehu_ir::{Atom, Body, Elem, Exp, LoopForm, Prog, Scalar, Screma, Stm, Type, Var, VarInfo};

/// What is done to a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edit {
    /// So many statements become the simplest values of their types.
    Default(usize),
    /// It is removed.
    Remove,
    /// It becomes a part of itself: a branch, the initial values of a loop, one iteration.
    Part(usize),
    /// Its result becomes an operand of the same type.
    Forward(usize),
    /// One of its results is removed.
    Result(usize),
    /// One of its inputs is removed.
    Input(usize),
    /// An operand becomes this constant, if it is a scalar.
    Operand(usize, u64),
    /// Certificates, attributes, place and message are removed.
    Strip,
    /// The certificates stay.
    StripSome,
}

/// The edits that are tried, in order.
pub(super) const EDITS: &[Edit] = &[
    Edit::Remove,
    Edit::Part(0),
    Edit::Part(1),
    Edit::Part(2),
    Edit::Forward(0),
    Edit::Forward(1),
    Edit::Forward(2),
    Edit::Result(0),
    Edit::Result(1),
    Edit::Result(2),
    Edit::Result(3),
    Edit::Input(0),
    Edit::Input(1),
    Edit::Input(2),
    Edit::Strip,
    Edit::StripSome,
    Edit::Operand(0, 0),
    Edit::Operand(1, 0),
    Edit::Operand(2, 0),
    Edit::Operand(3, 0),
    Edit::Operand(0, 1),
    Edit::Operand(1, 1),
    Edit::Operand(2, 1),
    Edit::Operand(3, 1),
];

/// Edits the statement with this number, counting all statements of the program.
pub(super) fn edit(prog: &mut Prog, at: usize, edit: &Edit) -> Edited {
    let mut left = at;
    for item in prog.items() {
        let edited = prog.change(item, |_, vars, body| in_body(body, vars, &mut left, edit));
        if let Some(edited) = edited {
            return edited;
        }
    }
    Edited::End
}

fn in_body(
    body: &mut Body,
    vars: &mut IdVec<Var, VarInfo>,
    left: &mut usize,
    edit: &Edit,
) -> Option<Edited> {
    let mut editor = Editor { vars, left: *left, edit, done: None, subst: Subst::default() };
    editor.body(body);
    let Editor { left: rest, done, subst, .. } = editor;
    *left = rest;
    if !subst.is_empty() {
        // A variable may stand for one that is replaced itself.
        for _ in 0..4 {
            subst_body(body, vars, &subst);
        }
    }
    done
}

struct Editor<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
    left: usize,
    edit: &'a Edit,
    done: Option<Edited>,
    subst: Subst,
}

impl VisitMut for Editor<'_> {
    fn body(&mut self, body: &mut Body) {
        if self.done.is_some() {
            return;
        }
        if self.left < body.stms.len() {
            let at = self.left;
            self.done = Some(if self.apply(body, at) { Edited::Yes } else { Edited::No });
            return;
        }
        self.left -= body.stms.len();
        walk_body_mut(self, body);
    }
}

impl Editor<'_> {
    fn apply(&mut self, body: &mut Body, at: usize) -> bool {
        match *self.edit {
            Edit::Default(count) => self.default(body, at, count),
            Edit::Remove => {
                body.stms.remove(at);
                true
            }
            Edit::Part(which) => {
                let Some(part) = part(&body.stms[at].exp, which) else { return false };
                let stm = body.stms.remove(at);
                self.subst.extend(part.subst);
                self.subst.extend(stm.pat.into_iter().zip(part.body.results));
                body.stms.splice(at..at, part.body.stms);
                true
            }
            Edit::Forward(which) => {
                let stm = &body.stms[at];
                let [var] = stm.pat[..] else { return false };
                let mut operands = Vec::new();
                stm.exp.for_each_operand(&mut |atom| operands.push(atom));
                let ty = self.vars[var].ty.clone();
                let same = |atom: &Atom| fehu_ir::builder::atom_type(*atom, self.vars) == ty;
                let Some(operand) = operands.into_iter().filter(same).nth(which) else {
                    return false;
                };
                self.subst.insert(var, operand);
                body.stms.remove(at);
                true
            }
            Edit::Result(which) => drop_result(&mut body.stms[at], which),
            Edit::Input(which) => drop_input(&mut body.stms[at], which),
            Edit::Operand(which, bits) => {
                let mut operands = Operands { vars: self.vars, left: which, bits, done: false };
                operands.exp(&mut body.stms[at].exp);
                operands.done
            }
            Edit::Strip => {
                strip(&mut body.stms[at]);
                body.stms[at].certs.clear();
                true
            }
            Edit::StripSome => {
                strip(&mut body.stms[at]);
                true
            }
        }
    }

    /// Replaces results by zeros: scalars where they are used, arrays by a statement each.
    fn default(&mut self, body: &mut Body, at: usize, count: usize) -> bool {
        let end = (at + count).min(body.stms.len());
        if count > 1 && end - at < count && at > 0 {
            return false;
        }
        let mut new = Vec::new();
        for stm in body.stms.drain(at..end) {
            let mut operands = Vec::new();
            stm.exp.for_each_operand(&mut |atom| operands.extend(atom.var()));
            for var in stm.pat {
                let ty = self.vars[var].ty.clone();
                match &ty {
                    Type::Scalar(elem) => {
                        self.subst.insert(var, Atom::Const(zero(*elem)));
                    }
                    Type::Array(elem, shape) => {
                        let value = Atom::Const(zero(*elem));
                        new.push(Stm::new(vec![var], Exp::Replicate(shape.clone(), value)));
                    }
                    Type::Acc(_) => {
                        // The accumulator as it was before.
                        let old = operands.iter().find(|operand| self.vars[**operand].ty == ty);
                        if let Some(old) = old {
                            self.subst.insert(var, Atom::Var(*old));
                        }
                    }
                }
            }
        }
        body.stms.splice(at..at, new);
        true
    }
}

fn zero(elem: Elem) -> Scalar {
    match elem {
        Elem::Prim(prim) => Scalar::zero(prim),
        Elem::Unit => Scalar::Unit,
    }
}

struct Part {
    body: Body,
    subst: Subst,
}

fn part(exp: &Exp, which: usize) -> Option<Part> {
    let plain = |body: &Body| Part { body: body.clone(), subst: Subst::default() };
    match exp {
        Exp::If(_, bodies) => bodies.get(which).map(plain),
        Exp::Switch(_, switch) => match which {
            0 => Some(plain(&switch.default)),
            _ => switch.cases.get(which - 1).map(|(_, body)| plain(body)),
        },
        Exp::Loop(params, form, body) => {
            let inits = params.iter().map(|param| param.init);
            match which {
                0 => Some(Part { body: Body::of(inits.collect()), subst: Subst::default() }),
                1 => {
                    let mut subst: Subst =
                        params.iter().map(|param| param.var).zip(inits).collect();
                    if let LoopForm::For(var, Atom::Const(bound)) = form
                        && let Elem::Prim(prim) = bound.elem()
                    {
                        subst.insert(*var, Atom::Const(Scalar::zero(prim)));
                    }
                    Some(Part { body: (**body).clone(), subst })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn drop_result(stm: &mut Stm, which: usize) -> bool {
    if which >= stm.pat.len() {
        return false;
    }
    let fits = |body: &Body| which < body.results.len();
    match &mut stm.exp {
        Exp::If(_, bodies) if bodies.iter().all(fits) => {
            for body in bodies.iter_mut() {
                body.results.remove(which);
            }
        }
        Exp::Switch(_, switch)
            if fits(&switch.default) && switch.cases.iter().all(|(_, body)| fits(body)) =>
        {
            switch.default.results.remove(which);
            for (_, body) in &mut switch.cases {
                body.results.remove(which);
            }
        }
        Exp::Loop(params, _, body) if which < params.len() && fits(body) => {
            params.remove(which);
            body.results.remove(which);
        }
        Exp::Screma(screma) if fits(&screma.map.body) && which < screma.map.ret.len() => {
            if !drop_operator(screma, which) {
                return false;
            }
            screma.map.body.results.remove(which);
            screma.map.ret.remove(which);
        }
        _ => return false,
    }
    stm.pat.remove(which);
    true
}

/// Removes the scan or reduction that a result belongs to, if it has no others.
fn drop_operator(screma: &mut Screma, which: usize) -> bool {
    let mut first = 0;
    for at in 0..screma.scans.len() {
        let parts = screma.scans[at].neutral.len();
        if (first..first + parts).contains(&which) {
            screma.scans.remove(at);
            return parts == 1;
        }
        first += parts;
    }
    for at in 0..screma.reds.len() {
        let parts = screma.reds[at].neutral.len();
        if (first..first + parts).contains(&which) {
            screma.reds.remove(at);
            return parts == 1;
        }
        first += parts;
    }
    true
}

fn drop_input(stm: &mut Stm, which: usize) -> bool {
    let (inputs, map) = match &mut stm.exp {
        Exp::Screma(op) => (&mut op.inputs, &mut op.map),
        Exp::Hist(op) => (&mut op.inputs, &mut op.map),
        Exp::Scatter(op) => (&mut op.inputs, &mut op.map),
        _ => return false,
    };
    if which >= inputs.len() || which >= map.params.len() {
        return false;
    }
    inputs.remove(which);
    map.params.remove(which);
    true
}

fn strip(stm: &mut Stm) {
    stm.attrs.clear();
    stm.loc = None;
    if let Exp::Assert(_, check) | Exp::Fail(check) = &mut stm.exp {
        check.parts.truncate(1);
        check.trace.clear();
    }
}

struct Operands<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    left: usize,
    bits: u64,
    done: bool,
}

impl VisitMut for Operands<'_> {
    fn use_atom(&mut self, atom: &mut Atom) {
        if self.done {
            return;
        }
        let Type::Scalar(elem) = fehu_ir::builder::atom_type(*atom, self.vars) else { return };
        if self.left > 0 {
            self.left -= 1;
            return;
        }
        self.done = true;
        *atom = Atom::Const(match elem {
            Elem::Prim(prim) => Scalar::from_bits(prim, self.bits),
            Elem::Unit => Scalar::Unit,
        });
    }

    // Statements inside have their own turn.
    fn body(&mut self, body: &mut Body) {
        for atom in &mut body.results {
            self.use_atom(atom);
        }
    }

    fn exp(&mut self, exp: &mut Exp) {
        walk_exp_mut(self, exp);
    }
}
