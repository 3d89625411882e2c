//! Expressions of any type: what is in scope, values without more ado, and what suits all types.
//!
//! Every expression is a text that can stand anywhere: an atom, or something in parentheses.

use crate::env::Gen;
use crate::ty::{Size, Ty};

impl Gen {
    /// An expression of a type. The more fuel, the larger it may be.
    pub(crate) fn exp(&mut self, ty: &Ty, fuel: usize) -> String {
        self.pay(1);
        if fuel == 0 || !self.afford(8) {
            return self.leaf(ty);
        }
        if self.chance(20)
            && let Some(text) = self.place(ty)
        {
            return text;
        }
        if self.chance(30)
            && let Some(text) = self.general(ty, fuel)
        {
            return text;
        }
        match ty {
            Ty::Prim(prim) => self.scalar(*prim, fuel),
            Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(_) => self.compound(ty, fuel),
            Ty::Array(size, elem) => self.array(size, elem, fuel),
            Ty::Param(_) => {
                let text = if self.chance(60) { self.call(ty, fuel) } else { None };
                text.unwrap_or_else(|| self.leaf(ty))
            }
            Ty::Fun(params, result) => self.function(params, result, fuel),
        }
    }

    /// A small expression: something in scope, or a constant.
    pub(crate) fn leaf(&mut self, ty: &Ty) -> String {
        if (self.chance(75) || !self.has_constants(ty))
            && let Some(text) = self.place(ty)
        {
            return text;
        }
        self.constant(ty)
    }

    /// Whether values can be made of nothing.
    fn has_constants(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Prim(_) | Ty::Fun(..) => true,
            Ty::Tuple(parts) => parts.iter().all(|ty| self.has_constants(ty)),
            Ty::Record(fields) => fields.iter().all(|(_, ty)| self.has_constants(ty)),
            Ty::Sum(ctors) => {
                ctors.iter().any(|(_, tys)| tys.iter().all(|ty| self.has_constants(ty)))
            }
            Ty::Array(_, elem) => self.has_constants(elem),
            Ty::Param(_) => false,
        }
    }

    /// A value that depends on no more than it has to.
    pub(crate) fn constant(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Prim(prim) => self.literal(*prim),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|ty| self.constant(ty)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(fields) => {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(name, ty)| format!("{name} = {}", self.constant(ty)))
                    .collect();
                format!("{{{}}}", fields.join(", "))
            }
            Ty::Sum(ctors) => {
                let (name, tys) = self.one(ctors);
                let parts: Vec<String> = tys.iter().map(|ty| self.constant(ty)).collect();
                let text = self.show(ty);
                format!("((#{name} {}) : {text})", parts.join(" "))
            }
            Ty::Array(size, elem) => {
                self.pay(4);
                let elem = self.constant(elem);
                format!("(replicate {} {elem})", size.atom())
            }
            Ty::Param(_) => self.exact(ty).unwrap_or_else(|| "???".to_owned()),
            Ty::Fun(params, result) => self.lambda(params, result, 0),
        }
    }

    /// A variable of just this type.
    fn exact(&mut self, ty: &Ty) -> Option<String> {
        let names: Vec<String> = self
            .vars
            .iter()
            .filter(|var| var.alive && var.ty == *ty)
            .map(|var| var.name.clone())
            .collect();
        if names.is_empty() { None } else { Some(self.one(&names)) }
    }

    /// Something in scope with this type: a variable, a part of one, an element of an array.
    pub(crate) fn place(&mut self, ty: &Ty) -> Option<String> {
        let mut found = Vec::new();
        for var in self.vars.iter().filter(|var| var.alive) {
            paths(&var.name, &var.ty, ty, &mut found);
        }
        if found.is_empty() {
            return None;
        }
        // What was made last is most interesting.
        let from = if self.chance(50) { found.len().saturating_sub(4) } else { 0 };
        let recent = found[from..].to_vec();
        match self.one(&recent) {
            Path::Exact(text) => Some(text),
            Path::Element(text, sizes, rest) => {
                let place = self.element(&text, &sizes);
                Some(match place {
                    Guarded::Always(text) => format!("{text}{rest}"),
                    Guarded::If(condition, text) => {
                        let other = self.constant(ty);
                        format!("(if {condition} then {text}{rest} else {other})")
                    }
                })
            }
        }
    }

    /// An element of an array.
    fn element(&mut self, array: &str, sizes: &[Size]) -> Guarded {
        let (mut conditions, mut indices) = (Vec::new(), Vec::new());
        for size in sizes {
            let (condition, index) = self.index(size);
            conditions.extend(condition);
            indices.push(index);
        }
        let text = format!("{array}[{}]", indices.join(", "));
        if conditions.is_empty() {
            Guarded::Always(text)
        } else {
            Guarded::If(conditions.join(" && "), text)
        }
    }

    /// An index into an array of this size, and under which condition there is one.
    pub(crate) fn index(&mut self, size: &Size) -> (Option<String>, String) {
        let index = if self.chance(50) {
            self.exact(&Ty::I64).unwrap_or_else(|| "0i64".to_owned())
        } else if self.chance(50) {
            self.literal(fehu_base::Prim::I64)
        } else {
            format!("{}i64", self.rng.below(9))
        };
        if self.config.failing && self.chance(15) {
            // Perhaps there is no such element.
            return match self.rng.below(3) {
                0 => (None, index),
                1 => (None, format!("{index} % ({} + 1)", size.value())),
                _ => (None, format!("({}) - 1", size.value())),
            };
        }
        match size.constant() {
            Some(number) if number > 0 && self.chance(10) => {
                let prim = self.one(&[fehu_base::Prim::I32, fehu_base::Prim::I16]);
                let index = self.leaf(&Ty::Prim(prim));
                (None, format!("{index} % {number}"))
            }
            Some(number) if number > 0 => (None, format!("{index} % {number}")),
            _ => (Some(format!("{} > 0", size.atom())), format!("{index} % {}", size.atom())),
        }
    }

    /// Expressions that suit all types.
    fn general(&mut self, ty: &Ty, fuel: usize) -> Option<String> {
        let functions = ty.has_functions();
        Some(match self.rng.below(16) {
            0..3 if !functions => {
                let condition = self.exp(&Ty::BOOL, fuel - 1);
                let yes = self.exp(ty, fuel - 1);
                let no = self.exp(ty, fuel - 1);
                format!("(if {condition} then {yes} else {no})")
            }
            3..5 => {
                let statements = 1 + self.rng.below(2);
                self.block(ty, fuel - 1, statements)
            }
            5..8 if !functions => self.looped(ty, fuel),
            8..12 => return self.call(ty, fuel),
            12 | 13 if !functions => self.matched(ty, fuel),
            14 if !functions => {
                let from = self.value_ty();
                let function = self.function(std::slice::from_ref(&from), ty, fuel - 1);
                let value = self.exp(&from, fuel - 1);
                match self.rng.below(3) {
                    0 => format!("({value} |> {function})"),
                    1 => format!("({function} <| {value})"),
                    _ => format!("({function} {value})"),
                }
            }
            15 if !functions && self.config.failing => {
                let condition = self.exp(&Ty::BOOL, fuel - 1);
                let value = self.exp(ty, fuel - 1);
                if self.chance(50) {
                    format!("(assert ({condition} || {}) {value})", self.one(&["true", "false"]))
                } else {
                    format!("(assert {condition} {value})")
                }
            }
            _ => return None,
        })
    }

    /// Tuples, records and sums.
    fn compound(&mut self, ty: &Ty, fuel: usize) -> String {
        match ty {
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|ty| self.exp(ty, fuel - 1)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(fields) => {
                if self.chance(25)
                    && let Some(record) = self.exact(ty)
                {
                    let (name, ty) = self.one(fields);
                    let value = self.exp(&ty, fuel - 1);
                    return format!("({record} with {name} = {value})");
                }
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(name, ty)| format!("{name} = {}", self.exp(ty, fuel - 1)))
                    .collect();
                format!("{{{}}}", fields.join(", "))
            }
            Ty::Sum(ctors) => {
                let (name, tys) = self.one(ctors);
                let parts: Vec<String> = tys.iter().map(|ty| self.exp(ty, fuel - 1)).collect();
                let text = self.show(ty);
                format!("((#{name} {}) : {text})", parts.join(" "))
            }
            Ty::Prim(_) | Ty::Array(..) | Ty::Param(_) | Ty::Fun(..) => self.leaf(ty),
        }
    }
}

