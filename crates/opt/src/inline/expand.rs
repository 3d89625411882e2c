//! Builds the new program from the old one and the decisions.
//!
//! Every function that stays is copied, together with what is inlined into it: at a call, copying continues with the
//! body of the original function, whose parameters are mapped to the arguments; then the variables of the call's
//! pattern are mapped to its results. So a statement is copied once for each time that it occurs in the new program.

use super::decide::{Plan, SMALL};
use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_facts::cost;
use fehu_ir::builder::count_stms;
use fehu_ir::subst::{Subst, subst_atom};
use fehu_ir::visit::{
    Visit, VisitMut, walk_exp, walk_exp_mut, walk_lambda_mut, walk_stm_mut, walk_type_mut,
};
use fehu_ir::{
    Atom, Attr, BinOp, Body, Check, Const, ConstId, Exp, Fun, FunId, Lambda, Loc, LoopForm, Prog,
    Scalar, Stm, Type, Var, VarInfo,
};

/// How many places a trace has at most: chains of calls that are longer are cut at the outer end.
const TRACE: usize = 16;

/// The new program.
pub(super) fn expand(prog: &Prog, plan: &Plan) -> Prog {
    let mut expander = Expander {
        prog,
        plan,
        consts: IdVec::filled(None, prog.consts.len()),
        cheap: IdVec::filled(false, prog.consts.len()),
    };
    // A constant needs only those before it.
    for (id, item) in prog.consts.iter() {
        let mut copy = Copy::new(&expander, item.vars.clone(), &plan.consts[id]);
        let body = copy.whole(&item.body);
        let (name, results) = (item.name.clone(), item.results.clone());
        let new = Const { name, vars: copy.vars, results, body };
        expander.cheap[id] = is_cheap(&new);
        expander.consts[id] = Some(new);
    }
    let mut funs: IdVec<FunId, Option<Fun>> = IdVec::filled(None, prog.funs.len());
    let mut consts = vec![false; prog.consts.len()];
    let mut refers = Refers { funs: plan.roots.clone(), consts: Vec::new() };
    loop {
        if let Some(id) = refers.funs.pop() {
            if funs[id].is_none() {
                let fun = expander.fun(id);
                refers.body(&fun.body);
                funs[id] = Some(fun);
            }
        } else if let Some(id) = refers.consts.pop() {
            if !std::mem::replace(&mut consts[id.index()], true)
                && let Some(item) = &expander.consts[id]
            {
                refers.body(&item.body);
            }
        } else {
            break;
        }
    }
    renumbered(prog, funs, expander.consts, &consts)
}

/// The program of what is left, with new numbers in the old order.
fn renumbered(
    prog: &Prog,
    mut funs: IdVec<FunId, Option<Fun>>,
    mut consts: IdVec<ConstId, Option<Const>>,
    needed: &[bool],
) -> Prog {
    let mut new = Prog {
        stage: prog.stage,
        consts: IdVec::new(),
        funs: IdVec::new(),
        entries: prog.entries.clone(),
    };
    let mut ids = Renumber {
        funs: IdVec::filled(FunId(0), funs.len()),
        consts: IdVec::filled(ConstId(0), consts.len()),
    };
    for (id, _) in prog.consts.iter() {
        if let (true, Some(item)) = (needed[id.index()], consts[id].take()) {
            ids.consts[id] = new.consts.push(item);
        }
    }
    for (id, _) in prog.funs.iter() {
        if let Some(fun) = funs[id].take() {
            ids.funs[id] = new.funs.push(fun);
        }
    }
    new.for_each_body(|_, _, body| ids.body(body));
    for entry in &mut new.entries {
        entry.fun = ids.funs[entry.fun];
    }
    new
}

/// Whether a constant is computed wherever it is needed.
fn is_cheap(item: &Const) -> bool {
    let scalars = item.results.iter().all(|var| matches!(item.vars[*var].ty, Type::Scalar(_)));
    scalars && count_stms(&item.body) <= SMALL && cost::is_cheap(&item.body, &item.vars)
}

struct Expander<'a> {
    prog: &'a Prog,
    plan: &'a Plan,
    /// The new constants.
    consts: IdVec<ConstId, Option<Const>>,
    /// Which of them are put where they are referred to.
    cheap: IdVec<ConstId, bool>,
}

impl Expander<'_> {
    fn fun(&self, id: FunId) -> Fun {
        let fun = &self.prog.funs[id];
        let mut copy = Copy::new(self, fun.vars.clone(), &self.plan.funs[id]);
        let body = copy.whole(&fun.body);
        Fun {
            name: fun.name.clone(),
            vars: copy.vars,
            params: fun.params.clone(),
            results: fun.results.clone(),
            body,
            attrs: fun.attrs.clone(),
            foreign: fun.foreign.clone(),
        }
    }
}

