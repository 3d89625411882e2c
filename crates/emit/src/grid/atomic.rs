//! Elements of histograms that many threads update: how one is stored, and how it is updated atomically.
//!
//! Devices have an atomic compare-and-exchange for words of 32 or 64 bits. A value that is one scalar, or several that
//! fit into a word together, is stored in such a word: the word is read, combined with the contribution, and exchanged
//! if it has not changed in the meantime. If every component is combined separately and the device has atomic
//! instructions for that, only these are used. Other values need a lock.

use super::super::Emit;
use super::super::combine::converted;
use super::super::screma::red_op;
use fehu_base::{OrBug, Prim};
use fehu_facts::operators::componentwise;
use fehu_imp::{Exp, RedOp, Stm, Ty, V};
use fehu_ir::{BinOp, CmpOp, HistOp, Lambda, Scalar};

/// How the elements of a histogram are stored while threads contribute to them.
#[derive(Clone, Debug)]
pub(super) struct Atomic {
    /// The components of a value.
    pub(super) prims: Vec<Prim>,
    /// How they are updated.
    pub(super) way: Way,
}

/// How an element is updated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// Each component by an atomic instruction on its word.
    Instructions(Vec<RedOp>),
    /// By compare-and-exchange of a word of this type, which contains all components.
    Exchange(Prim),
    /// Component by component, by one thread at a time, under a lock.
    Guard,
}

/// Where elements are stored: an array for each word or component, and one with locks if there are any.
#[derive(Clone, Debug)]
pub(super) struct Store {
    pub(super) arrays: Vec<V>,
    pub(super) guards: Option<V>,
}

impl Atomic {
    /// The types of the arrays in which elements are stored.
    pub(super) fn words(&self) -> Vec<Prim> {
        match self.way {
            Way::Instructions(_) => self.prims.iter().map(|prim| word_of(*prim)).collect(),
            Way::Exchange(word) => vec![word],
            Way::Guard => self.prims.clone(),
        }
    }

    /// The bytes of an element.
    pub(super) fn bytes(&self) -> u32 {
        let words: u32 = self.words().iter().map(|prim| prim.bits().div_ceil(8)).sum();
        words + if self.way == Way::Guard { 4 } else { 0 }
    }

    /// The instructions that combine values in their own arrays, in which small values do not occupy whole words.
    pub(super) fn by_instruction(&self) -> Option<&[RedOp]> {
        match &self.way {
            Way::Instructions(ops) if self.words() == self.prims => Some(ops),
            Way::Instructions(_) | Way::Exchange(_) | Way::Guard => None,
        }
    }

    /// Whether an element must be locked if it is not a single word.
    pub(super) fn needs_lock(&self) -> bool {
        self.prims.len() > 1 && !matches!(self.way, Way::Instructions(_))
    }

    /// The words of a value.
    pub(super) fn pack(&self, parts: &[Exp]) -> Vec<Exp> {
        match (&self.way, self.prims.as_slice()) {
            (Way::Guard, _) => parts.to_vec(),
            (Way::Instructions(_), prims) => {
                let words = parts.iter().zip(prims);
                words.map(|(part, prim)| widened(part.clone(), *prim, word_of(*prim))).collect()
            }
            (Way::Exchange(word), [prim]) => {
                parts.iter().map(|part| widened(part.clone(), *prim, *word)).collect()
            }
            (Way::Exchange(word), prims) => {
                let word = *word;
                let mut low = 0;
                let mut all: Option<Exp> = None;
                for (part, prim) in parts.iter().zip(prims) {
                    let bits = as_bits(part.clone(), *prim);
                    let bits = converted(bits, unsigned(*prim), word);
                    let moved = shifted(BinOp::Shl, word, bits, low);
                    all = Some(match all {
                        None => moved,
                        Some(all) => Exp::Bin(BinOp::Or, word, Box::new(all), Box::new(moved)),
                    });
                    low += i64::from(prim.bits());
                }
                all.into_iter().collect()
            }
        }
    }

