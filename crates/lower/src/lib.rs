//! From typed trees to the core IR, by staged evaluation.
//!
//! The language forbids functions in arrays, in branches and in loops, so every function, module,
//! type and record shape is known at compile time. A single evaluator over the typed tree computes with
//! partially known values ([`value::Val`]): static parts are evaluated away, and the residual parts
//! become IR. Afterwards there are no modules, polymorphism, closures or records left.
//!
//! - A call of a top-level function whose arguments are all data becomes a call of an IR function,
//!   which is created once for each combination of shapes (`special`). Calls with functions among the
//!   arguments are evaluated inline the first time, and share an IR function after that (`call`,
//!   `capture`); calls of prelude functions are evaluated inline.
//! - Sizes follow values: a value of array type carries the operands for its sizes. The size
//!   parameters of a function are read from its arguments; only those that no argument determines are
//!   computed from the sizes that the checker inferred.
//! - Conditions that must hold at run time are checked by statements whose certificates the dependent
//!   statements name (`check`).

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

mod access;
mod accumulate;
mod attribute;
mod branch;
mod build;
mod call;
mod capture;
mod constant;
mod construct;
mod derive;
mod entry;
mod env;
mod exp;
mod external;
mod flatmap;
mod foreign;
mod intrinsic;
pub mod layout;
mod literal;
mod literals;
mod message;
mod module;
mod name;
mod notice;
mod pattern;
mod repeat;
mod scalar;
mod seq;
mod sizes;
mod soac;
mod special;
mod statics;
mod stream;
mod term;
mod value;
mod zip;

use crate::build::Building;
use crate::env::Frame;
use crate::notice::Watching;
pub use crate::notice::{Notices, Scene, Visible};
use fehu_base::{FileId, IdVec, OrBug, SourceMap};
use fehu_check::Unit;
use fehu_check::program::{Program, Tables};
use fehu_ir::{Const, ConstId, Fun, FunId, Loc, Prog, Stage};
use fehu_syntax::ast;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Something that cannot be lowered: a limit of this compiler, with the place.
#[derive(Clone, Debug)]
pub struct Limit {
    /// Where.
    pub span: fehu_base::Span,
    /// What.
    pub message: String,
}

/// Lowers a checked program.
pub fn lower<'a>(
    sources: &'a SourceMap,
    program: &'a Program,
    units: &[Unit<'a>],
) -> Result<Prog, Limit> {
    lower_with(sources, program, units, Unsafe::Obeyed, Places::OfOperators)
}

/// Lowers a checked program, and says what becomes of its `#[unsafe]`, and which statements know their places.
pub fn lower_with<'a>(
    sources: &'a SourceMap,
    program: &'a Program,
    units: &[Unit<'a>],
    unsafety: Unsafe,
    places: Places,
) -> Result<Prog, Limit> {
    run(sources, program, units, unsafety, places, false, Notices::Nothing)
        .map(|lowered| lowered.prog)
}

/// Lowers a checked program with all foreign functions in it, also those that nobody calls.
pub fn lower_foreign<'a>(
    sources: &'a SourceMap,
    program: &'a Program,
    units: &[Unit<'a>],
) -> Result<Prog, Limit> {
    run(sources, program, units, Unsafe::Obeyed, Places::OfOperators, true, Notices::Nothing)
        .map(|lowered| lowered.prog)
}

/// What becomes of `#[unsafe]` in the user's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unsafe {
    /// There are no checks under it.
    #[default]
    Obeyed,
    /// It means nothing: everything is checked. The prelude, which knows what it does, keeps its own.
    Ignored,
}

/// Which statements know where they come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Places {
    /// Those of operators, loops and calls.
    #[default]
    OfOperators,
    /// All of them, for profiles: the parts of an operator come from several lines.
    OfAll,
}

