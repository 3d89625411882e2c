//! The tables by which a shared library describes itself: the layout of `crates/backend/runtime/types.h`, member by member.
//!
//! A value is handled through a pointer to its C representation: a scalar is its C type, everything else is the pointer that the C
//! interface gives out. In "slots" of eight bytes there is room for all of them.

use std::ffi::{CStr, c_char, c_int, c_void};

/// The layout that this file knows; `TABLES_VERSION` of the compiler.
pub(crate) const VERSION: c_int = 1;

/// A context of the program.
pub(crate) type Ctx = *mut c_void;
/// An array or an opaque value.
pub(crate) type Object = *mut c_void;

/// `enum fe_kind`
pub(crate) const ARRAY: c_int = 1;

#[repr(C)]
pub(crate) struct CPrim {
    pub(crate) name: *const c_char,
    pub(crate) class: c_int,
    pub(crate) size: usize,
    pub(crate) tag: [c_char; 5],
}

#[repr(C)]
pub(crate) struct Field {
    name: *const c_char,
    ty: *const Type,
    pub(crate) project: unsafe extern "C" fn(Ctx, *mut c_void, Object) -> c_int,
}

#[repr(C)]
pub(crate) struct Record {
    num_fields: c_int,
    fields: *const Field,
    pub(crate) make: unsafe extern "C" fn(Ctx, *mut Object, *const *const c_void) -> c_int,
}

#[repr(C)]
pub(crate) struct Variant {
    name: *const c_char,
    num_payload: c_int,
    payload: *const *const Type,
    pub(crate) construct: unsafe extern "C" fn(Ctx, *mut Object, *const *const c_void) -> c_int,
    pub(crate) destruct: unsafe extern "C" fn(Ctx, *const *mut c_void, Object) -> c_int,
}

#[repr(C)]
pub(crate) struct Sum {
    num_variants: c_int,
    variants: *const Variant,
    pub(crate) variant: unsafe extern "C" fn(Ctx, Object) -> c_int,
}

#[repr(C)]
pub(crate) struct OpaqueArray {
    pub(crate) rank: c_int,
    elem: *const Type,
    pub(crate) shape: unsafe extern "C" fn(Ctx, Object) -> *const i64,
    pub(crate) index: unsafe extern "C" fn(Ctx, *mut c_void, Object, *const i64) -> c_int,
    pub(crate) make:
        unsafe extern "C" fn(Ctx, *mut Object, *const *const c_void, *const i64) -> c_int,
    pub(crate) set: unsafe extern "C" fn(Ctx, Object, *const c_void, *const i64) -> c_int,
    num_fields: c_int,
    fields: *const Field,
    pub(crate) zip: Option<unsafe extern "C" fn(Ctx, *mut Object, *const *const c_void) -> c_int>,
}

#[repr(C)]
pub(crate) struct Type {
    name: *const c_char,
    pub(crate) kind: c_int,
    prim: *const CPrim,
    pub(crate) size: usize,
    pub(crate) rank: c_int,
    pub(crate) array_new: Option<unsafe extern "C" fn(Ctx, *const c_void, *const i64) -> Object>,
    pub(crate) array_new_raw: Option<unsafe extern "C" fn(Ctx, *mut c_void, *const i64) -> Object>,
    pub(crate) array_values_raw: Option<unsafe extern "C" fn(Ctx, Object) -> *mut c_void>,
    pub(crate) array_sole: Option<unsafe extern "C" fn(Object) -> bool>,
    pub(crate) array_free: Option<unsafe extern "C" fn(Ctx, Object) -> c_int>,
    pub(crate) array_values: Option<unsafe extern "C" fn(Ctx, Object, *mut c_void) -> c_int>,
    pub(crate) array_shape: Option<unsafe extern "C" fn(Ctx, Object) -> *const i64>,
    array_index: *const c_void,
    pub(crate) opaque_free: Option<unsafe extern "C" fn(Ctx, Object) -> c_int>,
    pub(crate) opaque_store:
        Option<unsafe extern "C" fn(Ctx, Object, *mut *mut c_void, *mut usize) -> c_int>,
    pub(crate) opaque_restore: Option<unsafe extern "C" fn(Ctx, *const c_void) -> Object>,
    record: *const Record,
    sum: *const Sum,
    opaque_array: *const OpaqueArray,
}

#[repr(C)]
pub(crate) struct Entry {
    name: *const c_char,
    num_inputs: c_int,
    input_names: *const *const c_char,
    inputs: *const *const Type,
    consumed: *const bool,
    output: *const Type,
    pub(crate) fresh: bool,
    num_tuning_params: c_int,
    tuning_params: *const c_int,
    num_attributes: c_int,
    attributes: *const *const c_char,
    pub(crate) call: unsafe extern "C" fn(Ctx, *mut c_void, *const *const c_void) -> c_int,
    streaming: *const c_void,
    pub(crate) stream: Option<
        unsafe extern "C" fn(
            Ctx,
            *mut c_void,
            *const *const c_void,
            *const Pull,
            *const Push,
        ) -> c_int,
    >,
    num_sources: c_int,
    pub(crate) num_sinks: c_int,
    sources: *const c_int,
}

/// `struct futhark_chunk`
#[repr(C)]
pub(crate) struct Chunk {
    pub(crate) count: i64,
    pub(crate) total: i64,
    pub(crate) columns: *const *const c_void,
    pub(crate) sizes: *const i64,
}

/// `struct fe_pull`
#[repr(C)]
pub(crate) struct Pull {
    pub(crate) source: Option<unsafe extern "C" fn(*mut c_void, i64, *mut Chunk) -> c_int>,
    pub(crate) state: *mut c_void,
}

