//! Arguments and results of any type.

use crate::array::{Array, Elem};
use crate::context::{Error, Handle, Program, Result, Turn};
use crate::tables::{self, Type};
use std::ffi::c_void;
use std::marker::PhantomData;

/// An argument.
pub enum Arg<'a> {
    /// A scalar, as its bytes.
    #[doc(hidden)]
    Scalar([u8; 8]),
    /// Elements that the program reads where they are.
    #[doc(hidden)]
    Lent { data: *mut c_void, shape: Vec<i64>, lender: PhantomData<&'a ()> },
    /// A value of the program.
    #[doc(hidden)]
    Value(&'a Value),
    /// One that is consumed.
    #[doc(hidden)]
    Consumed(Value),
}

impl Arg<'_> {
    /// The value as the program sees it, in a slot; what is made for that is freed with `made`.
    pub(crate) fn build(
        self,
        turn: &Turn<'_>,
        ty: &'static Type,
        consumed: bool,
        made: &mut Vec<Handle>,
    ) -> Result<[u8; 8]> {
        let raw = turn.raw();
        let unfit = || Error::Argument(format!("no value of type {}", ty.name()));
        let object = match self {
            Arg::Scalar(slot) => return Ok(slot),
            Arg::Lent { data, shape, .. } => {
                let new = if consumed { None } else { ty.array_new_raw };
                // SAFETY: we have the turn; there are as many elements as the sizes say, and they live until the call is over.
                unsafe {
                    match new {
                        Some(new) => new(raw, data, shape.as_ptr()),
                        None => ty.array_new.ok_or_else(unfit)?(raw, data, shape.as_ptr()),
                    }
                }
            }
            Arg::Value(value) => {
                value.0.expect_type(turn, ty)?;
                if !consumed {
                    return Ok(slot(value.0.object));
                }
                duplicate(turn, ty, value.0.object)?
            }
            Arg::Consumed(value) => {
                value.0.expect_type(turn, ty)?;
                let object = value.0.object;
                let sole = ty.array_sole.is_some_and(|sole| {
                    // SAFETY: we have the turn, and the object is of this type.
                    unsafe { sole(object) }
                });
                if ty.kind == tables::ARRAY && !sole {
                    let copy = duplicate(turn, ty, object)?;
                    made.push(value.0);
                    copy
                } else {
                    made.push(value.0);
                    return Ok(slot(object));
                }
            }
        };
        let object = turn.object(object)?;
        made.push(Handle { context: turn.context.clone(), ty, object });
        Ok(slot(object))
    }
}

fn slot(object: *mut c_void) -> [u8; 8] {
    (object as u64).to_ne_bytes()
}

/// A copy that shares no memory with the value.
fn duplicate(turn: &Turn<'_>, ty: &'static Type, object: *mut c_void) -> Result<*mut c_void> {
    let raw = turn.raw();
    let unfit = || Error::Argument(format!("values of type {} cannot be copied", ty.name()));
    // SAFETY: we have the turn, and the object is of this type.
    unsafe {
        if ty.kind == tables::ARRAY {
            let data = ty.array_values_raw.ok_or_else(unfit)?(raw, object);
            let shape = ty.array_shape.ok_or_else(unfit)?(raw, object);
            return turn.object(ty.array_new.ok_or_else(unfit)?(raw, data, shape));
        }
        let (mut bytes, mut size) = (std::ptr::null_mut(), 0);
        let store = ty.opaque_store.ok_or_else(unfit)?;
        turn.check(store(raw, object, &raw mut bytes, &raw mut size))?;
        let copy = ty.opaque_restore.ok_or_else(unfit)?(raw, bytes);
        crate::context::release(bytes);
        turn.object(copy)
    }
}

/// A value of an opaque type. The types of modules are wrappers around it.
pub struct Value(pub(crate) Handle);

impl Handle {
    fn expect_type(&self, turn: &Turn<'_>, ty: &'static Type) -> Result<()> {
        if !std::ptr::eq(self.ty, ty) || !std::sync::Arc::ptr_eq(&self.context, turn.context) {
            let (found, wanted) = (self.ty.name(), ty.name());
            let what = format!("expected a {wanted} of this context, got a {found}");
            return Err(Error::Argument(what));
        }
        Ok(())
    }
}

