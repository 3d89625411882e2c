//! Expressions and blocks are rewritten.

use fehu_base::IdVec;
use fehu_imp::rewrite::{Vars, is_unit, stride, substitute, sum};
use fehu_imp::{Exp, Prim, Stm, V};

#[test]
fn sums_are_multiplied_out() {
    let e = Exp::Index(vec![(2, vec![V(0), V(1)]), (1, vec![V(2)])]);
    let by = |v| (v == V(1)).then(|| sum(&[(1, V(3))], -1));
    let expected = Exp::Index(vec![(2, vec![V(0), V(3)]), (-2, vec![V(0)]), (1, vec![V(2)])]);
    assert_eq!(substitute(&e, &by), expected);
}

#[test]
fn strides_are_of_one_term() {
    let e = Exp::Index(vec![(1, vec![V(0), V(1)]), (1, vec![V(2)])]);
    assert_eq!(stride(&e, V(1)), Some((1, vec![V(0)])));
    assert!(is_unit(&e, V(2)) && !is_unit(&e, V(1)));
    assert_eq!(stride(&e, V(3)), None);
    assert_eq!(stride(&Exp::Index(vec![(1, vec![V(0), V(0)])]), V(0)), None);
}

#[test]
fn a_copy_has_its_own_variables() {
    let mut vars = IdVec::default();
    let mut vars = Vars(&mut vars);
    let (x, y) = (vars.scalar("x", Prim::I64), vars.scalar("y", Prim::I64));
    let block = vec![Stm::Declare(y, Some(Exp::Var(x))), Stm::Assign(x, Exp::Var(y))];
    let copy = vars.copy(&block);
    let expected = vec![Stm::Declare(V(2), Some(Exp::Var(x))), Stm::Assign(x, Exp::Var(V(2)))];
    assert_eq!(copy, expected);
}