/// A text, or a text that is right under a condition.
enum Guarded {
    Always(String),
    If(String, String),
}

/// How something in scope is reached.
#[derive(Clone)]
enum Path {
    Exact(String),
    /// An array, its sizes, and what comes after the index.
    Element(String, Vec<Size>, String),
}

fn paths(text: &str, ty: &Ty, wanted: &Ty, found: &mut Vec<Path>) {
    if ty == wanted {
        found.push(Path::Exact(text.to_owned()));
    }
    match ty {
        Ty::Tuple(parts) => {
            for (at, part) in parts.iter().enumerate() {
                paths(&format!("{text}.{at}"), part, wanted, found);
            }
        }
        Ty::Record(fields) => {
            for (name, ty) in fields {
                paths(&format!("{text}.{name}"), ty, wanted, found);
            }
        }
        Ty::Array(size, elem) => {
            let mut sizes = vec![size.clone()];
            let mut elem = &**elem;
            loop {
                let mut inner = Vec::new();
                components("", elem, wanted, &mut inner);
                let elements = inner.into_iter();
                found.extend(
                    elements.map(|rest| Path::Element(text.to_owned(), sizes.clone(), rest)),
                );
                let Ty::Array(size, next) = elem else { break };
                sizes.push(size.clone());
                elem = next;
            }
        }
        Ty::Prim(_) | Ty::Sum(_) | Ty::Param(_) | Ty::Fun(..) => {}
    }
}

/// The parts of a tuple or record with a type, as what is written after it.
fn components(text: &str, ty: &Ty, wanted: &Ty, found: &mut Vec<String>) {
    if ty == wanted {
        found.push(text.to_owned());
    }
    match ty {
        Ty::Tuple(parts) => {
            for (at, part) in parts.iter().enumerate() {
                components(&format!("{text}.{at}"), part, wanted, found);
            }
        }
        Ty::Record(fields) => {
            for (name, ty) in fields {
                components(&format!("{text}.{name}"), ty, wanted, found);
            }
        }
        Ty::Prim(_) | Ty::Sum(_) | Ty::Array(..) | Ty::Param(_) | Ty::Fun(..) => {}
    }
}