impl Value {
    /// A field of a record.
    #[doc(hidden)]
    pub fn field(&self, index: usize) -> Result<Out> {
        let handle = &self.0;
        let fields = handle.ty.record().map_or(&[][..], |record| record.fields());
        let field = fields.get(index).ok_or_else(|| no("such field"))?;
        handle.context.enter(|turn| {
            let mut out = [0_u8; 8];
            // SAFETY: we have the turn, and the object is of the type with this field.
            let code =
                unsafe { (field.project)(turn.raw(), out.as_mut_ptr().cast(), handle.object) };
            turn.check(code)?;
            Ok(Out::new(turn, field.ty(), out))
        })
    }

    /// The payload, if it was made with this constructor of a sum.
    #[doc(hidden)]
    pub fn payload(&self, index: usize) -> Result<Option<Vec<Out>>> {
        let handle = &self.0;
        let sum = handle.ty.sum().ok_or_else(|| no("sum type"))?;
        let variant = sum.variants().get(index).ok_or_else(|| no("such constructor"))?;
        let types = variant.payload();
        handle.context.enter(|turn| {
            // SAFETY: we have the turn, and the object is of this type, and then of this variant.
            unsafe {
                if usize::try_from((sum.variant)(turn.raw(), handle.object)) != Ok(index) {
                    return Ok(None);
                }
                let mut slots = vec![[0_u8; 8]; types.len()];
                let places: Vec<*mut c_void> =
                    slots.iter_mut().map(|slot| slot.as_mut_ptr().cast()).collect();
                turn.check((variant.destruct)(turn.raw(), places.as_ptr(), handle.object))?;
                Ok(Some(
                    types.iter().zip(slots).map(|(ty, slot)| Out::new(turn, ty, slot)).collect(),
                ))
            }
        })
    }
}

fn no(what: &str) -> Error {
    Error::Argument(format!("there is no {what}"))
}

impl Program {
    /// A record of its fields, or a sum of a constructor with its payload.
    #[doc(hidden)]
    pub fn make(&self, ty: &str, variant: Option<usize>, args: Vec<Arg<'_>>) -> Result<Value> {
        let ty = self.ty(ty).ok_or_else(|| no("such type"))?;
        let types: Vec<&'static Type> = match (variant, ty.record(), ty.sum()) {
            (Some(index), _, Some(sum)) => sum.variants()[index].payload(),
            (None, Some(record), _) => record.fields().iter().map(|field| field.ty()).collect(),
            _ => return Err(no("way to make one")),
        };
        self.context.enter(|turn| {
            let mut made = Vec::new();
            let build = |(arg, ty): (Arg<'_>, &'static Type)| arg.build(turn, ty, false, &mut made);
            let slots = args.into_iter().zip(types).map(build).collect::<Result<Vec<_>>>()?;
            let places: Vec<*const c_void> =
                slots.iter().map(|slot| slot.as_ptr().cast()).collect();
            let mut object = std::ptr::null_mut();
            // SAFETY: we have the turn, and there is a value of its type for each part.
            let code = unsafe {
                match (variant, ty.record(), ty.sum()) {
                    (Some(index), _, Some(sum)) => (sum.variants()[index].construct)(
                        turn.raw(),
                        &raw mut object,
                        places.as_ptr(),
                    ),
                    (_, Some(record), _) => {
                        (record.make)(turn.raw(), &raw mut object, places.as_ptr())
                    }
                    _ => 2,
                }
            };
            turn.check(code)?;
            // Its parts may be slices, which are only borrowed.
            let borrowing = Handle { context: turn.context.clone(), ty, object };
            let object = duplicate(turn, ty, borrowing.object)?;
            Ok(Value(Handle { context: turn.context.clone(), ty, object }))
        })
    }
}

/// A result.
pub struct Out {
    slot: [u8; 8],
    ty: &'static Type,
    /// Of everything but scalars.
    handle: Option<Handle>,
}

