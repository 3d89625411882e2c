//! Operations that the threads of a block perform together.
//!
//! The order of operands is preserved, because operators need not be commutative. A team is a group of neighbouring
//! threads whose size is a power of two.

use super::super::Emit;
use super::super::screma::Sofar;
use super::{bin, eq, lt};
use fehu_base::{Prim, bug};
use fehu_imp::device::DEVICE;
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, Stm, Ty, V};
use fehu_ir::{BinOp, Lambda};

/// The maximum amount of shared memory of a block, in bytes: every device has this much.
pub(super) const SHARED_BYTES: u32 = DEVICE.shared_bytes;

/// The components of values that an operator combines: scalars, each with a shared array.
pub(super) struct Parts<'a> {
    /// The operator.
    pub(super) op: &'a Lambda,
    /// The variables of the thread.
    pub(super) own: Vec<Sofar<'a>>,
    /// For each of them, an array with one element per thread.
    pub(super) shared: Vec<Option<V>>,
}

impl<'a> Emit<'a> {
    /// The type of a scalar variable.
    pub(crate) fn scalar_prim(&self, v: V) -> Prim {
        match self.vars[v].ty {
            Ty::Scalar(prim) | Ty::Ptr(_, prim) | Ty::Local(prim, _) | Ty::Shared(prim, _) => prim,
            Ty::Mem => bug(format_args!("{v:?} is a handle")),
        }
    }

    /// Arrays that the threads of a block share, with this many elements, for all components of a value.
    pub(super) fn shared(&mut self, hint: &str, parts: &[Sofar<'a>], count: u32) -> Vec<Option<V>> {
        let mut arrays = Vec::with_capacity(parts.len());
        for part in parts {
            let Sofar::Scalar(v) = part else {
                arrays.push(None);
                continue;
            };
            let prim = self.scalar_prim(*v);
            arrays.push(Some(self.shared_array(hint, prim, count)));
        }
        arrays
    }

    /// An array that the threads of a block share.
    pub(super) fn shared_array(&mut self, hint: &str, prim: Prim, count: u32) -> V {
        let array = self.new_var(hint, Ty::Shared(prim, count));
        self.out.push(Stm::Declare(array, None));
        array
    }

    /// Stores the components of a value in arrays.
    pub(super) fn put_parts(&mut self, parts: &[Sofar<'a>], arrays: &[Option<V>], at: &Exp) {
        for (part, array) in parts.iter().zip(arrays) {
            if let (Sofar::Scalar(v), Some(array)) = (part, array) {
                let value = converted(Exp::Var(*v), self.scalar_prim(*v), self.scalar_prim(*array));
                self.out.push(Stm::Store(*array, at.clone(), value));
            }
        }
    }

    /// Loads elements of arrays into variables of the thread.
    pub(super) fn get_parts(&mut self, arrays: &[Option<V>], at: &Exp) -> Vec<Sofar<'a>> {
        let mut parts = Vec::with_capacity(arrays.len());
        for array in arrays {
            parts.push(match array {
                Some(array) => {
                    let prim = self.scalar_prim(*array);
                    let value = Exp::Load(*array, Box::new(at.clone()));
                    Sofar::Scalar(self.declare("part", prim, Some(value)))
                }
                None => Sofar::Nothing,
            });
        }
        parts
    }

    /// Loads elements of arrays into variables of the thread, converted to the types of an operator: the arrays may
    /// have narrower types.
    pub(super) fn get_values(
        &mut self,
        op: &Lambda,
        arrays: &[Option<V>],
        at: &Exp,
    ) -> Vec<Sofar<'a>> {
        let mut parts = Vec::with_capacity(arrays.len());
        for (array, param) in arrays.iter().zip(&op.params) {
            parts.push(match (array, self.prim((*param).into())) {
                (Some(array), Some(prim)) => {
                    let value = Exp::Load(*array, Box::new(at.clone()));
                    let value = converted(value, self.scalar_prim(*array), prim);
                    Sofar::Scalar(self.declare("part", prim, Some(value)))
                }
                (None, _) | (_, None) => Sofar::Nothing,
            });
        }
        parts
    }

    /// `left = left op right`
    pub(super) fn combine_parts(
        &mut self,
        op: &'a Lambda,
        left: &[Sofar<'a>],
        right: &[Sofar<'a>],
    ) {
        let right: Vec<Option<Exp>> = right.iter().map(Sofar::value).collect();
        self.combine_values(op, left, &right);
    }

    /// Assigns the second components to the first.
    pub(super) fn copy_parts(&mut self, to: &[Sofar<'a>], from: &[Sofar<'a>]) {
        for (to, from) in to.iter().zip(from) {
            if let (Sofar::Scalar(to), Sofar::Scalar(from)) = (to, from) {
                self.out.push(Stm::Assign(*to, Exp::Var(*from)));
            }
        }
    }

    /// Combines the values of the threads of each team; the first thread of a team gets the result. All threads of the
    /// block take part.
    pub(super) fn team_reduce(
        &mut self,
        parts: &[Parts<'a>],
        lane: &Exp,
        team: &Exp,
        thread: &Exp,
    ) {
        for part in parts {
            self.put_parts(&part.own, &part.shared, thread);
        }
        self.out.push(Stm::Barrier);
        let distance = self.declare("distance", Prim::I64, Some(Exp::int(1)));
        let body = self.block(|this| {
            let twice = bin(BinOp::Mul, Exp::Var(distance), Exp::int(2));
            // Sizes are powers of two.
            let mask = bin(BinOp::Sub, twice.clone(), Exp::int(1));
            let takes_part = eq(bin(BinOp::And, lane.clone(), mask), Exp::int(0));
            let combine = this.block(|this| {
                let other = bin(BinOp::Add, thread.clone(), Exp::Var(distance));
                for part in parts {
                    let right = this.get_parts(&part.shared, &other);
                    this.combine_parts(part.op, &part.own, &right);
                    this.put_parts(&part.own, &part.shared, thread);
                }
            });
            this.out.push(Stm::If(takes_part, to_its_end(combine), Vec::new()));
            this.out.push(Stm::Barrier);
            this.out.push(Stm::Assign(distance, twice));
        });
        self.out.push(Stm::While(lt(Exp::Var(distance), team.clone()), body));
    }
}

/// Code that all threads come out of: a check that fails in it ends only a section, so that the next barrier is reached by all.
pub(super) fn to_its_end(body: Block) -> Block {
    let mut may_fail = false;
    each_stm(&body, &mut |stm| may_fail |= matches!(stm, Stm::Assert(..)));
    if may_fail { vec![Stm::Section(body)] } else { body }
}

/// A value converted to another type.
pub(super) fn converted(value: Exp, from: Prim, to: Prim) -> Exp {
    match from == to {
        true => value,
        false => Exp::Convert(from, to, Box::new(value)),
    }
}
