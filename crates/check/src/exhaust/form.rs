//! Patterns reduced to what decides whether they match.
//!
//! A [`FormId`] stands for a set of values. Names, parentheses, ascriptions and attributes are gone,
//! fields are in the order of the type, and everything that matches all values of its type is
//! [`ANY`], a tuple of variables and a lone constructor of variables included. Equal patterns get
//! equal ids, whatever they look like in the program: `97` and `'a'` are the same.

use crate::ty::{Ty, tuple_field};
use ecow::EcoString;
use fehu_base::{Prim, define_id};
use fehu_syntax::ast::{Lit, Pat, PatKind, PatLit};
use rustc_hash::FxHashMap;

define_id!(
    /// A pattern of [`Forms`].
    pub struct FormId, "form"
);

/// The pattern that matches everything.
pub const ANY: FormId = FormId(0);

/// What a value begins with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Head {
    /// The only way to build a record or tuple.
    Record,
    /// The constructor with this position in the sum type.
    Ctor(usize),
    /// A truth value.
    Bool(bool),
    /// An integer, in the range of its type.
    Int(i128),
    /// A floating-point number, as the bits of an `f64`.
    Float(u64),
}

/// The pattern does not fit its type, or a part of it is unknown. Something else has been reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unknown;

/// All patterns seen so far, except [`ANY`].
#[derive(Default)]
pub struct Forms {
    heads: Vec<(Head, Vec<FormId>)>,
    ids: FxHashMap<(Head, Vec<FormId>), FormId>,
}

impl Forms {
    /// What a pattern demands of a value of this type.
    pub fn lower(&mut self, pat: &Pat, ty: &Ty) -> Result<FormId, Unknown> {
        let ty = ty.unwrap_unique();
        match &pat.kind {
            PatKind::Var(_) | PatKind::Wildcard => Ok(ANY),
            PatKind::Paren(p) | PatKind::Ascribe(p, _) | PatKind::Attr(_, p) => self.lower(p, ty),
            PatKind::Lit(lit) => {
                let head = literal(lit, ty).ok_or(Unknown)?;
                Ok(self.intern(head, Vec::new()))
            }
            PatKind::Tuple(parts) => {
                let fields = parts.iter().enumerate().map(|(i, p)| (tuple_field(i), Some(p)));
                self.lower_record(fields.collect(), ty)
            }
            PatKind::Record(fields) => {
                let fields = fields.iter().map(|f| (f.name.name.clone(), f.pat.as_ref()));
                self.lower_record(fields.collect(), ty)
            }
            PatKind::Ctor(name, args) => {
                let Ty::Sum(ctors) = ty else {
                    return Err(Unknown);
                };
                let found = ctors.binary_search_by(|(c, _)| c.as_str().cmp(&name.name));
                let index = found.map_err(|_| Unknown)?;
                let (_, payload) = ctors.get(index).ok_or(Unknown)?;
                if payload.len() != args.len() {
                    return Err(Unknown);
                }
                let parts = args.iter().zip(payload).map(|(p, t)| self.lower(p, t));
                let parts = parts.collect::<Result<Vec<_>, _>>()?;
                if ctors.len() == 1 && parts.iter().all(|&p| p == ANY) {
                    return Ok(ANY);
                }
                Ok(self.intern(Head::Ctor(index), parts))
            }
            PatKind::Error => Err(Unknown),
        }
    }

    /// The head and the parts of a pattern; nothing for [`ANY`].
    pub fn get(&self, form: FormId) -> Option<(Head, &[FormId])> {
        let index = (form.0 as usize).checked_sub(1)?;
        self.heads.get(index).map(|(head, parts)| (*head, parts.as_slice()))
    }

    fn lower_record(
        &mut self,
        fields: FxHashMap<EcoString, Option<&Pat>>,
        ty: &Ty,
    ) -> Result<FormId, Unknown> {
        let Ty::Record(types) = ty else {
            return Err(Unknown);
        };
        if types.len() != fields.len() {
            return Err(Unknown);
        }
        let parts = types.iter().map(|(name, ty)| match fields.get(name) {
            Some(Some(pat)) => self.lower(pat, ty),
            Some(None) => Ok(ANY),
            None => Err(Unknown),
        });
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        if parts.iter().all(|&p| p == ANY) {
            return Ok(ANY);
        }
        Ok(self.intern(Head::Record, parts))
    }

    fn intern(&mut self, head: Head, parts: Vec<FormId>) -> FormId {
        let key = (head, parts);
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        self.heads.push(key.clone());
        let id = FormId(u32::try_from(self.heads.len()).unwrap_or(u32::MAX));
        self.ids.insert(key, id);
        id
    }
}

fn literal(lit: &PatLit, ty: &Ty) -> Option<Head> {
    let Ty::Prim(prim) = *ty else { return None };
    let sign = if lit.negative { -1.0 } else { 1.0 };
    match &lit.lit {
        Lit::Bool(b) => (prim == Prim::Bool).then_some(Head::Bool(*b)),
        Lit::Int { value, .. } if prim.is_float() => Some(float(sign * (*value as f64), prim)),
        Lit::Int { value, .. } => integer(*value, lit.negative, prim),
        Lit::Char(c) if prim.is_float() => Some(float(sign * f64::from(u32::from(*c)), prim)),
        Lit::Char(c) => integer(u128::from(u32::from(*c)), lit.negative, prim),
        Lit::Float { value, .. } => prim.is_float().then(|| float(sign * value, prim)),
        Lit::String(_) => None,
    }
}

/// Numbers out of range are reported elsewhere; here they are brought back as the machine would.
fn integer(value: u128, negative: bool, prim: Prim) -> Option<Head> {
    let (min, max) = integer_range(prim)?;
    let modulus = max - min + 1;
    let value = (value % (modulus as u128)) as i128;
    let value = if negative { -value } else { value };
    let value = value.rem_euclid(modulus);
    Some(Head::Int(if value > max { value - modulus } else { value }))
}

/// Both zeros are one number to a comparison, and numbers are compared in their own precision.
fn float(value: f64, prim: Prim) -> Head {
    let value = if prim == Prim::F32 { f64::from(value as f32) } else { value };
    Head::Float(if value == 0.0 { 0 } else { value.to_bits() })
}

/// The smallest and the largest number of an integer type.
pub fn integer_range(prim: Prim) -> Option<(i128, i128)> {
    let all = 1_i128 << prim.bits();
    if prim.is_signed() {
        Some((-(all / 2), all / 2 - 1))
    } else if prim.is_unsigned() {
        Some((0, all - 1))
    } else {
        None
    }
}