    /// The components of a value that is stored in words, which are variables.
    fn unpack(&self, words: &[Exp]) -> Vec<Exp> {
        match (&self.way, self.prims.as_slice(), words) {
            (Way::Instructions(_), prims, words) => {
                let words = words.iter().zip(prims);
                words.map(|(word, prim)| narrowed(word.clone(), word_of(*prim), *prim)).collect()
            }
            (Way::Exchange(word), [prim], [value]) => {
                vec![narrowed(value.clone(), *word, *prim)]
            }
            (Way::Exchange(word), prims, [value]) => {
                let word = *word;
                let mut low = 0;
                let mut parts = Vec::with_capacity(prims.len());
                for prim in prims {
                    let moved = shifted(BinOp::Lshr, word, value.clone(), low);
                    let bits = converted(moved, word, unsigned(*prim));
                    parts.push(from_bits(bits, *prim));
                    low += i64::from(prim.bits());
                }
                parts
            }
            _ => words.to_vec(),
        }
    }
}

impl<'a> Emit<'a> {
    /// How the elements of a histogram are stored, if they consist of scalars.
    pub(super) fn atomic(&self, op: &HistOp) -> Option<Atomic> {
        let parts = &op.op.params[..op.op.params.len() / 2];
        let prims: Option<Vec<Prim>> = parts.iter().map(|part| self.prim((*part).into())).collect();
        let prims = prims.filter(|prims| !prims.is_empty())?;
        let bits: u32 = prims.iter().map(|prim| prim.bits()).sum();
        let way = match self.part_operators(&op.op, 0) {
            Some(ops) => Way::Instructions(ops),
            None if prims.len() == 1 => Way::Exchange(word_of(prims[0])),
            None if bits <= 32 => Way::Exchange(Prim::U32),
            None if bits <= 64 => Way::Exchange(Prim::U64),
            None => Way::Guard,
        };
        Some(Atomic { prims, way })
    }

    /// The operator, if it is a simple one on scalars.
    pub(crate) fn simple_operator(&self, op: &Lambda, skip: usize) -> Option<RedOp> {
        let [(by, prim)] = componentwise(op, skip, self.ir)?[..] else { return None };
        red_op(by, prim, false)
    }

    /// The operators of the components, if each is combined separately by an operator for which devices have an
    /// instruction.
    pub(crate) fn part_operators(&self, op: &Lambda, skip: usize) -> Option<Vec<RedOp>> {
        let ops = componentwise(op, skip, self.ir)?.into_iter();
        ops.map(|(by, prim)| red_op(by, prim, false).filter(|red| has_instruction(*red, prim)))
            .collect()
    }

    /// Arrays with this many elements that the threads of a block share.
    pub(super) fn shared_store(&mut self, atomic: &Atomic, count: u32) -> Store {
        let words = atomic.words();
        let arrays = words.iter().map(|word| self.shared_array("bins", *word, count)).collect();
        let guards =
            (atomic.way == Way::Guard).then(|| self.shared_array("guards", Prim::I32, count));
        Store { arrays, guards }
    }

    /// Stores a value in an element that no other thread accesses.
    pub(super) fn set_element(&mut self, atomic: &Atomic, store: &Store, at: &Exp, parts: &[Exp]) {
        for (array, word) in store.arrays.iter().zip(atomic.pack(parts)) {
            self.out.push(Stm::Store(*array, at.clone(), word));
        }
        if let Some(guards) = store.guards {
            self.out.push(Stm::Store(guards, at.clone(), Exp::Const(Scalar::I32(0))));
        }
    }

    /// The components of an element, in variables.
    pub(super) fn get_element(&mut self, atomic: &Atomic, store: &Store, at: &Exp) -> Vec<Exp> {
        let mut words = Vec::with_capacity(store.arrays.len());
        for (array, prim) in store.arrays.iter().zip(atomic.words()) {
            let value = Exp::Load(*array, Box::new(at.clone()));
            words.push(Exp::Var(self.declare("word", prim, Some(value))));
        }
        self.named_parts(atomic, &words)
    }

    /// The components of a value that is stored in words, as variables.
    fn named_parts(&mut self, atomic: &Atomic, words: &[Exp]) -> Vec<Exp> {
        let parts = atomic.unpack(words);
        let mut named = Vec::with_capacity(parts.len());
        for (part, prim) in parts.into_iter().zip(&atomic.prims) {
            named.push(self.operand("part", *prim, part));
        }
        named
    }

