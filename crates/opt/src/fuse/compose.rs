//! Two functions of array operators become one.
//!
//! The producer's function runs first, then the consumer's, at the same position:
//!
//! ```text
//! ys = map f xs;  zs = map g ys us    ==>    zs = map (\x u -> let y = f x in g y u) xs us
//! ```
//!
//! An array that both read is passed once. Where the consumer's parameter stood for a result of the producer, the
//! result itself is used; a copy of it, if the consumer's function consumes the parameter, because the row may be needed
//! by somebody else.

use super::Cx;
use fehu_facts::consumed_by;
use fehu_ir::subst::{Subst, subst_body};
use fehu_ir::{Atom, Exp, Lambda, Stm, Var};
use rustc_hash::FxHashMap;

/// One function made of two.
pub(super) struct Composed {
    /// The arrays that it is applied to.
    pub(super) inputs: Vec<Var>,
    /// Its parameters, one for each.
    pub(super) params: Vec<Var>,
    /// Its statements.
    pub(super) stms: Vec<Stm>,
    /// The results of the producer's function.
    pub(super) first: Vec<Atom>,
    /// The results of the consumer's function.
    pub(super) second: Vec<Atom>,
    /// The inputs of the consumer that are passed once less than before: results of the producer and arrays that
    /// both read.
    pub(super) saved: Vec<Var>,
}

/// Composes; `outputs` says which result of the producer's function an array consists of.
pub(super) fn compose(
    cx: &mut Cx<'_>,
    outputs: &FxHashMap<Var, usize>,
    (inputs, first): (Vec<Var>, Lambda),
    (more, second): (Vec<Var>, Lambda),
) -> Composed {
    let Lambda { params, body, .. } = first;
    let mut composed = Composed {
        inputs,
        params,
        stms: body.stms,
        first: body.results,
        second: Vec::new(),
        saved: Vec::new(),
    };
    let mut known: FxHashMap<Var, Var> =
        composed.inputs.iter().copied().zip(composed.params.iter().copied()).collect();
    let eaten = consumed_by(cx.prog, &second);
    let mut subst = Subst::default();
    for (input, param) in more.into_iter().zip(second.params) {
        let value = match outputs.get(&input) {
            Some(index) => Some(composed.first[*index]),
            None => known.get(&input).map(|var| Atom::Var(*var)),
        };
        match value {
            Some(value) => {
                let consumed = eaten.iter().any(|var| cx.share.may_share(*var, param));
                let value =
                    if consumed { own(cx, &mut composed.stms, param, value) } else { value };
                cx.stands_for(value, param);
                subst.insert(param, value);
                composed.saved.push(input);
            }
            None => {
                known.insert(input, param);
                composed.inputs.push(input);
                composed.params.push(param);
            }
        }
    }
    let mut body = second.body;
    subst_body(&mut body, cx.vars, &subst);
    composed.stms.append(&mut body.stms);
    composed.second = body.results;
    composed
}

/// The value that stands for a parameter that is consumed: a copy, if it is a row.
fn own(cx: &mut Cx<'_>, stms: &mut Vec<Stm>, param: Var, value: Atom) -> Atom {
    let Atom::Var(row) = value else { return value };
    if !cx.vars[param].ty.is_array() {
        return value;
    }
    let info = cx.vars[row].clone();
    let copy = cx.vars.push(info);
    cx.share.join(copy, param);
    cx.counts.add(row);
    stms.push(Stm::new(vec![copy], Exp::Copy(row)));
    Atom::Var(copy)
}