/// `struct fe_push`
#[repr(C)]
pub(crate) struct Push {
    pub(crate) sink: Option<unsafe extern "C" fn(*mut c_void, *const Chunk) -> c_int>,
    pub(crate) state: *mut c_void,
}

#[repr(C)]
pub(crate) struct Program {
    num_tuning_params: c_int,
    tuning_names: *const *const c_char,
    tuning_classes: *const *const c_char,
    num_sites: c_int,
    constants_size: usize,
    constants_init: *const c_void,
    constants_free: *const c_void,
    num_kernels: c_int,
    kernels: *const c_void,
    device_source: *const c_void,
    device_error: *const c_void,
    num_types: c_int,
    types: *const *const Type,
    num_entries: c_int,
    entries: *const Entry,
}

// The tables are constants of a library that is never unloaded.
macro_rules! constant {
    ($($table:ident),*) => {
        $(
            // SAFETY: nobody writes to it.
            unsafe impl Sync for $table {}
        )*
    };
}
constant!(CPrim, Field, Record, Variant, Sum, OpaqueArray, Type, Entry, Program);

fn text(pointer: *const c_char) -> &'static str {
    // SAFETY: names in tables are constant strings.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap_or("?")
}

fn slice<T: 'static>(pointer: *const T, count: c_int) -> &'static [T] {
    match usize::try_from(count) {
        // SAFETY: a list of a table has as many elements as the table says, and is constant.
        Ok(count) if count > 0 => unsafe { std::slice::from_raw_parts(pointer, count) },
        _ => &[],
    }
}

fn reference<T: 'static>(pointer: *const T) -> &'static T {
    // SAFETY: pointers in tables that are not said to be optional point to other tables.
    unsafe { &*pointer }
}

/// References as lists of pointers have them.
fn references<T: 'static>(
    pointer: *const *const T,
    count: c_int,
) -> impl Iterator<Item = &'static T> {
    slice(pointer, count).iter().map(|&item| reference(item))
}

impl Field {
    pub(crate) fn name(&self) -> &'static str {
        text(self.name)
    }

    pub(crate) fn ty(&self) -> &'static Type {
        reference(self.ty)
    }
}

impl Record {
    pub(crate) fn fields(&self) -> &'static [Field] {
        slice(self.fields, self.num_fields)
    }

    /// Whether it is a tuple: its fields are numbered.
    pub(crate) fn is_tuple(&self) -> bool {
        self.fields().iter().enumerate().all(|(i, field)| field.name() == i.to_string())
    }
}

impl Variant {
    pub(crate) fn name(&self) -> &'static str {
        text(self.name)
    }

    pub(crate) fn payload(&self) -> Vec<&'static Type> {
        references(self.payload, self.num_payload).collect()
    }
}

impl Sum {
    pub(crate) fn variants(&self) -> &'static [Variant] {
        slice(self.variants, self.num_variants)
    }
}

impl OpaqueArray {
    pub(crate) fn elem(&self) -> &'static Type {
        reference(self.elem)
    }

    /// Those of its elements, as arrays; none if they are no records.
    pub(crate) fn fields(&self) -> &'static [Field] {
        slice(self.fields, self.num_fields)
    }
}

impl Type {
    pub(crate) fn name(&self) -> &'static str {
        text(self.name)
    }

    /// Of scalars, and of the elements of arrays.
    pub(crate) fn prim(&self) -> Option<&'static CPrim> {
        (!self.prim.is_null()).then(|| reference(self.prim))
    }

    pub(crate) fn record(&self) -> Option<&'static Record> {
        (!self.record.is_null()).then(|| reference(self.record))
    }

    pub(crate) fn sum(&self) -> Option<&'static Sum> {
        (!self.sum.is_null()).then(|| reference(self.sum))
    }

    pub(crate) fn opaque_array(&self) -> Option<&'static OpaqueArray> {
        (!self.opaque_array.is_null()).then(|| reference(self.opaque_array))
    }

    /// The rank of arrays of either kind.
    pub(crate) fn rank(&self) -> usize {
        let rank = self.opaque_array().map_or(self.rank, |array| array.rank);
        usize::try_from(rank).unwrap_or(0)
    }
}

impl CPrim {
    pub(crate) fn name(&self) -> &'static str {
        text(self.name)
    }
}

impl Entry {
    pub(crate) fn name(&self) -> &'static str {
        text(self.name)
    }

    pub(crate) fn inputs(&self) -> Vec<Input> {
        let names = slice(self.input_names, self.num_inputs);
        let consumed = slice(self.consumed, self.num_inputs);
        let sources = slice(self.sources, self.num_sources);
        let types = references(self.inputs, self.num_inputs).enumerate();
        types
            .map(|(i, ty)| Input {
                name: text(names[i]),
                ty,
                consumed: consumed[i],
                sequence: sources.iter().any(|&source| usize::try_from(source) == Ok(i)),
            })
            .collect()
    }

    pub(crate) fn output(&self) -> &'static Type {
        reference(self.output)
    }
}

/// A parameter of an entry point.
pub(crate) struct Input {
    pub(crate) name: &'static str,
    pub(crate) ty: &'static Type,
    pub(crate) consumed: bool,
    pub(crate) sequence: bool,
}

impl Program {
    pub(crate) fn types(&self) -> impl Iterator<Item = &'static Type> {
        references(self.types, self.num_types)
    }

    pub(crate) fn entries(&self) -> &'static [Entry] {
        slice(self.entries, self.num_entries)
    }
}