/// A body that is being copied: of the function itself, or of one that is inlined.
struct Instance<'a> {
    /// What stands for the variables of the original.
    subst: Subst,
    /// The original's variables; those of the function itself keep their numbers, which entry points mention.
    from: Option<&'a IdVec<Var, VarInfo>>,
    /// Which of its calls are inlined, and how many have been seen.
    decisions: &'a [bool],
    seen: usize,
    /// How deep in bodies inside it the copy is.
    depth: usize,
    /// The certificates and attributes of the call.
    certs: Vec<Var>,
    attrs: Vec<Attr>,
    /// The places of the call and those around it, innermost first.
    chain: Vec<Loc>,
    /// The innermost of them that the user wrote.
    place: Option<Loc>,
}

struct Copy<'a> {
    expander: &'a Expander<'a>,
    /// The new function's variables.
    vars: IdVec<Var, VarInfo>,
    out: Vec<Stm>,
    at: Instance<'a>,
}

impl<'a> Instance<'a> {
    fn new(from: Option<&'a IdVec<Var, VarInfo>>, decisions: &'a [bool]) -> Instance<'a> {
        Instance {
            subst: Subst::default(),
            from,
            decisions,
            seen: 0,
            depth: 0,
            certs: Vec::new(),
            attrs: Vec::new(),
            chain: Vec::new(),
            place: None,
        }
    }
}

impl<'a> Copy<'a> {
    fn new(
        expander: &'a Expander<'a>,
        vars: IdVec<Var, VarInfo>,
        decisions: &'a [bool],
    ) -> Copy<'a> {
        Copy { expander, vars, out: Vec::new(), at: Instance::new(None, decisions) }
    }

    fn whole(&mut self, body: &Body) -> Body {
        for stm in &body.stms {
            self.copy_stm(stm.clone());
        }
        let results = self.atoms(&body.results);
        Body { stms: std::mem::take(&mut self.out), results }
    }

    /// Variables of the new function for these, whose types may mention each other.
    fn bind_all(&mut self, vars: &[Var]) -> Vec<Var> {
        let mut new = Vec::with_capacity(vars.len());
        match self.at.from {
            None => new.extend_from_slice(vars),
            Some(from) => {
                for var in vars {
                    let copy = self.vars.push(from[*var].clone());
                    self.at.subst.insert(*var, Atom::Var(copy));
                    new.push(copy);
                }
            }
        }
        for var in &new {
            let mut ty = std::mem::replace(&mut self.vars[*var].ty, Type::CERT);
            walk_type_mut(self, &mut ty);
            self.vars[*var].ty = ty;
        }
        new
    }

    fn atoms(&self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().map(|atom| subst_atom(*atom, &self.at.subst)).collect()
    }

    /// Adds the statement, or what it calls.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    fn copy_stm(&mut self, mut stm: Stm) {
        let expander = self.expander;
        match &stm.exp {
            Exp::Call(id, args) => {
                // Nothing is decided for the bodies of constants: their calls stay.
                let yes = self.at.decisions.get(self.at.seen).copied().unwrap_or(false);
                self.at.seen += 1;
                if yes {
                    let fun = &expander.prog.funs[*id];
                    let mut inner = Instance::new(Some(&fun.vars), &expander.plan.funs[*id]);
                    for (param, arg) in fun.params.iter().zip(self.atoms(args)) {
                        inner.subst.insert(param.var, arg);
                    }
                    return self.enter(inner, &fun.body, &stm);
                }
            }
            Exp::Const(id) if expander.cheap[*id] => {
                if let Some(item) = &expander.consts[*id] {
                    let inner = Instance::new(Some(&item.vars), &[]);
                    return self.enter(inner, &item.body, &stm);
                }
            }
            _ => {}
        }
        self.bind_all(&stm.pat);
        self.adopt(&mut stm);
        self.stm(&mut stm);
        self.out.push(stm);
    }

    /// Goes on with a body in place of a call.
    fn enter(&mut self, mut inner: Instance<'a>, body: &'a Body, call: &Stm) {
        let mut certs = call.certs.clone();
        self.rename_certs(&mut certs);
        if self.at.depth == 0 {
            // Otherwise the statement around has them.
            certs.extend_from_slice(&self.at.certs);
            certs.sort_unstable();
            certs.dedup();
        }
        inner.certs = certs;
        let other = |attr: &&Attr| attr.name != "inline" && attr.name != "noinline";
        inner.attrs = call.attrs.iter().filter(other).cloned().collect();
        inner.chain.extend(call.loc.clone());
        inner.chain.extend(self.at.chain.iter().cloned());
        inner.chain.truncate(TRACE);
        inner.place = self.place(call.loc.as_ref());
        let outer = std::mem::replace(&mut self.at, inner);
        for stm in &body.stms {
            self.copy_stm(stm.clone());
        }
        let results = self.atoms(&body.results);
        self.at = outer;
        for (var, result) in call.pat.iter().zip(results) {
            self.at.subst.insert(*var, result);
        }
    }

    /// Gives a statement what the call had.
    fn adopt(&mut self, stm: &mut Stm) {
        stm.loc = self.place(stm.loc.as_ref());
        for attr in &self.at.attrs {
            if takes_attributes(&stm.exp) && !stm.attrs.contains(attr) {
                stm.attrs.push(attr.clone());
            }
        }
    }

    /// The place that is shown for a statement.
    fn place(&self, own: Option<&Loc>) -> Option<Loc> {
        match own {
            Some(loc) if self.at.place.is_none() || !loc.0.starts_with("/prelude/") => {
                Some(loc.clone())
            }
            _ => self.at.place.clone(),
        }
    }

    fn rename_certs(&self, certs: &mut Vec<Var>) {
        // A certificate that became the constant always holds.
        certs.retain(|cert| self.at.subst.get(cert) != Some(&Atom::Const(Scalar::Unit)));
        for cert in certs {
            if let Some(Atom::Var(new)) = self.at.subst.get(cert) {
                *cert = *new;
            }
        }
    }

    fn trace(&self, check: &mut Check) {
        let room = TRACE.saturating_sub(check.trace.len());
        check.trace.extend(self.at.chain.iter().take(room).cloned());
    }
}

