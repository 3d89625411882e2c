//! Elements of maps.

use super::index::parts;
use super::{Make, array, result};
use crate::simplify::cx::Cx;
use crate::simplify::rules::Rewrite;
use fehu_ir::{Dim, Exp, Stm};
use std::rc::Rc;

/// `(map f xs)[i] = f xs[i]`, if `f` is cheap, what it reads never changes, and this is not evaluated more often
/// than the map. The map can then often be fused with what needs all of it.
pub(in crate::simplify::rules) fn index_of_map(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (mapped, [Dim::Fix(at), rest @ ..]) = parts(stm)? else { return None };
    let map = Rc::clone(cx.map(mapped)?);
    if !cx.in_frame(mapped) || cx.vars[result(stm)?].ty.is_array() {
        return None;
    }
    let fixed = |var: &fehu_ir::Var| cx.share.is_settled(array(cx, *var));
    if !map.inputs.iter().all(fixed) || !map.free.iter().all(fixed) {
        return None;
    }
    let mut make = Make::new(stm);
    make.certify(&map.certs);
    let lambda = cx.copy_lambda(&map.lambda);
    let certs = make.certs.clone();
    for (param, input) in lambda.params.iter().zip(&map.inputs) {
        let input = array(cx, *input);
        if cx.vars[*param].ty.is_array() {
            cx.share.join(*param, input);
        }
        make.push(vec![*param], certs.clone(), Exp::Index(input, vec![Dim::Fix(*at)]));
    }
    let value = lambda.body.results[map.result];
    for mut inner in lambda.body.stms {
        inner.certs.extend_from_slice(&certs);
        make.stms.push(inner);
    }
    let exp = match (rest, value.var()) {
        ([], _) => Exp::Atom(value),
        (rest, Some(row)) => Exp::Index(row, rest.to_vec()),
        (_, None) => return None,
    };
    make.finish(cx, exp)
}