    /// Combines an element with a value, while other threads may do the same. The components are variables or
    /// constants.
    pub(super) fn update_element(
        &mut self,
        op: &'a Lambda,
        atomic: &Atomic,
        store: &Store,
        at: &Exp,
        parts: &[Exp],
    ) {
        match (&atomic.way, store.arrays.as_slice()) {
            (Way::Instructions(ops), arrays) => {
                for ((red, array), word) in ops.iter().zip(arrays).zip(atomic.pack(parts)) {
                    self.out.push(Stm::Atomic(*red, *array, at.clone(), word));
                }
            }
            (Way::Exchange(word), [array]) => {
                let old = self.new_var("old", Ty::Scalar(*word));
                let mut new = None;
                let body = self.block(|this| {
                    let left = this.named_parts(atomic, &[Exp::Var(old)]);
                    let results = this.apply((op, 0), &left, parts);
                    new = atomic.pack(&results).pop();
                });
                let new = new.or_bug("word of a value");
                self.out.push(Stm::Exchange { ptr: *array, index: at.clone(), old, body, new });
            }
            _ => {
                let at = self.operand("element", Prim::I32, at.clone());
                let body = self.block(|this| {
                    let left = this.get_element(atomic, store, &at);
                    let results = this.apply((op, 0), &left, parts);
                    for (array, result) in store.arrays.iter().zip(results) {
                        this.out.push(Stm::Store(*array, at.clone(), result));
                    }
                });
                let guards = store.guards.or_bug("lock of an element");
                self.out.push(Stm::Guarded(guards, at, body));
            }
        }
    }

    /// Combines an element of an array in global memory with a value.
    pub(crate) fn exchange(
        &mut self,
        (op, skip): (&'a Lambda, usize),
        (ptr, index): (V, Exp),
        value: Exp,
    ) {
        let old = self.new_var("old", Ty::Scalar(self.scalar_prim(ptr)));
        let mut new = None;
        let body = self.block(|this| {
            new = this.apply((op, skip), &[Exp::Var(old)], &[value]).pop();
        });
        let new = new.or_bug("result of an operator");
        self.out.push(Stm::Exchange { ptr, index, old, body, new });
    }
}

/// Whether two integers or booleans are equal.
pub(super) fn same(prim: Prim, a: Exp, b: Exp) -> Exp {
    Exp::Cmp(CmpOp::Eq, prim, Box::new(a), Box::new(b))
}

/// The type of the word that holds a scalar. Small scalars are extended, so that they do not share a word with a
/// neighbour.
fn word_of(prim: Prim) -> Prim {
    match prim {
        Prim::I8 | Prim::I16 => Prim::I32,
        Prim::U8 | Prim::U16 | Prim::F16 | Prim::Bool => Prim::U32,
        Prim::I32 | Prim::I64 | Prim::U32 | Prim::U64 | Prim::F32 | Prim::F64 => prim,
    }
}

/// Whether devices have an instruction for an operator on words with such values.
fn has_instruction(op: RedOp, prim: Prim) -> bool {
    match op {
        RedOp::Add => prim != Prim::F16,
        RedOp::Mul => false,
        RedOp::Min | RedOp::Max | RedOp::And | RedOp::Or | RedOp::Xor => !prim.is_float(),
    }
}

fn widened(value: Exp, prim: Prim, word: Prim) -> Exp {
    if prim == Prim::F16 {
        return converted(as_bits(value, prim), Prim::U16, word);
    }
    converted(value, prim, word)
}

fn narrowed(value: Exp, word: Prim, prim: Prim) -> Exp {
    if prim == Prim::F16 {
        return from_bits(converted(value, word, Prim::U16), prim);
    }
    converted(value, word, prim)
}

/// The unsigned integer type with the same number of bits.
fn unsigned(prim: Prim) -> Prim {
    match prim.bits() {
        64 => Prim::U64,
        32 => Prim::U32,
        16 => Prim::U16,
        _ => Prim::U8,
    }
}

fn as_bits(value: Exp, prim: Prim) -> Exp {
    // A truth value is as wide as a byte, and all others are as wide as their bits.
    if prim == Prim::Bool {
        converted(value, prim, Prim::U8)
    } else if prim == unsigned(prim) {
        value
    } else {
        Exp::Reinterpret(prim, unsigned(prim), Box::new(value))
    }
}

fn from_bits(value: Exp, prim: Prim) -> Exp {
    if prim == Prim::Bool {
        converted(value, Prim::U8, prim)
    } else if prim == unsigned(prim) {
        value
    } else {
        Exp::Reinterpret(unsigned(prim), prim, Box::new(value))
    }
}

fn shifted(op: BinOp, word: Prim, value: Exp, by: i64) -> Exp {
    if by == 0 {
        return value;
    }
    let distance = Exp::Const(Scalar::from_bits(word, by.unsigned_abs()));
    Exp::Bin(op, word, Box::new(value), Box::new(distance))
}
