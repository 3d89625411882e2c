//! Prototypes of foreign functions: what somebody else implements.
//!
//! See [`fehu_ir::Foreign`] for the interface. Sizes and scalars are passed by value, arrays as addresses, results as
//! addresses of where they are written, unless a single scalar is returned.

use crate::api::names;
use crate::c::names::is_reserved;
use fehu_base::{Prim, bug};
use fehu_ir::{Elem, Fun, Platform, Prog, Symbol, Type, Var};
use rustc_hash::FxHashSet;

/// A function in another language, as programs call it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prototype {
    /// The name of the function in the program.
    pub function: String,
    /// The platform.
    pub platform: Platform,
    /// Its name there.
    pub symbol: String,
    /// Whether it does the work of a map.
    pub vectorised: bool,
    /// Who calls it.
    pub caller: Caller,
    /// What it returns; a status if there is nothing.
    result: Option<Prim>,
    params: Vec<(Param, String)>,
}

/// A parameter of a function in another language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Param {
    /// The stream of the device.
    Stream,
    /// A scalar.
    Value(Prim),
    /// The address of elements that are read.
    Read(Prim),
    /// The address of elements that are written.
    Written(Prim),
}

/// Who calls a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Caller {
    /// C code; on a device that of the host.
    Host,
    /// Kernels.
    Kernels,
}

/// The prototypes of all foreign functions of a program, in the order of the functions.
pub fn prototypes(prog: &Prog) -> Vec<Prototype> {
    let mut found = Vec::new();
    for (_, fun) in prog.funs.iter() {
        let Some(foreign) = &fun.foreign else { continue };
        found.extend(foreign.symbols.iter().map(|symbol| Prototype::new(fun, symbol, false)));
        found.extend(foreign.vectorised.iter().map(|symbol| Prototype::new(fun, symbol, true)));
    }
    found
}

/// Two functions that have one symbol, but differ in their types.
pub fn conflict(prototypes: &[Prototype]) -> Option<(&Prototype, &Prototype)> {
    prototypes.iter().enumerate().find_map(|(index, one)| {
        let differs = |other: &&Prototype| {
            let types = |p: &Prototype| p.params.iter().map(|(ty, _)| *ty).collect::<Vec<_>>();
            (other.platform, &other.symbol) == (one.platform, &one.symbol)
                && (other.result != one.result || types(other) != types(one))
        };
        prototypes[..index].iter().find(differs).map(|other| (other, one))
    })
}

impl Prototype {
    fn new(fun: &Fun, symbol: &Symbol, vectorised: bool) -> Prototype {
        let name = |hint: &str| match is_reserved(hint) {
            true => format!("{hint}_v"),
            false => hint.to_owned(),
        };
        let var = |var: Var| (&fun.vars[var].ty, name(&fun.vars[var].hint));
        let params = || fun.params.iter().map(|param| param.var);
        let all = params().chain(fun.results.iter().copied());
        let sizes: FxHashSet<Var> =
            all.flat_map(|var| fun.vars[var].ty.shape()).filter_map(|size| size.var()).collect();
        let kernels = symbol.platform.is_device() && fun.is_scalar() && !vectorised;
        let mut list = Vec::new();
        if symbol.platform == Platform::Cuda && !kernels {
            list.push((Param::Stream, "stream".to_owned()));
        }
        if vectorised {
            list.push((Param::Value(Prim::I64), "count".to_owned()));
        }
        for param in params() {
            let (ty, name) = var(param);
            let by_value = !ty.is_array() && (!vectorised || sizes.contains(&param));
            let prim = elem(ty);
            list.push((if by_value { Param::Value(prim) } else { Param::Read(prim) }, name));
        }
        let result = fun.returned().filter(|_| !vectorised);
        if result.is_none() {
            let results = fun.results.iter().map(|result| var(*result));
            list.extend(results.map(|(ty, name)| (Param::Written(elem(ty)), name)));
        }
        Prototype {
            function: fun.name.to_string(),
            platform: symbol.platform,
            symbol: symbol.name.to_string(),
            vectorised,
            caller: if kernels { Caller::Kernels } else { Caller::Host },
            result,
            params: list,
        }
    }

    /// The declaration in C, without a semicolon.
    pub fn text(&self) -> String {
        self.with_types(names::prim)
    }

    /// The same with types that compilers know without any header, so that it can come before all others.
    pub fn without_headers(&self) -> String {
        self.with_types(builtin_type)
    }

    fn with_types(&self, name_of: fn(Prim) -> &'static str) -> String {
        let param = |(param, name): &(Param, String)| match param {
            Param::Stream => format!("void *{name}"),
            Param::Value(prim) => format!("{} {name}", name_of(*prim)),
            Param::Read(prim) => format!("const {} *{name}", name_of(*prim)),
            Param::Written(prim) => format!("{} *{name}", name_of(*prim)),
        };
        let params: Vec<String> = self.params.iter().map(param).collect();
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        format!("{} {}({params})", self.result.map_or("int", name_of), self.symbol)
    }
}

/// Declarations of the functions that the host calls.
pub fn declarations(prototypes: &[Prototype]) -> String {
    let mut text = String::new();
    let mut seen: Vec<&str> = Vec::new();
    for prototype in prototypes.iter().filter(|prototype| prototype.caller == Caller::Host) {
        if !seen.contains(&prototype.symbol.as_str()) {
            seen.push(&prototype.symbol);
            text.push_str(&format!("extern {};\n", prototype.text()));
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn elem(ty: &Type) -> Prim {
    match ty.elem() {
        Some(Elem::Prim(prim)) => prim,
        Some(Elem::Unit) | None => bug("something without contents crosses to another language"),
    }
}

/// The name that a type of C has without headers.
fn builtin_type(prim: Prim) -> &'static str {
    match prim {
        Prim::I8 => "__INT8_TYPE__",
        Prim::I16 => "__INT16_TYPE__",
        Prim::I32 => "__INT32_TYPE__",
        Prim::I64 => "__INT64_TYPE__",
        Prim::U8 => "__UINT8_TYPE__",
        Prim::U16 | Prim::F16 => "__UINT16_TYPE__",
        Prim::U32 => "__UINT32_TYPE__",
        Prim::U64 => "__UINT64_TYPE__",
        Prim::F32 => "float",
        Prim::F64 => "double",
        Prim::Bool => "_Bool",
    }
}
