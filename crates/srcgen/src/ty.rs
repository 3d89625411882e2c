//! Types of generated programs, and sizes, which are texts.

use fehu_base::Prim;

/// A type. Two of them are the same if they are equal; names of types are only a way of writing them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    Prim(Prim),
    Tuple(Vec<Ty>),
    Record(Vec<(String, Ty)>),
    Sum(Vec<(String, Vec<Ty>)>),
    Array(Size, Box<Ty>),
    /// A type parameter or an abstract type: values are made only by what is in scope.
    Param(String),
    Fun(Vec<Ty>, Box<Ty>),
}

/// A size as it is written: a number, a variable, a sum or a product of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Size(pub(crate) String);

/// What stands for type parameters and size parameters of a function in a call.
#[derive(Clone, Default, Debug)]
pub(crate) struct Bindings {
    pub(crate) types: Vec<(String, Ty)>,
    pub(crate) sizes: Vec<(String, Size)>,
}

impl Size {
    pub(crate) fn new(text: impl Into<String>) -> Size {
        Size(text.into())
    }

    /// As an operand or an argument.
    pub(crate) fn atom(&self) -> String {
        if self.0.contains(' ') { format!("({})", self.0) } else { self.0.clone() }
    }

    /// As an i64: a literal needs no suffix where an i64 is expected, but it may not be.
    pub(crate) fn value(&self) -> String {
        match self.constant() {
            Some(number) => format!("{number}i64"),
            None => self.atom(),
        }
    }

    pub(crate) fn constant(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// The two parts around an operator, neither of which has one.
    pub(crate) fn parts(&self, operator: &str) -> Option<(Size, Size)> {
        let (left, right) = self.0.split_once(operator)?;
        let plain = |part: &str| !part.contains(' ');
        (plain(left) && plain(right)).then(|| (Size::new(left), Size::new(right)))
    }

    fn put(&self, bindings: &Bindings) -> Size {
        // Only variables are bound, and sizes of functions have no operators unless by substitution.
        let words: Vec<String> = self
            .0
            .split(' ')
            .map(|word| match bindings.size(word) {
                Some(size) if self.0.contains(' ') => size.atom(),
                Some(size) => size.0.clone(),
                None => word.to_owned(),
            })
            .collect();
        Size(words.join(" "))
    }
}

impl Bindings {
    pub(crate) fn size(&self, name: &str) -> Option<&Size> {
        self.sizes.iter().find(|(other, _)| other == name).map(|(_, size)| size)
    }

    pub(crate) fn ty(&self, name: &str) -> Option<&Ty> {
        self.types.iter().find(|(other, _)| other == name).map(|(_, ty)| ty)
    }
}

impl Ty {
    pub(crate) const BOOL: Ty = Ty::Prim(Prim::Bool);
    pub(crate) const I64: Ty = Ty::Prim(Prim::I64);

    pub(crate) fn array(size: &Size, elem: &Ty) -> Ty {
        Ty::Array(size.clone(), Box::new(elem.clone()))
    }

