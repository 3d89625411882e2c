//! Programs, functions, bodies, statements.

use crate::streaming::{Sequence, Streaming};
use crate::{Atom, Exp, External, Foreign, Scalar, Stage, Type};
use ecow::EcoString;
use fehu_base::{IdVec, define_id};

define_id!(
    /// A variable of one function or constant.
    pub struct Var, "v"
);
define_id!(
    /// A function.
    pub struct FunId, "f"
);
define_id!(
    /// A constant.
    pub struct ConstId, "c"
);

/// A whole program.
#[derive(Clone, PartialEq, Debug)]
pub struct Prog {
    /// Which operations it consists of.
    pub stage: Stage,
    /// Values that are computed once, in this order.
    pub consts: IdVec<ConstId, Const>,
    /// The functions. They may call each other and themselves.
    pub funs: IdVec<FunId, Fun>,
    /// What the outside world can call.
    pub entries: Vec<Entry>,
    /// How entry points on sequences are executed chunk by chunk, if that is known.
    pub streams: Vec<Streaming>,
}

/// A constant: a body that is evaluated at most once.
#[derive(Clone, PartialEq, Debug)]
pub struct Const {
    /// A name for people.
    pub name: EcoString,
    /// Its variables.
    pub vars: IdVec<Var, VarInfo>,
    /// The types of its values, as variables.
    pub results: Vec<Var>,
    /// The body.
    pub body: Body,
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Fun {
    /// A name for people.
    pub name: EcoString,
    /// Its variables.
    pub vars: IdVec<Var, VarInfo>,
    /// Its parameters; the types of arrays mention the parameters that are their sizes.
    pub params: Vec<Param>,
    /// The types of its results, as variables, which may mention each other and the parameters.
    pub results: Vec<Var>,
    /// The body.
    pub body: Body,
    /// Attributes of the source function, such as `noinline`.
    pub attrs: Vec<Attr>,
    /// What other languages have for it.
    pub foreign: Option<Foreign>,
}

/// A parameter of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// The variable.
    pub var: Var,
    /// Whether the argument is consumed.
    pub consumed: bool,
}

/// What is known of a variable.
#[derive(Clone, PartialEq, Debug)]
pub struct VarInfo {
    /// The name in the source, or something like it; need not be unique.
    pub hint: EcoString,
    /// The type.
    pub ty: Type,
}

/// Statements and the values they lead to.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Body {
    /// The statements in order.
    pub stms: Vec<Stm>,
    /// The results.
    pub results: Vec<Atom>,
}

/// A statement: binds the results of an expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Stm {
    /// The variables bound, one for each result.
    pub pat: Vec<Var>,
    /// The checks that must have passed before this is evaluated.
    pub certs: Vec<Var>,
    /// Attributes of the source expression.
    pub attrs: Vec<Attr>,
    /// Where it comes from.
    pub loc: Option<Loc>,
    /// The expression.
    pub exp: Exp,
}

/// A function of an array operator.
#[derive(Clone, PartialEq, Debug)]
pub struct Lambda {
    /// Its parameters.
    pub params: Vec<Var>,
    /// Its body. The sizes of results must be in scope outside of it, unless the operator says
    /// otherwise.
    pub body: Body,
    /// The types of its results.
    pub ret: Vec<Type>,
}

/// A place in the source, as text: `file:line:column-column`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Loc(pub EcoString);

/// The parts of a [`Loc`]: the file, and the line and column, from 1, where the place begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// An attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attr {
    /// The name.
    pub name: EcoString,
    /// Arguments: names or numbers, themselves with arguments.
    pub args: Vec<Attr>,
}

/// An entry point.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The name the outside world uses.
    pub name: EcoString,
    /// The function. Its leading parameters are sizes, read off the arguments; then come the parts
    /// of the external parameters, in order.
    pub fun: FunId,
    /// The external parameters.
    pub params: Vec<(EcoString, External)>,
    /// The external result.
    pub result: External,
    /// The parameters that are sequences.
    pub sources: Vec<Sequence>,
    /// The parts of the result that are.
    pub sinks: Vec<Sequence>,
    /// Attributes of the source declaration, which tools outside may ask for.
    pub attrs: Vec<Attr>,
    /// Documentation.
    pub doc: Option<EcoString>,
}

impl Entry {
    /// The argument that a part of the arguments belongs to, for messages: `argument 2 ("xs")`. Users count the arguments
    /// that they pass, not what those consist of.
    pub fn argument(&self, part: usize) -> String {
        let mut end = 0;
        for (i, (name, ty)) in self.params.iter().enumerate() {
            end += ty.parts().len();
            if part < end {
                return format!("argument {} (\"{name}\")", i + 1);
            }
        }
        "an argument".to_owned()
    }
}

impl Loc {
    /// The parts; none if the text is not a place.
    pub fn place(&self) -> Option<Place<'_>> {
        // File names may contain colons, and what stands behind the last one may be `column-line:column`.
        let start = match self.0.rsplit_once('-') {
            Some((start, end)) if end.bytes().all(|b| b.is_ascii_digit() || b == b':') => start,
            _ => self.0.as_str(),
        };
        let (rest, column) = start.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        Some(Place { file, line: line.parse().ok()?, column: column.parse().ok()? })
    }

    /// Whether it is in the prelude, which users do not know.
    pub fn in_prelude(&self) -> bool {
        self.0.starts_with("/prelude/")
    }
}

impl Stm {
    /// A statement without certificates, attributes and place.
    pub fn new(pat: Vec<Var>, exp: Exp) -> Stm {
        Stm { pat, certs: Vec::new(), attrs: Vec::new(), loc: None, exp }
    }
}

impl Body {
    /// A body without statements.
    pub fn of(results: Vec<Atom>) -> Body {
        Body { stms: Vec::new(), results }
    }
}

impl Attr {
    /// An attribute without arguments.
    pub fn named(name: impl Into<EcoString>) -> Attr {
        Attr { name: name.into(), args: Vec::new() }
    }
}

impl From<i64> for Atom {
    fn from(value: i64) -> Atom {
        Atom::Const(Scalar::I64(value))
    }
}
