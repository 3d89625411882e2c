//! Recursive functions. Other functions are copied to where they are called; these have derivatives that are functions
//! as well, made once for each set of arguments that take part.
//!
//! ```text
//! f (x, n) = if n == 0 then 1 else x * f (x, n-1)
//! ==>
//! forward (x, n, dx) = (f (x, n), its tangent), which calls itself
//! reverse (x, n, gy) = the adjoint of x, which calls f and itself
//! ```
//!
//! The reverse derivative evaluates its function again, and with it what that calls, unless nothing needs its value: a
//! recursion whose own results are factors costs the square of its depth at worst. The adjoints of arrays go through
//! all calls as one array, which each of them may update in place.

use super::common::{Common, Derivative, Mode};
use super::forward::Forward;
use super::num::has_numbers;
use super::once::once;
use super::prepare::{prepare, without_custom};
use super::record::record;
use super::reuse::reuse;
use super::reverse::{Reverse, resize};
use super::{Res, expand, own};
use fehu_base::IdVec;
use fehu_ir::builder::Builder;
use fehu_ir::subst::{Subst, subst_type};
use fehu_ir::{Atom, Body, Exp, Fun, FunId, Param, Prog, Stm, Type, Var, VarInfo};
use std::rc::Rc;

/// Makes the derivatives of functions that are wanted, and those that these want. `original` has the functions as they were.
pub(super) fn make_all(prog: &mut Prog, original: &Prog, common: &Rc<Common>) -> Res<()> {
    loop {
        let Some(next) = common.wanted(prog.funs.len()) else { return Ok(()) };
        // A derivative of a derivative is asked for after that one.
        let fun = original.funs.get(next.of).unwrap_or(&prog.funs[next.of]).clone();
        let made = make(fun, &next, original, common)?;
        prog.funs.push(made);
    }
}

fn make(fun: Fun, what: &Derivative, prog: &Prog, common: &Rc<Common>) -> Res<Fun> {
    let Fun { name, mut vars, params, results, mut body, attrs, foreign: _ } = fun;
    prepare(&mut body, prog, common, &mut vars)?;
    // It may be called anywhere.
    expand(&mut body, prog, common, &mut vars, false)?;
    prepare(&mut body, prog, common, &mut vars)?;
    let mut params: Vec<Param> =
        params.into_iter().map(|param| Param { consumed: false, ..param }).collect();
    let active: Vec<Var> = params
        .iter()
        .zip(&what.active)
        .filter(|(_, active)| **active)
        .map(|(param, _)| param.var)
        .collect();
    let numbers: Vec<usize> = with_numbers(&results, &vars);
    let (suffix, body, results) = match what.mode {
        Mode::Forward => {
            without_custom(&mut body, &mut vars);
            let mut all = results.clone();
            all.extend(numbers.iter().map(|index| like(&mut vars, "d", results[*index])));
            let mut b = Builder::new(&mut vars);
            let mut forward = Forward::new(common.clone(), None);
            for var in active {
                let var = forward.tangent_param(&mut b, var);
                params.push(Param { var, consumed: false });
            }
            let values = body.results.clone();
            forward.stms(&mut b, body.stms)?;
            let mut out = values.clone();
            out.extend(numbers.iter().map(|index| forward.or_zero(&mut b, values[*index])));
            ("tangent", b.finish(out), all)
        }
        Mode::Reverse => {
            record(&mut body, &mut vars, common);
            // The sizes of results are not known before the function is evaluated: here they are parameters.
            let sizes = sizes(&results, &vars);
            let mut names = Subst::default();
            for index in &sizes {
                let var = like(&mut vars, "size", results[*index]);
                names.insert(results[*index], var.into());
                params.push(Param { var, consumed: false });
            }
            let mut seeds = Vec::new();
            for index in &numbers {
                let var = like(&mut vars, "adjoint", results[*index]);
                subst_type(&mut vars[var].ty, &names);
                params.push(Param { var, consumed: false });
                seeds.push((body.results[*index], var));
            }
            let mut given = Vec::new();
            for var in &active {
                if !vars[*var].ty.is_array() {
                    continue;
                }
                let adjoint = like(&mut vars, "adjoint", *var);
                params.push(Param { var: adjoint, consumed: true });
                given.push((*var, adjoint));
            }
            let all = active.iter().map(|var| like(&mut vars, "adjoint", *var)).collect();
            let mut b = Builder::new(&mut vars);
            let mut reverse = Reverse::of(common.clone(), None);
            let adjoints = reverse.function(&mut b, body, &seeds, &given, &active)?;
            let mut body = b.finish(adjoints);
            without_custom(&mut body, &mut vars);
            ("adjoint", body, all)
        }
    };
    let mut body = body;
    let consumed = params.iter().filter(|param| param.consumed).map(|param| param.var).collect();
    once(&mut body, &mut vars, common);
    reuse(&mut body, &mut vars, common);
    own::own(&mut body, &mut vars, common, &consumed);
    let name = format!("{name}_{suffix}").into();
    Ok(Fun { name, vars, params, results, body, attrs, foreign: None })
}

