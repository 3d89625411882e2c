//! The rules, by the operation that they apply to.
//!
//! A rule is a small function with a name, and its equation in the comment. It gets a statement whose operands
//! are resolved, and what the sweep knows; it returns what the statement becomes, or nothing. No rule makes a
//! program grow without bound, undoes what another does, or duplicates work.
//!
//! The certificates of a statement stay with it as long as it is a statement. They are dropped when its results are
//! existing operands: the check itself stays, and the operands never needed it. If the statements of
//! a body replace a statement, each of them has the certificates of both.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

mod algebra;
mod array;
mod assert;
mod branch;
mod clamp;
mod compare;
mod logic;
mod loops;
mod progression;
mod reassociate;
mod scalar;
mod screma;
mod soac;
mod switch;
mod telescope;

use super::cx::Cx;
use array::{concat, copy, fill, flat, index, map, parts, produced, shape, update};
use fehu_ir::{Atom, Body, Exp, Stm, Var};

/// A rule.
pub(super) struct Rule {
    /// Its name, which is the name of its test.
    pub name: &'static str,
    /// What it does.
    pub apply: fn(&mut Cx<'_>, &Stm) -> Option<Rewrite>,
}

/// A rule for an operation with bodies, which takes them out of the statement if it applies, and only then.
pub(super) struct Taking {
    /// Its name, which is the name of its test.
    pub name: &'static str,
    /// What it does.
    pub apply: fn(&mut Cx<'_>, &mut Stm) -> Option<Rewrite>,
}

/// What becomes of a statement.
pub(super) enum Rewrite {
    /// Another expression with the same results.
    Exp(Exp),
    /// Its results are these operands.
    Atoms(Vec<Atom>),
    /// Other statements, which bind what it binds.
    Stms(Vec<Stm>),
}

impl Rewrite {
    /// A single operand.
    fn atom(atom: impl Into<Atom>) -> Option<Rewrite> {
        Some(Rewrite::Atoms(vec![atom.into()]))
    }

    /// A constant.
    fn value(value: fehu_ir::Scalar) -> Option<Rewrite> {
        Rewrite::atom(Atom::Const(value))
    }