impl Out {
    pub(crate) fn new(turn: &Turn<'_>, ty: &'static Type, slot: [u8; 8]) -> Out {
        let scalar = ty.kind != tables::ARRAY && ty.prim().is_some();
        let object = u64::from_ne_bytes(slot) as *mut c_void;
        let handle = (!scalar).then(|| Handle { context: turn.context.clone(), ty, object });
        Out { slot, ty, handle }
    }

    /// The same in memory of its own.
    pub(crate) fn into_own(self, turn: &Turn<'_>) -> Result<Out> {
        let Out { slot, ty, handle } = self;
        let Some(handle) = handle else { return Ok(Out { slot, ty, handle }) };
        let object = handle.object;
        // SAFETY: we have the turn, and the object is of this type.
        let sole = ty.array_sole.is_some_and(|sole| unsafe { sole(object) });
        if sole {
            return Ok(Out { slot, ty, handle: Some(handle) });
        }
        let object = duplicate(turn, ty, handle.object)?;
        let handle = Handle { context: turn.context.clone(), ty, object };
        Ok(Out { slot: self::slot(object), ty, handle: Some(handle) })
    }
}

/// What a result can become.
pub trait FromOut: Sized {
    /// The value.
    fn from_out(out: Out) -> Result<Self>;
}

/// What can be an argument: scalars, and values of opaque types.
pub trait IntoArg<'a> {
    /// The argument.
    fn into_arg(self) -> Arg<'a>;
}

macro_rules! scalars {
    ($($ty:ty),*) => {
        $(
            impl FromOut for $ty {
                fn from_out(out: Out) -> Result<$ty> {
                    let found = out.ty.name();
                    if found != <$ty as Elem>::NAME {
                        let wanted = <$ty as Elem>::NAME;
                        return Err(Error::Argument(format!("the result is {found}, not {wanted}")));
                    }
                    let mut bytes = [0; size_of::<$ty>()];
                    bytes.copy_from_slice(&out.slot[..size_of::<$ty>()]);
                    Ok(<$ty>::from_ne_bytes(bytes))
                }
            }
            impl<'a> IntoArg<'a> for $ty {
                fn into_arg(self) -> Arg<'a> {
                    let mut slot = [0; 8];
                    slot[..size_of::<$ty>()].copy_from_slice(&self.to_ne_bytes());
                    Arg::Scalar(slot)
                }
            }
        )*
    };
}
scalars!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

impl FromOut for bool {
    fn from_out(out: Out) -> Result<bool> {
        Ok(out.slot[0] != 0)
    }
}

impl<'a> IntoArg<'a> for bool {
    fn into_arg(self) -> Arg<'a> {
        Arg::Scalar([u8::from(self), 0, 0, 0, 0, 0, 0, 0])
    }
}

impl<T: Elem, const R: usize> FromOut for Array<T, R> {
    fn from_out(out: Out) -> Result<Array<T, R>> {
        Array::new(out.handle.ok_or_else(|| no("array"))?)
    }
}

impl<'a, T: Elem, const R: usize> IntoArg<'a> for Array<T, R> {
    fn into_arg(self) -> Arg<'a> {
        Arg::Consumed(Value(self.handle))
    }
}

impl FromOut for Value {
    fn from_out(out: Out) -> Result<Value> {
        out.handle.map(Value).ok_or_else(|| no("object"))
    }
}

impl<'a> IntoArg<'a> for &'a Value {
    fn into_arg(self) -> Arg<'a> {
        Arg::Value(self)
    }
}

impl<'a> IntoArg<'a> for Value {
    fn into_arg(self) -> Arg<'a> {
        Arg::Consumed(self)
    }
}

macro_rules! tuples {
    ($(($($name:ident $at:literal),*))*) => {
        $(
            impl<$($name: FromOut),*> FromOut for ($($name,)*) {
                fn from_out(out: Out) -> Result<Self> {
                    let value = Value::from_out(out)?;
                    Ok(($($name::from_out(value.field($at)?)?,)*))
                }
            }
        )*
    };
}
tuples!((A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5));