impl VisitMut for Copy<'_> {
    fn use_var(&mut self, var: &mut Var) {
        if let Some(Atom::Var(new)) = self.at.subst.get(var) {
            *var = *new;
        }
    }

    fn use_atom(&mut self, atom: &mut Atom) {
        *atom = subst_atom(*atom, &self.at.subst);
    }

    fn bind(&mut self, var: &mut Var) {
        // The new variable was made before.
        self.use_var(var);
    }

    fn stm(&mut self, stm: &mut Stm) {
        let mut certs = std::mem::take(&mut stm.certs);
        self.rename_certs(&mut certs);
        if self.at.depth == 0 && relies(&stm.exp) {
            for cert in &self.at.certs {
                if !certs.contains(cert) {
                    certs.push(*cert);
                }
            }
        }
        walk_stm_mut(self, stm);
        stm.certs = certs;
    }

    fn body(&mut self, body: &mut Body) {
        let outer = std::mem::take(&mut self.out);
        self.at.depth += 1;
        for stm in std::mem::take(&mut body.stms) {
            self.copy_stm(stm);
        }
        self.at.depth -= 1;
        body.stms = std::mem::replace(&mut self.out, outer);
        for atom in &mut body.results {
            self.use_atom(atom);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other expressions stay as they are")]
    fn exp(&mut self, exp: &mut Exp) {
        match exp {
            Exp::Loop(params, form, _) => {
                let mut vars: Vec<Var> = params.iter().map(|param| param.var).collect();
                match form {
                    LoopForm::For(var, _) => vars.push(*var),
                    LoopForm::While(_) => {}
                }
                self.bind_all(&vars);
            }
            Exp::Assert(_, check) | Exp::Fail(check) => self.trace(check),
            _ => {}
        }
        walk_exp_mut(self, exp);
    }

    fn lambda(&mut self, lambda: &mut Lambda) {
        self.bind_all(&lambda.params);
        walk_lambda_mut(self, lambda);
    }
}

/// Whether an expression may be undefined or fail where a certificate of the call does not hold.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the others are listed by what they do not rely on"
)]
fn relies(exp: &Exp) -> bool {
    match exp {
        Exp::BinOp(op, ..) => {
            matches!(op, BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem)
        }
        _ => !matches!(
            exp,
            Exp::Atom(_)
                | Exp::UnOp(..)
                | Exp::CmpOp(..)
                | Exp::Math(..)
                | Exp::Convert(..)
                | Exp::Reinterpret(..)
                | Exp::Const(_)
        ),
    }
}

/// Whether attributes of a call mean something for an expression in the function.
fn takes_attributes(exp: &Exp) -> bool {
    matches!(
        exp,
        Exp::Loop(..)
            | Exp::Call(..)
            | Exp::Screma(_)
            | Exp::Hist(_)
            | Exp::Scatter(_)
            | Exp::Stream(_)
            | Exp::Partition(_)
            | Exp::Flatmap(_)
    )
}

/// What bodies refer to.
struct Refers {
    funs: Vec<FunId>,
    consts: Vec<ConstId>,
}

impl Visit for Refers {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others contain what is looked for only in their bodies"
    )]
    fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Call(id, _) => self.funs.push(*id),
            Exp::Const(id) => self.consts.push(*id),
            _ => walk_exp(self, exp),
        }
    }
}

struct Renumber {
    funs: IdVec<FunId, FunId>,
    consts: IdVec<ConstId, ConstId>,
}

impl VisitMut for Renumber {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others contain what is looked for only in their bodies"
    )]
    fn exp(&mut self, exp: &mut Exp) {
        match exp {
            Exp::Call(id, _) => *id = self.funs[*id],
            Exp::Const(id) => *id = self.consts[*id],
            _ => walk_exp_mut(self, exp),
        }
    }
}
