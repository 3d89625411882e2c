//! Two streams become one.
//!
//! ```text
//! (r1, x, y) = stream_red op1 f e1 a          (r1, r2, x, y, z) = stream_red
//! (r2, z)    = stream_red op2 g e2 x b    ==>     (\c1 d1 c2 d2 -> (c1 op1 c2, d1 op2 d2))
//!                                                 (\s1 s2 ac bc -> let (r1', xc, yc) = f s1 ac
//!                                                                  let (r2', zc) = g s2 xc bc
//!                                                                  in (r1', r2', xc, yc, zc))
//!                                                 (e1, e2) a b
//! ```
//!
//! Without `x` this makes one of two streams that do not depend on each other. Sequential streams likewise, but without
//! operators. An array that both read is passed once. Where the second function's parameter stood for an array of the first one,
//! that array itself is used, or a copy if the parameter is consumed.

use super::super::Cx;
use super::Part;
use fehu_base::bug;
use fehu_ir::subst::{Subst, subst_lambda};
use fehu_ir::{Atom, Body, Exp, Lambda, Stm, Stream, StreamForm, Var};
use rustc_hash::FxHashMap;

/// Composes. `taken` are the variables that the second stream consumes, and `keep` tells which arrays of the first one are
/// needed otherwise.
pub(super) fn compose(
    cx: &mut Cx<'_>,
    first: Part,
    second: Part,
    taken: &[Var],
    keep: &dyn Fn(&Var) -> bool,
) -> (Vec<Var>, Stream) {
    let ordered = first.ordered || second.ordered;
    let (first_pat, second_pat) = (first.pat, second.pat);
    let (first, mut second) = (first.stream, second.stream);
    let (accs, more_accs) = (first.init.len(), second.init.len());
    let Lambda { params, body, ret } = first.chunk;
    let Body { mut stms, results } = body;
    // What the chunks of the second stream's inputs are.
    let outputs = (accs..results.len()).map(|index| (first_pat[index], results[index]));
    let mut chunks: FxHashMap<Var, Atom> = outputs.collect();
    let known = first.inputs.iter().zip(&params[1 + accs..]);
    chunks.extend(known.map(|(input, param)| (*input, Atom::Var(*param))));

    let mut inputs = first.inputs;
    let (sizes, more_params) = second.chunk.params.split_at(1);
    let (more_acc_params, more_chunks) = more_params.split_at(more_accs);
    let mut new_params = params[..1 + accs].to_vec();
    new_params.extend_from_slice(more_acc_params);
    new_params.extend_from_slice(&params[1 + accs..]);
    let mut subst = Subst::default();
    subst.extend(sizes.iter().map(|size| (*size, Atom::Var(params[0]))));
    for (input, param) in second.inputs.iter().zip(more_chunks) {
        match chunks.get(input) {
            Some(value) => {
                let value = own(cx, &mut stms, *param, *value, taken);
                subst.insert(*param, value);
            }
            None => {
                chunks.insert(*input, Atom::Var(*param));
                inputs.push(*input);
                new_params.push(*param);
            }
        }
    }
    subst_lambda(&mut second.chunk, cx.vars, &subst);

    let Lambda { body: more, ret: more_ret, .. } = second.chunk;
    stms.extend(more.stms);
    // Where in the first or in the second stream the results come from.
    let mut order: Vec<(bool, usize)> = (0..accs).map(|index| (true, index)).collect();
    order.extend((0..more_accs).map(|index| (false, index)));
    let arrays = accs..results.len();
    order.extend(arrays.filter(|at| keep(&first_pat[*at])).map(|index| (true, index)));
    order.extend((more_accs..more.results.len()).map(|index| (false, index)));
    let pick = |of: bool, at: usize| if of { results[at] } else { more.results[at] };
    let body = Body { stms, results: order.iter().map(|(of, at)| pick(*of, *at)).collect() };
    let pick = |of: bool, at: usize| if of { ret[at].clone() } else { more_ret[at].clone() };
    let ret = order.iter().map(|(of, at)| pick(*of, *at)).collect();
    let pick = |of: bool, at: usize| if of { first_pat[at] } else { second_pat[at] };
    let pat = order.iter().map(|(of, at)| pick(*of, *at)).collect();

    let init = first.init.into_iter().chain(second.init).collect();
    let form = forms(first.form, second.form, ordered);
    let chunk = Lambda { params: new_params, body, ret };
    (pat, Stream { width: first.width, inputs, form, init, chunk })
}

/// The array that stands for a parameter of the second function: a copy, if the parameter may be consumed.
fn own(cx: &mut Cx<'_>, stms: &mut Vec<Stm>, param: Var, value: Atom, taken: &[Var]) -> Atom {
    let Atom::Var(array) = value else { return value };
    if !taken.iter().any(|var| cx.share.may_share(*var, param)) {
        return value;
    }
    let info = cx.vars[array].clone();
    let copy = cx.vars.push(info);
    cx.share.join(copy, param);
    stms.push(Stm::new(vec![copy], Exp::Copy(array)));
    Atom::Var(copy)
}

fn forms(first: StreamForm, second: StreamForm, ordered: bool) -> StreamForm {
    match (first, second) {
        (StreamForm::Map, StreamForm::Map) => StreamForm::Map,
        (StreamForm::Red(op, _), StreamForm::Map) | (StreamForm::Map, StreamForm::Red(op, _)) => {
            StreamForm::Red(op, !ordered)
        }
        (StreamForm::Red(a, _), StreamForm::Red(b, _)) => StreamForm::Red(product(a, b), !ordered),
        // The caller asks for streams of one kind only.
        (StreamForm::Seq, _) | (_, StreamForm::Seq) => StreamForm::Seq,
        (StreamForm::Pass(_), _) | (_, StreamForm::Pass(_)) => {
            bug("a pass over sequences is fused")
        }
    }
}

/// Two operators side by side: the left operands of both come before the right ones.
pub(super) fn product(a: Lambda, b: Lambda) -> Lambda {
    let (left, right) = a.params.split_at(a.ret.len());
    let (more_left, more_right) = b.params.split_at(b.ret.len());
    let params = [left, more_left, right, more_right].concat();
    let mut body = a.body;
    body.stms.extend(b.body.stms);
    body.results.extend(b.body.results);
    let ret = a.ret.into_iter().chain(b.ret).collect();
    Lambda { params, body, ret }
}
