//! The types of the API, each only once regardless of its sizes, with its name in C.

use super::names;
use ecow::EcoString;
use fehu_base::Prim;
use fehu_ir::{Atom, Elem, Entry, External, OpaqueKind, OpaqueType, Scalar, Type};
use rustc_hash::FxHashMap;

/// Finds all types of these entry points, those of fields and so on included, in an order in which a
/// type comes after the types it consists of.
pub(super) fn collect(entries: &[Entry]) -> Types {
    let mut types = Types::default();
    for entry in entries {
        for (_, ty) in &entry.params {
            types.add(ty);
        }
        types.add(&entry.result);
    }
    types
}

/// The number of a type.
pub(super) type TypeId = usize;

/// All types.
#[derive(Default)]
pub(super) struct Types {
    pub(super) list: Vec<TypeDef>,
    by_key: FxHashMap<Key, TypeId>,
    c_names: FxHashMap<String, usize>,
    names: FxHashMap<EcoString, usize>,
}

/// What makes two types the same.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    name: EcoString,
    opaque: bool,
    parts: Vec<(Elem, usize)>,
}

/// A type of the interface.
pub(super) struct TypeDef {
    /// The name that the outside world uses.
    pub(super) name: EcoString,
    /// The name of its struct, without `struct `; of a scalar, its type.
    pub(super) c_name: String,
    /// What the names of its functions end with: `i32_1d`, `opaque_point`.
    pub(super) suffix: String,
    /// The values it consists of.
    pub(super) parts: Vec<Part>,
    /// What it is.
    pub(super) kind: Kind,
}

/// What a type is.
pub(super) enum Kind {
    Prim(Prim),
    Array { elem: Prim, rank: usize },
    Plain,
    Record(Vec<FieldDef>),
    Sum(Vec<VariantDef>),
    OpaqueArray { rank: usize, elem: TypeId, fields: Vec<FieldDef> },
}

pub(super) struct FieldDef {
    pub(super) name: EcoString,
    pub(super) ty: TypeId,
}

pub(super) struct VariantDef {
    pub(super) name: EcoString,
    pub(super) payload: Vec<TypeId>,
    pub(super) slots: Vec<usize>,
}

/// A value of the IR, as it is stored in an object.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) elem: Elem,
    /// The sizes, as the first entry point that mentions the type has them.
    pub(super) shape: Vec<Atom>,
}

impl Part {
    pub(super) fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The primitive type; none if it has no contents.
    pub(super) fn prim(&self) -> Option<Prim> {
        match self.elem {
            Elem::Prim(prim) => Some(prim),
            Elem::Unit => None,
        }
    }

    /// Whether a struct has a member for it: units have no representation.
    pub(super) fn stored(&self) -> bool {
        self.rank() > 0 || self.prim().is_some()
    }

    /// The size of an element in C; of units nothing is stored.
    pub(super) fn elem_size(&self) -> String {
        self.prim().map_or("0".to_owned(), |prim| format!("(int64_t)sizeof({})", names::prim(prim)))
    }

    /// A size that is always the same.
    pub(super) fn known_size(&self, dim: usize) -> Option<i64> {
        match self.shape.get(dim) {
            Some(Atom::Const(Scalar::I64(size))) => Some(*size),
            Some(Atom::Const(_) | Atom::Var(_)) | None => None,
        }
    }
}

impl TypeDef {
    /// The type of a variable that holds such a value.
    pub(super) fn c_type(&self) -> String {
        match self.is_prim() {
            true => self.c_name.clone(),
            false => format!("struct {} *", self.c_name),
        }
    }

    /// The declaration of a parameter that receives such a value.
    pub(super) fn input(&self, name: &str) -> String {
        match self.is_prim() {
            true => format!("const {} {name}", self.c_name),
            false => format!("const struct {} *{name}", self.c_name),
        }
    }

    /// The declaration of a parameter through which such a value is handed out.
    pub(super) fn output(&self, name: &str) -> String {
        match self.is_prim() {
            true => format!("{} *{name}", self.c_name),
            false => format!("struct {} **{name}", self.c_name),
        }
    }

    pub(super) fn is_prim(&self) -> bool {
        matches!(self.kind, Kind::Prim(_))
    }

    pub(super) fn is_array(&self) -> bool {
        matches!(self.kind, Kind::Array { .. })
    }

    pub(super) fn is_opaque(&self) -> bool {
        !self.is_prim() && !self.is_array()
    }

    /// The function that does something with values of this type: `futhark_free_i32_1d`.
    pub(super) fn function(&self, what: &str) -> String {
        format!("futhark_{what}_{}", self.suffix)
    }

    /// A number for the type, so that stored bytes are not taken for a value of another one.
    pub(super) fn hash(&self) -> u64 {
        let mut text = self.name.to_string();
        for part in &self.parts {
            text.push_str(&format!(" {}{}", "[]".repeat(part.rank()), part.elem));
        }
        names::hash(&text, 0)
    }
}

impl Types {
    pub(super) fn get(&self, id: TypeId) -> &TypeDef {
        &self.list[id]
    }

