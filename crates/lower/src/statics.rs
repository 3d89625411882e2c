//! When two static values are the same: what functions made for closures are remembered by.
//!
//! A function value is its code, what the code refers to, and the arguments it has got so far. Two are
//! the same if all of these are; residual operands are the same if they are the same variable.

use crate::Lower;
use crate::env::Frame;
use crate::value::{Closure, Code, Val};
use ecow::EcoString;
use fehu_ir::{Atom, Elem};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Numbers for static values: the same for the same.
#[derive(Default)]
pub(crate) struct Statics<'a> {
    numbers: FxHashMap<Static, u32>,
    /// The numbers of functions, by where they are. The functions are kept, so that no other can
    /// come to be there.
    closures: FxHashMap<usize, (u32, Rc<Closure<'a>>)>,
    /// What static values refer to by where it is, kept for the same reason.
    frames: Vec<Rc<Frame<'a>>>,
}

#[derive(PartialEq, Eq, Hash)]
enum Static {
    /// The variables of a residual value by their stamps, or constants by type and bits.
    Residual(Vec<(Option<Elem>, u64)>),
    Record(Vec<(EcoString, u32)>),
    Choice(EcoString, Vec<u32>),
    /// The code, what it refers to, its instance, its arguments.
    Fun((usize, usize), usize, (usize, usize), Vec<u32>),
}

impl<'a> Lower<'a> {
    /// The number of a static value.
    pub(crate) fn static_number(&mut self, value: &Val<'a>) -> u32 {
        let key = match value {
            Val::Fun(closure) => return self.closure_number(closure),
            Val::Record(fields) => Static::Record(
                fields.iter().map(|(name, v)| (name.clone(), self.static_number(v))).collect(),
            ),
            Val::Choice(name, payload) => {
                let payload = payload.iter().map(|v| self.static_number(v)).collect();
                Static::Choice(name.clone(), payload)
            }
            Val::Scalar(..) | Val::Array(..) | Val::Sum(..) | Val::Acc(..) => {
                let mut atoms = value.parts();
                value.shape().for_each_size(&mut |size| atoms.push(size));
                let parts = atoms.into_iter().map(|atom| match atom {
                    Atom::Const(scalar) => (Some(scalar.elem()), scalar.bits()),
                    Atom::Var(var) => (None, self.b().stamp(var)),
                });
                Static::Residual(parts.collect())
            }
        };
        self.number(key)
    }

    fn closure_number(&mut self, closure: &Rc<Closure<'a>>) -> u32 {
        let place = Rc::as_ptr(closure) as usize;
        if let Some((number, _)) = self.statics.closures.get(&place) {
            return *number;
        }
        let args = closure.args.iter().map(|arg| self.static_number(arg)).collect();
        let instance = match &closure.instance {
            Some(instance) => {
                self.statics.frames.push(instance.frame.clone());
                (instance.types.as_ptr() as usize, Rc::as_ptr(&instance.frame) as usize)
            }
            None => (0, 0),
        };
        self.statics.frames.push(closure.frame.clone());
        let frame = Rc::as_ptr(&closure.frame) as usize;
        let number = self.number(Static::Fun(code_place(&closure.code), frame, instance, args));
        self.statics.closures.insert(place, (number, closure.clone()));
        number
    }

    fn number(&mut self, key: Static) -> u32 {
        let next = self.statics.numbers.len() as u32;
        *self.statics.numbers.entry(key).or_insert(next)
    }

    /// Keeps a frame, so that no other can come to be where it is.
    pub(crate) fn keep_frame(&mut self, frame: &Rc<Frame<'a>>) {
        self.statics.frames.push(frame.clone());
    }
}

/// Where the code of a function is, which tells it from all others.
fn code_place(code: &Code<'_>) -> (usize, usize) {
    match code {
        Code::Def(_, _, bind) => (0, std::ptr::from_ref(*bind) as usize),
        Code::Local(_, bind) => (0, std::ptr::from_ref(*bind) as usize),
        Code::Lambda(_, lambda) => (0, std::ptr::from_ref(*lambda) as usize),
        Code::SectionRight => (1, 0),
        Code::Owning => (5, 0),
        Code::Access(exp, _) => (2, std::ptr::from_ref(*exp) as usize),
        Code::Path(path, _) => (6, *path),
        Code::Hole(exp, _) => (3, std::ptr::from_ref(*exp) as usize),
        Code::Intrinsic(name, _) => (4, name.as_ptr() as usize),
    }
}