/// A lowered program, and what an interactive session wants to know about it.
pub struct Lowered {
    /// The program.
    pub prog: Prog,
    /// What the results of the entry points are made of.
    pub results: Vec<layout::Layout>,
    /// The declaration that each constant comes from. One inside of a parametric module can have
    /// several constants.
    pub constants: IdVec<ConstId, (FileId, ast::NodeId)>,
    /// Whether it has come upon a breakpoint.
    pub has_breakpoints: bool,
    /// What the numbers in notices stand for.
    pub scenes: Vec<Scene>,
}

/// Lowers a checked program, and tells where its constants come from and how to show its results.
pub fn lower_details<'a>(
    sources: &'a SourceMap,
    program: &'a Program,
    units: &[Unit<'a>],
    notices: Notices,
) -> Result<Lowered, Limit> {
    run(sources, program, units, Unsafe::Obeyed, Places::OfOperators, false, notices)
}

fn run<'a>(
    sources: &'a SourceMap,
    program: &'a Program,
    units: &[Unit<'a>],
    unsafety: Unsafe,
    places: Places,
    all_foreign: bool,
    notices: Notices,
) -> Result<Lowered, Limit> {
    let common = build::Common::default();
    let mut lower = Lower {
        sources,
        program,
        prog: Prog {
            stage: Stage::Arrays,
            consts: IdVec::new(),
            funs: IdVec::new(),
            entries: Vec::new(),
            streams: Vec::new(),
        },
        building: vec![Building::new(&common)],
        common,
        places,
        memo: FxHashMap::default(),
        seen: FxHashMap::default(),
        foreign: FxHashMap::default(),
        statics: Default::default(),
        captured: BTreeMap::new(),
        making: Vec::new(),
        in_place: 0,
        lent: false,
        imports: Vec::new(),
        opened_prelude: None,
        safe: true,
        unsafety,
        all_foreign,
        trace: Vec::new(),
        attrs: Vec::new(),
        prelude: Vec::new(),
        acc_elems: FxHashMap::default(),
        first_use: FxHashMap::default(),
        results: Vec::new(),
        constants: IdVec::new(),
        codes: FxHashMap::default(),
        paths: Vec::new(),
        watching: Watching { notices, ..Watching::default() },
    };
    lower.units(units)?;
    capture::close(&mut lower.prog, lower.captured);
    zip::settle(&mut lower.prog);
    Ok(Lowered {
        prog: lower.prog,
        results: lower.results,
        constants: lower.constants,
        has_breakpoints: lower.watching.met,
        scenes: lower.watching.scenes,
    })
}

/// The evaluator.
struct Lower<'a> {
    sources: &'a SourceMap,
    program: &'a Program,
    prog: Prog,
    /// Functions under construction, the current one last.
    building: Vec<Building>,
    /// What they have in common.
    common: build::Common,
    /// Which statements know their places.
    places: Places,
    /// IR functions made, by function and shapes of arguments.
    memo: FxHashMap<special::Key, special::Made>,
    /// IR functions of foreign functions, by definition and what it refers to.
    foreign: FxHashMap<(usize, usize), foreign::MadeForeign>,
    /// Calls that were evaluated in place, and how many variables that made.
    seen: FxHashMap<special::Key, u32>,
    /// Numbers of function values.
    statics: statics::Statics<'a>,
    /// What the functions made for closures capture.
    captured: BTreeMap<FunId, capture::Captured>,
    /// The functions that are being made, outermost first.
    making: Vec<special::Making>,
    /// How many calls of functions are being evaluated, one in the other.
    in_place: u32,
    /// Whether the function value that is being evaluated has met arrays of constants, or lambdas, which
    /// may mention them.
    lent: bool,
    /// What imports mean in the files being evaluated, the current one last.
    imports: Vec<Rc<module::Imports<'a>>>,
    /// What every file sees, and under which variable.
    opened_prelude: Option<(fehu_check::ty::VarId, Rc<env::Mod<'a>>)>,
    /// Whether checks are made: not under `#[unsafe]`.
    safe: bool,
    /// What the user's `#[unsafe]` means.
    unsafety: Unsafe,
    /// Whether foreign functions are lowered that nobody calls.
    all_foreign: bool,
    /// The places of the calls that are being evaluated in place, outermost first.
    trace: Vec<fehu_base::Span>,
    /// Attributes for the next statement of an array operator.
    attrs: Vec<fehu_ir::Attr>,
    /// The files of the prelude.
    prelude: Vec<FileId>,
    /// What each accumulator is made of: its size and the shape of its elements.
    acc_elems: FxHashMap<fehu_ir::Var, (fehu_ir::Atom, Rc<value::Shape>)>,
    /// The first use of each variable in a file, to find functions that call themselves.
    first_use: FxHashMap<(FileId, fehu_check::ty::VarId), ast::NodeId>,
    /// See [`Lowered`].
    results: Vec<layout::Layout>,
    /// See [`Lowered`].
    constants: IdVec<ConstId, (FileId, ast::NodeId)>,
    /// The expressions that are sizes as code.
    codes: FxHashMap<(FileId, ast::NodeId), &'a ast::Exp>,
    /// The paths of the sections `(.f)` in sizes.
    paths: Vec<Rc<[fehu_check::ty::TermStep]>>,
    /// What a session is told.
    watching: Watching,
}