    /// An expression.
    fn exp(exp: Exp) -> Option<Rewrite> {
        Some(Rewrite::Exp(exp))
    }
}

/// The statements of a body that take the place of a statement with these certificates.
fn inline(body: Body, certs: &[Var]) -> Vec<Stm> {
    let mut stms = body.stms;
    if !certs.is_empty() {
        for stm in &mut stms {
            stm.certs.extend_from_slice(certs);
        }
    }
    stms
}

/// `let (x) = a`
fn copy(var: Var, atom: Atom) -> Stm {
    Stm::new(vec![var], Exp::Atom(atom))
}

/// Removes the items with these numbers, which ascend.
fn without<T>(items: &mut Vec<T>, numbers: &[usize]) {
    let mut number = 0;
    items.retain(|_| {
        number += 1;
        numbers.binary_search(&(number - 1)).is_err()
    });
}

/// Makes a table of rules from functions, which give them their names.
macro_rules! rules {
    ($kind:ident: $($module:ident :: $rule:ident),* $(,)?) => {
        &[$($kind { name: stringify!($rule), apply: $module::$rule }),*]
    };
    ($($module:ident :: $rule:ident),* $(,)?) => {
        rules![Rule: $($module :: $rule),*]
    };
}

/// The rules for an expression with bodies, in the order in which they are tried.
pub(super) fn taking_rules_for(exp: &Exp) -> &'static [Taking] {
    match exp {
        Exp::If(..) => rules![Taking:
            branch::if_constant,
            branch::if_checked,
            branch::if_not,
            branch::if_same_results,
            branch::if_equal,
            branch::if_truth_values,
            branch::if_cheap_truth,
            branch::if_min_max,
            clamp::if_clamp,
        ],
        Exp::Switch(..) => rules![Taking:
            switch::switch_constant,
            switch::switch_case_like_default,
            switch::switch_to_if,
            switch::switch_same_results,
        ],
        Exp::Loop(..) => rules![Taking:
            loops::loop_zero_trips,
            loops::loop_one_trip,
            loops::loop_invariant_params,
            loops::loop_equal_params,
            loops::loop_closed_form,
        ],
        Exp::Screma(_) => rules![Taking:
            screma::screma_width_zero,
            screma::screma_width_one,
            screma::screma_equal_inputs,
            screma::screma_replicated_inputs,
            screma::screma_invariant_results,
            screma::screma_identity_results,
            screma::screma_equal_results,
            screma::screma_sum_of_invariant,
            progression::screma_scan_of_invariant,
            telescope::scan_of_differences,
        ],
        Exp::Hist(_) => rules![Taking: soac::hist_width_zero],
        Exp::Scatter(_) => rules![Taking: soac::scatter_width_zero],
        Exp::Partition(_) => rules![Taking: soac::partition_counts],
        Exp::Stream(_) => rules![Taking: soac::stream_width_zero, soac::stream_identity_results],
        Exp::WithAcc(..) => rules![Taking: soac::withacc_without_inputs, soac::withacc_unchanged],
        _ => &[],
    }
}

/// The rules for an expression, in the order in which they are tried.
pub(super) fn rules_for(exp: &Exp) -> &'static [Rule] {
    match exp {
        Exp::UnOp(..) => rules![scalar::fold_unop, logic::not, algebra::sign],
        Exp::BinOp(..) => rules![
            scalar::fold_binop,
            algebra::constant_right,
            algebra::neutral_right,
            algebra::absorb,
            algebra::same_operands,
            algebra::zero_minus,
            algebra::minus_constant,
            algebra::negated_operand,
            algebra::power,
            algebra::extremes,
            algebra::cancel,
            reassociate::constants,
            reassociate::differences,
            reassociate::terms,
            logic::excluded_middle,
            logic::repeated,
        ],
        Exp::CmpOp(..) => rules![
            scalar::fold_cmpop,
            compare::same_operands,
            compare::constant_right,
            compare::with_truth,
            compare::zero_remainder,
            compare::extremes,
            compare::not_negative,
            compare::counter_below_bound,
            compare::counter_with_offset,
            compare::shifted,
        ],
        Exp::Math(..) => rules![scalar::fold_math],
        Exp::Convert(..) => {
            rules![scalar::fold_convert, scalar::convert_to_same, scalar::convert_twice,]
        }
        Exp::Reinterpret(..) => rules![scalar::fold_reinterpret, scalar::reinterpret_twice],
        Exp::Assert(..) => rules![assert::proved, assert::checked_before, assert::conjuncts],
        Exp::Array(..) => rules![fill::literal_of_equals],
        Exp::Index(..) => rules![
            index::index_whole,
            index::index_trailing,
            index::index_of_index,
            index::index_of_rearrange,
            index::index_of_reshape,
            flat::index_of_flat_index,
            produced::index_of_iota,
            produced::slice_of_iota,
            produced::index_of_replicate,
            produced::index_of_literal,
            produced::index_of_copy,
            produced::index_of_update,
            parts::index_of_concat,
            map::index_of_map,
        ],
        Exp::FlatIndex(..) => rules![flat::flat_index_line, flat::flat_index_of_slice],
        Exp::Update(..) => rules![
            update::update_whole,
            update::update_with_same,
            update::update_twice,
            update::update_of_literal,
        ],
        Exp::Concat(..) => rules![
            concat::concat_of_one,
            concat::concat_with_empty,
            concat::concat_of_concat,
            concat::concat_of_copies,
            concat::concat_neighbours,
        ],
        Exp::Iota(..) => rules![fill::iota_short],
        Exp::Replicate(..) => {
            rules![fill::replicate_once, fill::replicate_empty, fill::replicate_of_replicate]
        }
        Exp::Reshape(..) => rules![
            shape::reshape_to_same,
            shape::reshape_of_reshape,
            shape::reshape_of_iota,
            shape::reshape_of_replicate,
            shape::reshape_of_slice,
        ],
        Exp::Rearrange(..) => rules![
            shape::rearrange_to_same,
            shape::rearrange_of_rearrange,
            shape::rearrange_of_replicate,
            shape::rearrange_of_ones,
        ],
        Exp::Copy(_) => {
            rules![copy::copy_fixed, copy::copy_last_use, copy::copy_of_copy, copy::copy_of_fill]
        }
        Exp::Manifest(_) => {
            rules![copy::manifest_of_row_major, copy::copy_of_copy, copy::copy_of_fill]
        }
        _ => &[],
    }
}
