//! Maps. The return sweep is a map over the inputs and the adjoints of the results, whose function evaluates the
//! function again and then its return sweep. Its results are the adjoints of the elements; contributions to scalars
//! from outside are summed by a reduction in the same operator; contributions to arrays from outside go into
//! accumulators, which are those of the map around it, if it has any.

use super::Reverse;
use super::adjoint::Adjoint;
use crate::differentiate::Res;
use crate::differentiate::activity::{self, Set};
use crate::differentiate::num::{add_lambda, has_numbers, outer, sum_red, zero};
use fehu_base::OrBug;
use fehu_ir::builder::Builder;
use fehu_ir::free::free_in_lambda;
use fehu_ir::subst::copy_lambda;
use fehu_ir::{AccInput, Atom, Exp, Lambda, Screma, Type, Var};

impl Reverse {
    pub(super) fn map_back(
        &mut self,
        b: &mut Builder<'_>,
        width: Atom,
        inputs: &[Var],
        lambda: &Lambda,
        adjoints: Vec<Option<Atom>>,
    ) -> Res<()> {
        let original = lambda;
        let lambda = copy_lambda(lambda, b.vars_mut());
        self.common.copied(original, &lambda);
        // Accumulators of the primal are not in the return sweep.
        let is_array = |b: &Builder<'_>, var: Var| !matches!(b.ty(var), Type::Acc(_));
        let mut all_inputs = Vec::new();
        let mut params = Vec::new();
        for (input, param) in inputs.iter().zip(&lambda.params) {
            if is_array(b, *input) {
                all_inputs.push(*input);
                params.push(*param);
                if self.varied.contains(input) {
                    self.varied.insert(*param);
                }
            } else {
                self.varied.insert(*param);
            }
        }
        let (own_inputs, own_params) = (all_inputs.clone(), params.clone());
        activity::varied(&lambda.body, b.vars(), &mut self.varied);
        let mut useful = Set::default();
        for (result, adjoint) in lambda.body.results.iter().zip(&adjoints) {
            let is_acc = matches!(b.atom_ty(*result), Type::Acc(_));
            if let (Atom::Var(var), true) = (result, adjoint.is_some() || is_acc) {
                useful.insert(*var);
            }
        }
        activity::useful(&lambda.body, &mut useful);
        let free: Vec<Var> = free_in_lambda(&lambda, b.vars())
            .into_iter()
            .filter(|var| self.varied.contains(var) && useful.contains(var))
            .filter(|var| has_numbers(b.ty(*var)))
            .collect();
        let (arrays, scalars): (Vec<Var>, Vec<Var>) =
            free.into_iter().partition(|var| b.ty(*var).is_array());
        let is_accumulated =
            |array: &&Var| matches!(self.adjoints.get(array), Some(Adjoint::Acc(_)));
        let others: Set = arrays.iter().filter(|array| !is_accumulated(array)).copied().collect();
        if !others.is_empty() && others.len() < arrays.len() {
            return self.map_back_twice(b, width, inputs, original, adjoints, others);
        }

        // The adjoints of the results are inputs.
        let mut result_adjoints = Vec::new();
        for adjoint in &adjoints {
            let param = adjoint.and_then(Atom::var).map(|array| {
                let row = b.ty(array).row().or_bug("row of an adjoint");
                all_inputs.push(array);
                params.push(b.param("adjoint", row));
                Atom::Var(params[params.len() - 1])
            });
            result_adjoints.push(param);
        }

        // Accumulators for arrays: those of the scope, or new ones.
        let outside = self.adjoints.clone();
        let mut accs: Vec<(Var, Option<Var>)> = Vec::new();
        let mut new: Vec<(Var, Var, Var)> = Vec::new();
        self.adjoints.clear();
        for array in &arrays {
            let old = match outside.get(array) {
                Some(Adjoint::Acc(acc)) => Some(*acc),
                Some(Adjoint::Value(_)) | None => None,
            };
            let ty = match old {
                Some(acc) => b.ty(acc).clone(),
                None => {
                    let cert = b.param("cert", Type::CERT);
                    let acc = b.param("acc", Type::Acc(cert));
                    new.push((*array, cert, acc));
                    Type::Acc(cert)
                }
            };
            let param = b.param("acc", ty);
            params.push(param);
            accs.push((*array, old));
            all_inputs.push(old.unwrap_or_else(|| new[new.len() - 1].2));
            self.adjoints.insert(*array, Adjoint::Acc(param));
        }

        let mut inner = Builder::new(b.vars_mut());
        let is_host = std::mem::replace(&mut self.is_host, false);
        self.scope(&mut inner, lambda.body, &result_adjoints)?;
        self.is_host = is_host;
        let mut results = Vec::new();
        let mut ret = Vec::new();
        for var in &scalars {
            ret.push(inner.ty(*var).clone());
            results.push(self.take_or_zero(&mut inner, *var));
        }
        let mut to = Vec::new();
        for (input, param) in own_inputs.iter().zip(&own_params) {
            if self.adjoints.contains_key(param) {
                to.push(*input);
                ret.push(inner.ty(*param).clone());
                results.push(self.take_or_zero(&mut inner, *param));
            }
        }
        for (array, _) in &accs {
            let Some(Adjoint::Acc(acc)) = self.adjoints.get(array) else {
                return self.refuse("the derivative of this map");
            };
            ret.push(inner.ty(*acc).clone());
            results.push((*acc).into());
        }
        let body = inner.finish(results);
        self.adjoints = outside;
        if ret.is_empty() {
            return Ok(());
        }
        self.common.covers(true);
        let map = Lambda { params, body, ret };
        let reds = scalars.iter().map(|var| sum_red(b, &b.ty(*var).clone())).collect();
        let mut types = map.ret[..scalars.len()].to_vec();
        types.extend(outer(&map.ret[scalars.len()..], width));
        let screma = Screma { width, inputs: all_inputs, map, scans: Vec::new(), reds };
        let made = self.with_accumulators(b, Exp::Screma(Box::new(screma)), types, &new);
        let (values, made_accs) = made.split_at(made.len() - accs.len());
        for ((array, old), made) in accs.iter().zip(made_accs) {
            let adjoint = match old {
                Some(_) => Adjoint::Acc(*made),
                None => Adjoint::Value((*made).into()),
            };
            self.adjoints.insert(*array, adjoint);
        }
        // An array may be an input, and read by the function as well.
        for (var, value) in scalars.iter().chain(&to).zip(values) {
            self.contribute(b, (*var).into(), (*value).into());
        }
        Ok(())
    }