type Res<T> = Result<T, Limit>;

impl<'a> Lower<'a> {
    fn b(&mut self) -> &mut Building {
        // There is always one: the outermost collects what belongs to no function.
        let last = self.building.len() - 1;
        &mut self.building[last]
    }

    /// What the checker found out about a file.
    fn tables(&self, file: FileId) -> &'a Tables {
        self.program.files.get(&file).or_bug("table of the checker for a file")
    }

    fn loc(&self, span: fehu_base::Span) -> Loc {
        Loc(self.sources.describe(span).into())
    }

    /// The places that lead here, innermost first.
    fn places(&self, span: fehu_base::Span) -> Vec<Loc> {
        let mut places = vec![self.loc(span)];
        places.extend(self.trace.iter().rev().map(|span| self.loc(*span)));
        places
    }

    /// Gives up on a program that is right, for a reason that its author can understand. What the checker rules out is no
    /// limit but a [`Lower::bug`].
    fn limit<T>(&self, span: fehu_base::Span, message: impl Into<String>) -> Res<T> {
        Err(Limit { span: self.user_place(span), message: message.into() })
    }

    /// Something that the checker guarantees does not hold; the message names the place in the user's program.
    #[track_caller]
    #[cold]
    fn bug(&self, span: fehu_base::Span, message: impl std::fmt::Display) -> ! {
        let place = self.sources.describe(self.user_place(span));
        fehu_base::bug(format_args!("{message} ({place})"))
    }

    /// Stops where only data can be and a value has a function. The checker leaves that to us for abstract
    /// types: it does not know what they stand for.
    fn no_function(&self, value: &value::Val<'a>, span: fehu_base::Span, what: &str) -> Res<()> {
        match value.has_function() {
            true => {
                self.limit(span, format!("{what} is a function, for which an abstract type stands"))
            }
            false => Ok(()),
        }
    }

    /// A place in the user's code: users do not know the prelude's, so for that it is the call that
    /// led there.
    fn user_place(&self, span: fehu_base::Span) -> fehu_base::Span {
        let mut places = std::iter::once(&span).chain(self.trace.iter().rev());
        *places.find(|place| !self.prelude.contains(&place.file)).unwrap_or(&span)
    }

    fn add_fun(&mut self, fun: Fun) -> FunId {
        self.prog.funs.push(fun)
    }

    fn add_const(&mut self, constant: Const, origin: (FileId, ast::NodeId)) -> ConstId {
        self.constants.push(origin);
        self.prog.consts.push(constant)
    }

    fn in_prelude(&self, frame: &Frame<'a>) -> bool {
        self.prelude.contains(&frame.file)
    }
}