    /// Whether a value has no arrays and no functions in it, so that it shares memory with nothing.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Ty::Prim(_) => true,
            Ty::Tuple(parts) => parts.iter().all(Ty::is_plain),
            Ty::Record(fields) => fields.iter().all(|(_, ty)| ty.is_plain()),
            Ty::Sum(ctors) => ctors.iter().all(|(_, parts)| parts.iter().all(Ty::is_plain)),
            Ty::Array(..) | Ty::Param(_) | Ty::Fun(..) => false,
        }
    }

    /// Whether there are functions in it, which arrays, branches and loops cannot have.
    pub(crate) fn has_functions(&self) -> bool {
        match self {
            Ty::Prim(_) | Ty::Param(_) => false,
            Ty::Tuple(parts) => parts.iter().any(Ty::has_functions),
            Ty::Record(fields) => fields.iter().any(|(_, ty)| ty.has_functions()),
            Ty::Sum(ctors) => ctors.iter().any(|(_, parts)| parts.iter().any(Ty::has_functions)),
            Ty::Array(_, elem) => elem.has_functions(),
            Ty::Fun(..) => true,
        }
    }

    /// How many array types are inside each other.
    pub(crate) fn rank(&self) -> usize {
        match self {
            Ty::Array(_, elem) => 1 + elem.rank(),
            Ty::Tuple(parts) => parts.iter().map(Ty::rank).max().unwrap_or(0),
            Ty::Record(fields) => fields.iter().map(|(_, ty)| ty.rank()).max().unwrap_or(0),
            Ty::Sum(ctors) => {
                ctors.iter().flat_map(|(_, tys)| tys).map(Ty::rank).max().unwrap_or(0)
            }
            Ty::Prim(_) | Ty::Param(_) | Ty::Fun(..) => 0,
        }
    }

    /// The names in the sizes of a type.
    pub(crate) fn sizes(&self, names: &mut Vec<String>) {
        match self {
            Ty::Array(size, elem) => {
                for word in size.0.split(' ') {
                    if word.starts_with(char::is_alphabetic) && !names.iter().any(|n| n == word) {
                        names.push(word.to_owned());
                    }
                }
                elem.sizes(names);
            }
            Ty::Tuple(parts) => parts.iter().for_each(|ty| ty.sizes(names)),
            Ty::Record(fields) => fields.iter().for_each(|(_, ty)| ty.sizes(names)),
            Ty::Sum(ctors) => {
                ctors.iter().flat_map(|(_, tys)| tys).for_each(|ty| ty.sizes(names));
            }
            Ty::Fun(params, result) => {
                params.iter().for_each(|ty| ty.sizes(names));
                result.sizes(names);
            }
            Ty::Prim(_) | Ty::Param(_) => {}
        }
    }

    /// The type with parameters replaced.
    pub(crate) fn put(&self, bindings: &Bindings) -> Ty {
        let all = |tys: &[Ty]| tys.iter().map(|ty| ty.put(bindings)).collect::<Vec<_>>();
        match self {
            Ty::Prim(prim) => Ty::Prim(*prim),
            Ty::Tuple(parts) => Ty::Tuple(all(parts)),
            Ty::Record(fields) => Ty::Record(
                fields.iter().map(|(name, ty)| (name.clone(), ty.put(bindings))).collect(),
            ),
            Ty::Sum(ctors) => {
                Ty::Sum(ctors.iter().map(|(name, tys)| (name.clone(), all(tys))).collect())
            }
            Ty::Array(size, elem) => Ty::Array(size.put(bindings), Box::new(elem.put(bindings))),
            Ty::Param(name) => bindings.ty(name).cloned().unwrap_or_else(|| self.clone()),
            Ty::Fun(params, result) => Ty::Fun(all(params), Box::new(result.put(bindings))),
        }
    }

    /// Finds what parameters stand for, so that this type becomes another one.
    pub(crate) fn matches(
        &self,
        wanted: &Ty,
        (types, sizes): (&[String], &[String]),
        found: &mut Bindings,
    ) -> bool {
        let params = (types, sizes);
        match (self, wanted) {
            (Ty::Param(name), _) if types.contains(name) => match found.ty(name) {
                Some(ty) => ty == wanted,
                None if wanted.has_functions() => false,
                None => {
                    found.types.push((name.clone(), wanted.clone()));
                    true
                }
            },
            (Ty::Array(size, elem), Ty::Array(other, wanted)) => {
                let same = if sizes.contains(&size.0) {
                    match found.size(&size.0) {
                        Some(size) => size == other,
                        None => {
                            found.sizes.push((size.0.clone(), other.clone()));
                            true
                        }
                    }
                } else {
                    size == other
                };
                same && elem.matches(wanted, params, found)
            }
            (Ty::Tuple(parts), Ty::Tuple(others)) => {
                parts.len() == others.len()
                    && parts.iter().zip(others).all(|(a, b)| a.matches(b, params, found))
            }
            (Ty::Record(fields), Ty::Record(others)) => {
                fields.len() == others.len()
                    && fields
                        .iter()
                        .zip(others)
                        .all(|((a, x), (b, y))| a == b && x.matches(y, params, found))
            }
            (Ty::Sum(ctors), Ty::Sum(others)) => {
                ctors.len() == others.len()
                    && ctors.iter().zip(others).all(|((a, xs), (b, ys))| {
                        a == b
                            && xs.len() == ys.len()
                            && xs.iter().zip(ys).all(|(x, y)| x.matches(y, params, found))
                    })
            }
            (Ty::Fun(params_of, result), Ty::Fun(others, wanted)) => {
                params_of.len() == others.len()
                    && params_of.iter().zip(others).all(|(a, b)| a.matches(b, params, found))
                    && result.matches(wanted, params, found)
            }
            _ => self == wanted,
        }
    }
}
