//! Maps that are cheap enough to be applied once more, to a single element.

use fehu_base::IdVec;
use fehu_facts::{Effects, cost};
use fehu_ir::free::free_in_lambda;
use fehu_ir::{Lambda, Screma, Stm, Type, Var, VarInfo};
use std::rc::Rc;

/// The most statements that such a function has.
const MAX_STATEMENTS: usize = 12;

/// An array that is a plain result of a cheap map.
pub(super) struct MapDef {
    /// The arrays that the function is applied to.
    pub inputs: Vec<Var>,
    /// The function.
    pub lambda: Lambda,
    /// Which of its results becomes the array.
    pub result: usize,
    /// The certificates of the map.
    pub certs: Vec<Var>,
    /// The arrays that the function reads besides.
    pub free: Vec<Var>,
}

impl MapDef {
    /// The plain results of an operator with their maps, if its function is cheap and does nothing else.
    ///
    /// An element of the result costs the function and reading the inputs, and saves reading the result.
    pub(super) fn of(
        stm: &Stm,
        op: &Screma,
        vars: &IdVec<Var, VarInfo>,
        effects: &Effects,
    ) -> Vec<(Var, Rc<MapDef>)> {
        let plain = op.folded()..stm.pat.len();
        let arrays = op.inputs.iter().all(|input| matches!(vars[*input].ty, Type::Array(..)));
        if plain.is_empty() || !arrays || op.map.body.stms.len() > MAX_STATEMENTS {
            return Vec::new();
        }
        let reads = cost::READ.saturating_mul(op.inputs.len() as u32);
        let weight = cost::weigh(&op.map.body, vars).map(|weight| weight.saturating_add(reads));
        if weight.is_none_or(|weight| weight > cost::LIMIT + cost::READ)
            || effects.body(&op.map.body)
        {
            return Vec::new();
        }
        let free: Vec<Var> = free_in_lambda(&op.map, vars)
            .into_iter()
            .filter(|var| !matches!(vars[*var].ty, Type::Scalar(_)))
            .collect();
        let map = |result: usize| {
            Rc::new(MapDef {
                inputs: op.inputs.clone(),
                lambda: op.map.clone(),
                result,
                certs: stm.certs.clone(),
                free: free.clone(),
            })
        };
        plain.map(|result| (stm.pat[result], map(result))).collect()
    }
}
