//! The tables by which a shared library describes itself: the layout of `crates/backend/runtime/bindings.h`, and of `types.h` beside it, member by
//! member. They are there for this, and have a number; nothing else of the runtime is known here.
//!
//! A value is handled through a pointer to its C representation: a scalar is its C type, everything else is the pointer that the C
//! interface gives out. In "slots" of eight bytes there is room for all of them.

use std::ffi::{CStr, c_char, c_int, c_void};

/// The layout that this file knows: `FEHU_BINDINGS`.
const VERSION: c_int = 3;

/// A context of the program.
pub type Ctx = *mut c_void;
/// An array or an opaque value.
pub type Object = *mut c_void;

/// `enum fe_kind`
pub const ARRAY: c_int = 1;

#[repr(C)]
pub struct CPrim {
    pub name: *const c_char,
    pub class: c_int,
    pub size: usize,
    pub tag: [c_char; 5],
}

#[repr(C)]
pub struct Field {
    name: *const c_char,
    ty: *const Type,
    pub project: unsafe extern "C" fn(Ctx, *mut c_void, Object) -> c_int,
}

#[repr(C)]
pub struct Record {
    num_fields: c_int,
    fields: *const Field,
    pub make: unsafe extern "C" fn(Ctx, *mut Object, *const *const c_void) -> c_int,
}

#[repr(C)]
pub struct Variant {
    name: *const c_char,
    num_payload: c_int,
    payload: *const *const Type,
    pub construct: unsafe extern "C" fn(Ctx, *mut Object, *const *const c_void) -> c_int,
    pub destruct: unsafe extern "C" fn(Ctx, *const *mut c_void, Object) -> c_int,
}

#[repr(C)]
pub struct Sum {
    num_variants: c_int,
    variants: *const Variant,
    pub variant: unsafe extern "C" fn(Ctx, Object) -> c_int,
}

#[repr(C)]
pub struct OpaqueArray {
    pub rank: c_int,
    elem: *const Type,
    pub shape: unsafe extern "C" fn(Ctx, Object) -> *const i64,
    pub index: unsafe extern "C" fn(Ctx, *mut c_void, Object, *const i64) -> c_int,
    pub make: unsafe extern "C" fn(Ctx, *mut Object, *const *const c_void, *const i64) -> c_int,
    pub set: unsafe extern "C" fn(Ctx, Object, *const c_void, *const i64) -> c_int,
    num_fields: c_int,
    fields: *const Field,
    pub zip: Option<unsafe extern "C" fn(Ctx, *mut Object, *const *const c_void) -> c_int>,
}

#[repr(C)]
pub struct Type {
    name: *const c_char,
    pub kind: c_int,
    prim: *const CPrim,
    pub size: usize,
    pub rank: c_int,
    pub array_new: Option<unsafe extern "C" fn(Ctx, *const c_void, *const i64) -> Object>,
    pub array_new_raw: Option<unsafe extern "C" fn(Ctx, *mut c_void, *const i64) -> Object>,
    pub array_values_raw: Option<unsafe extern "C" fn(Ctx, Object) -> *mut c_void>,
    pub array_sole: Option<unsafe extern "C" fn(Object) -> bool>,
    pub array_free: Option<unsafe extern "C" fn(Ctx, Object) -> c_int>,
    pub array_values: Option<unsafe extern "C" fn(Ctx, Object, *mut c_void) -> c_int>,
    pub array_shape: Option<unsafe extern "C" fn(Ctx, Object) -> *const i64>,
    array_index: *const c_void,
    pub opaque_free: Option<unsafe extern "C" fn(Ctx, Object) -> c_int>,
    pub opaque_store:
        Option<unsafe extern "C" fn(Ctx, Object, *mut *mut c_void, *mut usize) -> c_int>,
    pub opaque_restore: Option<unsafe extern "C" fn(Ctx, *const c_void) -> Object>,
    record: *const Record,
    sum: *const Sum,
    opaque_array: *const OpaqueArray,
}

/// `struct fehu_column`
#[repr(C)]
pub struct Column {
    prim: *const CPrim,
    rank: c_int,
}

/// `struct fehu_sequence`
#[repr(C)]
pub struct Sequence {
    name: *const c_char,
    /// The number of the parameter, or of the field of the result; -1 for the whole result.
    pub place: c_int,
    /// Whether elements differ in size; then a parameter in memory is two inputs, the sizes and the values of all elements.
    pub pieces: bool,
    num_columns: c_int,
    columns: *const Column,
}

/// `struct fehu_entry`
#[repr(C)]
pub struct Entry {
    name: *const c_char,
    num_inputs: c_int,
    input_names: *const *const c_char,
    inputs: *const *const Type,
    consumed: *const bool,
    output: *const Type,
    pub fresh: bool,
    pub call: unsafe extern "C" fn(Ctx, *mut c_void, *const *const c_void) -> c_int,
    pub stream: Option<
        unsafe extern "C" fn(
            Ctx,
            *mut c_void,
            *const *const c_void,
            *const Pull,
            *const Push,
        ) -> c_int,
    >,
    num_sources: c_int,
    num_sinks: c_int,
    sources: *const Sequence,
    sinks: *const Sequence,
}

/// `struct futhark_chunk`
#[repr(C)]
pub struct Chunk {
    pub count: i64,
    pub total: i64,
    pub columns: *const *const c_void,
    pub sizes: *const i64,
}