    /// The types in the order of the header: arrays, then opaque types.
    pub(super) fn objects(&self) -> Vec<&TypeDef> {
        let mut arrays: Vec<&TypeDef> = self.list.iter().filter(|ty| ty.is_array()).collect();
        arrays.sort_by(|a, b| a.c_name.cmp(&b.c_name));
        arrays.into_iter().chain(self.list.iter().filter(|ty| ty.is_opaque())).collect()
    }

    /// The number of a type that was collected.
    pub(super) fn id(&self, external: &External) -> Option<TypeId> {
        self.by_key.get(&key(external)).copied()
    }

    fn add(&mut self, external: &External) -> TypeId {
        let key = key(external);
        if let Some(id) = self.by_key.get(&key) {
            return *id;
        }
        let def = match external {
            External::Transparent(ty, _) => match (ty.elem(), ty.rank()) {
                (Some(Elem::Prim(prim)), 0) => self.scalar(prim, ty),
                (Some(Elem::Prim(prim)), rank) => self.array(prim, rank, ty),
                // Nothing in the source yields these, but they have a meaning.
                (Some(Elem::Unit) | None, 0) => self.opaque("()", vec![part(ty)], Kind::Plain),
                (Some(Elem::Unit) | None, rank) => {
                    let unit = OpaqueType::plain("()", Vec::new());
                    let elem = self.add(&External::Opaque(unit, false));
                    let name = format!("{}()", "[]".repeat(rank));
                    let kind = Kind::OpaqueArray { rank, elem, fields: Vec::new() };
                    self.opaque(&name, vec![part(ty)], kind)
                }
            },
            External::Opaque(opaque, _) => {
                let kind = self.kind(opaque);
                self.opaque(&opaque.name, opaque.parts.iter().map(part).collect(), kind)
            }
        };
        let id = self.list.len();
        self.list.push(def);
        self.by_key.insert(key, id);
        id
    }

    fn kind(&mut self, opaque: &OpaqueType) -> Kind {
        let mut fields = |fields: &[fehu_ir::Field]| -> Vec<FieldDef> {
            let field = |field: &fehu_ir::Field| FieldDef {
                name: field.name.clone(),
                ty: self.add(&field.ty),
            };
            fields.iter().map(field).collect()
        };
        match &opaque.kind {
            // The unit is the record without fields, so that clients can make it.
            OpaqueKind::Plain if opaque.name == "()" => Kind::Record(Vec::new()),
            OpaqueKind::Plain => Kind::Plain,
            OpaqueKind::Record(record) => Kind::Record(fields(record)),
            OpaqueKind::Sum(variants) => {
                let variant = |variant: &fehu_ir::Variant| VariantDef {
                    name: variant.name.clone(),
                    payload: variant.payload.iter().map(|ty| self.add(ty)).collect(),
                    slots: variant.slots.clone(),
                };
                Kind::Sum(variants.iter().map(variant).collect())
            }
            OpaqueKind::Array(array) => {
                let fields = fields(&array.fields);
                let elem = self.add(&array.elem);
                Kind::OpaqueArray { rank: array.rank, elem, fields }
            }
        }
    }

    fn scalar(&self, prim: Prim, ty: &Type) -> TypeDef {
        TypeDef {
            name: prim.name().into(),
            c_name: names::prim(prim).to_owned(),
            suffix: prim.name().to_owned(),
            parts: vec![part(ty)],
            kind: Kind::Prim(prim),
        }
    }

    fn array(&self, elem: Prim, rank: usize, ty: &Type) -> TypeDef {
        let suffix = format!("{}_{rank}d", elem.name());
        TypeDef {
            name: format!("{}{}", "[]".repeat(rank), elem.name()).into(),
            c_name: format!("futhark_{suffix}"),
            suffix,
            parts: vec![part(ty)],
            kind: Kind::Array { elem, rank },
        }
    }

    fn opaque(&mut self, name: &str, parts: Vec<Part>, kind: Kind) -> TypeDef {
        // Types of different scopes may have the same name.
        let suffix = unique(&mut self.c_names, format!("opaque_{}", names::opaque(name)), "_");
        let name = unique(&mut self.names, EcoString::from(name), "'");
        TypeDef { name, c_name: format!("futhark_{suffix}"), suffix, parts, kind }
    }
}

/// The name, or if it is taken, one with a number.
fn unique<T: Clone + Eq + std::hash::Hash + From<String> + std::fmt::Display>(
    taken: &mut FxHashMap<T, usize>,
    name: T,
    separator: &str,
) -> T {
    let mut result = name.clone();
    while taken.contains_key(&result) {
        let count = taken.entry(name.clone()).or_insert(0);
        *count += 1;
        result = T::from(format!("{name}{separator}{count}"));
    }
    taken.insert(result.clone(), 0);
    result
}

fn key(external: &External) -> Key {
    let parts = external.parts().iter().map(|ty| (ty.elem().unwrap_or(Elem::Unit), ty.rank()));
    let (name, opaque) = match external {
        External::Transparent(..) => (EcoString::new(), false),
        External::Opaque(opaque, _) => (opaque.name.clone(), true),
    };
    Key { name, opaque, parts: parts.collect() }
}

fn part(ty: &Type) -> Part {
    Part { elem: ty.elem().unwrap_or(Elem::Unit), shape: ty.shape().to_vec() }
}