    /// The function reads arrays whose accumulators are in scope, and others. New accumulators are made around an
    /// operator, which cannot contribute to those in scope as well: so there are two operators, of which the second one
    /// is for the others.
    fn map_back_twice(
        &mut self,
        b: &mut Builder<'_>,
        width: Atom,
        inputs: &[Var],
        lambda: &Lambda,
        adjoints: Vec<Option<Atom>>,
        others: Set,
    ) -> Res<()> {
        self.varied.retain(|var| !others.contains(var));
        self.map_back(b, width, inputs, lambda, adjoints.clone())?;
        let varied = std::mem::replace(&mut self.varied, others);
        self.map_back(b, width, inputs, lambda, adjoints)?;
        self.varied.extend(varied);
        Ok(())
    }

    /// An operator whose last results are accumulators, with those that are new made of adjoints around it. Its
    /// results, with arrays in place of new accumulators.
    fn with_accumulators(
        &mut self,
        b: &mut Builder<'_>,
        exp: Exp,
        types: Vec<Type>,
        new: &[(Var, Var, Var)],
    ) -> Vec<Var> {
        if new.is_empty() {
            return b.several("adjoint", types, exp);
        }
        let mut inputs = Vec::new();
        for (array, _, _) in new {
            let adjoint = self.take_or_zero(b, *array).var().or_bug("adjoint of an array");
            let copy = b.exp("copy", Exp::Copy(adjoint));
            let ty = b.ty(*array).clone();
            let elem = Type::array(ty.elem().or_bug("type of elements"), Vec::new());
            let neutral = vec![zero(b, &elem)];
            let op = add_lambda(b, &elem, ty.rank());
            let shape = ty.shape().to_vec();
            inputs.push(AccInput { shape, arrays: vec![copy], op: Some((op, neutral)) });
        }
        let is_new = |ty: &Type| matches!(ty, Type::Acc(cert) if new.iter().any(|(_, known, _)| known == cert));
        let certs = new.iter().map(|(_, cert, _)| *cert);
        let params: Vec<Var> = certs.chain(new.iter().map(|(_, _, acc)| *acc)).collect();
        let count = types.len();
        let mut inner = Builder::new(b.vars_mut());
        let made = inner.several("adjoint", types.clone(), exp);
        let mut results: Vec<Atom> = Vec::new();
        for (var, ty) in made.iter().zip(&types) {
            if is_new(ty) {
                results.push((*var).into());
            }
        }
        let (mut ret, mut others) = (Vec::new(), Vec::new());
        for (_, cert, _) in new {
            ret.push(Type::Acc(*cert));
        }
        for (index, (var, ty)) in made.iter().zip(&types).enumerate() {
            if !is_new(ty) {
                results.push((*var).into());
                ret.push(ty.clone());
                others.push(index);
            }
        }
        let body = inner.finish(results);
        let mut outer_types: Vec<Type> =
            new.iter().map(|(array, _, _)| b.ty(*array).clone()).collect();
        outer_types.extend(ret[new.len()..].iter().cloned());
        let lambda = Lambda { params, body, ret };
        let bound = b.several("adjoint", outer_types, Exp::WithAcc(inputs, Box::new(lambda)));
        // In the order of the operator's results.
        let (mut arrays, rest) = (bound[..new.len()].iter(), &bound[new.len()..]);
        let mut all = Vec::with_capacity(count);
        for index in 0..count {
            let var = match others.iter().position(|other| *other == index) {
                Some(place) => rest[place],
                None => *arrays.next().or_bug("array of an accumulator"),
            };
            all.push(var);
        }
        all
    }
}