/// `struct fe_pull`
#[repr(C)]
pub struct Pull {
    pub source: Option<unsafe extern "C" fn(*mut c_void, i64, *mut Chunk) -> c_int>,
    pub state: *mut c_void,
}

/// `struct fe_push`
#[repr(C)]
pub struct Push {
    pub sink: Option<unsafe extern "C" fn(*mut c_void, *const Chunk) -> c_int>,
    pub state: *mut c_void,
}

/// `struct fehu_bindings`
#[repr(C)]
pub struct Bindings {
    size: usize,
    version: c_int,
    num_types: c_int,
    num_entries: c_int,
    types: *const *const Type,
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
constant!(CPrim, Field, Record, Variant, Sum, OpaqueArray, Type, Column, Sequence, Entry, Bindings);

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
    pub fn name(&self) -> &'static str {
        text(self.name)
    }

    pub fn ty(&self) -> &'static Type {
        reference(self.ty)
    }
}

impl Record {
    pub fn fields(&self) -> &'static [Field] {
        slice(self.fields, self.num_fields)
    }

    /// Whether it is a tuple: its fields are numbered.
    pub fn is_tuple(&self) -> bool {
        self.fields().iter().enumerate().all(|(i, field)| field.name() == i.to_string())
    }
}

impl Variant {
    pub fn name(&self) -> &'static str {
        text(self.name)
    }

    pub fn payload(&self) -> Vec<&'static Type> {
        references(self.payload, self.num_payload).collect()
    }
}

impl Sum {
    pub fn variants(&self) -> &'static [Variant] {
        slice(self.variants, self.num_variants)
    }
}

impl OpaqueArray {
    pub fn elem(&self) -> &'static Type {
        reference(self.elem)
    }

    /// Those of its elements, as arrays; none if they are no records.
    pub fn fields(&self) -> &'static [Field] {
        slice(self.fields, self.num_fields)
    }
}

impl Type {
    pub fn name(&self) -> &'static str {
        text(self.name)
    }

    /// Of scalars, and of the elements of arrays.
    pub fn prim(&self) -> Option<&'static CPrim> {
        (!self.prim.is_null()).then(|| reference(self.prim))
    }

    pub fn record(&self) -> Option<&'static Record> {
        (!self.record.is_null()).then(|| reference(self.record))
    }

    pub fn sum(&self) -> Option<&'static Sum> {
        (!self.sum.is_null()).then(|| reference(self.sum))
    }

    pub fn opaque_array(&self) -> Option<&'static OpaqueArray> {
        (!self.opaque_array.is_null()).then(|| reference(self.opaque_array))
    }

    /// The rank of arrays of either kind.
    pub fn rank(&self) -> usize {
        let rank = self.opaque_array().map_or(self.rank, |array| array.rank);
        usize::try_from(rank).unwrap_or(0)
    }
}

impl CPrim {
    pub fn name(&self) -> &'static str {
        text(self.name)
    }
}

impl Entry {
    pub fn name(&self) -> &'static str {
        text(self.name)
    }

    pub fn inputs(&self) -> Vec<Input> {
        let names = slice(self.input_names, self.num_inputs);
        let consumed = slice(self.consumed, self.num_inputs);
        let types = references(self.inputs, self.num_inputs).enumerate();
        types
            .map(|(i, ty)| Input {
                name: text(names[i]),
                ty,
                consumed: consumed[i],
                sequence: self
                    .sources()
                    .iter()
                    .find(|source| usize::try_from(source.place) == Ok(i)),
            })
            .collect()
    }

    pub fn output(&self) -> &'static Type {
        reference(self.output)
    }

    /// The parameters that are sequences.
    pub fn sources(&self) -> &'static [Sequence] {
        slice(self.sources, self.num_sources)
    }

    /// The results that are sequences.
    pub fn sinks(&self) -> &'static [Sequence] {
        slice(self.sinks, self.num_sinks)
    }
}

impl Sequence {
    /// What the program calls it.
    pub fn name(&self) -> &'static str {
        text(self.name)
    }

    pub fn columns(&self) -> &'static [Column] {
        slice(self.columns, self.num_columns)
    }
}

impl Column {
    /// None if it has no contents.
    pub fn prim(&self) -> Option<&'static CPrim> {
        (!self.prim.is_null()).then(|| reference(self.prim))
    }

    /// With the dimension of the sequence.
    pub fn rank(&self) -> usize {
        usize::try_from(self.rank).unwrap_or(0)
    }
}

/// A parameter of an entry point.
pub struct Input {
    pub name: &'static str,
    pub ty: &'static Type,
    pub consumed: bool,
    /// The sequence that begins with it.
    pub sequence: Option<&'static Sequence>,
}

impl Bindings {
    /// What a library has returned, if it has the layout that is known here.
    ///
    /// # Safety
    /// It is what `fehu_bindings` of a library that stays loaded has returned.
    pub unsafe fn known(bindings: *const Bindings) -> Option<&'static Bindings> {
        // SAFETY: the size and the number come first in all versions, and the table is constant.
        unsafe {
            let known = !bindings.is_null()
                && (*bindings).size >= size_of::<Bindings>()
                && (*bindings).version == VERSION;
            known.then(|| &*bindings)
        }
    }

    pub fn types(&self) -> impl Iterator<Item = &'static Type> {
        references(self.types, self.num_types)
    }

    pub fn entries(&self) -> &'static [Entry] {
        slice(self.entries, self.num_entries)
    }
}