/// The results that have tangents and adjoints.
fn with_numbers(results: &[Var], vars: &IdVec<Var, VarInfo>) -> Vec<usize> {
    (0..results.len()).filter(|index| has_numbers(&vars[results[*index]].ty)).collect()
}

/// The results that are sizes of others.
fn sizes(results: &[Var], vars: &IdVec<Var, VarInfo>) -> Vec<usize> {
    let is_size =
        |var: Var| results.iter().any(|other| vars[*other].ty.shape().contains(&Atom::Var(var)));
    (0..results.len()).filter(|index| is_size(results[*index])).collect()
}

fn like(vars: &mut IdVec<Var, VarInfo>, hint: &str, var: Var) -> Var {
    let ty = vars[var].ty.clone();
    vars.push(VarInfo { hint: hint.into(), ty })
}

/// The arguments of a call, with copies of what it consumes.
fn copies_of_consumed(common: &Common, b: &mut Builder<'_>, id: FunId, args: &[Atom]) -> Vec<Atom> {
    let mut args = args.to_vec();
    for index in common.consumed(id, &args, b.vars()) {
        if let Atom::Var(array) = args[index] {
            args[index] = b.exp("copy", Exp::Copy(array)).into();
        }
    }
    args
}

impl Forward {
    /// The call of a recursive function, with tangents. If several directions share the values, these come from a call
    /// of their own.
    pub(super) fn call(
        &mut self,
        b: &mut Builder<'_>,
        mut stm: Stm,
        id: FunId,
        mut args: Vec<Atom>,
    ) -> Res<()> {
        let active: Vec<bool> = args.iter().map(|arg| self.tangent(*arg).is_some()).collect();
        let tangents: Vec<Atom> = args.iter().filter_map(|arg| self.tangent(*arg)).collect();
        let pat = stm.pat.clone();
        if self.is_shared && !tangents.is_empty() {
            if !sizes(&pat, b.vars()).is_empty() {
                let what = "several directions through a recursive function whose results have other sizes than its arguments";
                return self.refuse(what);
            }
            let copied = copies_of_consumed(&self.common, b, id, &args);
            b.push(Stm { exp: Exp::Call(id, copied), ..stm.clone() });
            stm.pat = pat.iter().map(|var| b.param("same", b.ty(*var).clone())).collect();
        }
        args.extend(tangents);
        let id = self.common.derivative(id, Mode::Forward, active);
        let which: Vec<bool> = pat.iter().map(|var| has_numbers(b.ty(*var))).collect();
        stm.pat.extend(self.bind(b, &pat, &which));
        stm.exp = Exp::Call(id, args);
        b.push(stm);
        Ok(())
    }
}

impl Reverse {
    /// The adjoints of the parameters of a function whose body this is, for those of its results. The adjoints of arrays
    /// are what is given, and what is contributed here.
    fn function(
        &mut self,
        b: &mut Builder<'_>,
        body: Body,
        seeds: &[(Atom, Var)],
        given: &[(Var, Var)],
        active: &[Var],
    ) -> Res<Vec<Atom>> {
        let steps = self.begin(b, &active.iter().copied().collect(), body)?;
        for (array, adjoint) in given {
            self.start_from(*array, *adjoint);
        }
        for (result, seed) in seeds {
            let seed = resize(b, *result, (*seed).into());
            self.contribute(b, *result, seed);
        }
        self.back(b, &steps)?;
        Ok(active.iter().map(|var| self.take_or_zero(b, *var)).collect())
    }

    /// The call of a recursive function, with copies of what it consumes: the return sweep has the arguments, too.
    pub(super) fn call_forward(&self, b: &mut Builder<'_>, stm: &Stm, id: FunId, args: &[Atom]) {
        let args = copies_of_consumed(&self.common, b, id, args);
        b.push(Stm { exp: Exp::Call(id, args), ..stm.clone() });
    }

    /// What the call of a recursive function contributes.
    pub(super) fn call_back(
        &mut self,
        b: &mut Builder<'_>,
        pat: &[Var],
        id: FunId,
        args: &[Atom],
    ) -> Res<()> {
        let is_active = |arg: &Atom| self.is_varied(*arg) && has_numbers(&b.atom_ty(*arg));
        let active: Vec<bool> = args.iter().map(is_active).collect();
        let wanted: Vec<Atom> =
            args.iter().zip(&active).filter(|(_, active)| **active).map(|(arg, _)| *arg).collect();
        let mut all = args.to_vec();
        all.extend(sizes(pat, b.vars()).into_iter().map(|index| Atom::Var(pat[index])));
        for index in with_numbers(pat, b.vars()) {
            all.push(self.take_or_zero(b, pat[index]));
        }
        for array in wanted.iter().filter_map(|arg| arg.var()) {
            if b.ty(array).is_array() {
                let adjoint = self.value_or_zero(b, array);
                all.push(b.exp("copy", Exp::Copy(adjoint)).into());
            }
        }
        let types: Vec<Type> = wanted.iter().map(|arg| b.atom_ty(*arg)).collect();
        let id = self.common.derivative(id, Mode::Reverse, active);
        let made = b.several("adjoint", types, Exp::Call(id, all));
        for (arg, adjoint) in wanted.into_iter().zip(made) {
            self.contribute(b, arg, adjoint.into());
        }
        Ok(())
    }
}
