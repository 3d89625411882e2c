//! What a session is told while a program runs: which calls it is in, and where it may stop.
//!
//! Programs are lowered with [`Notices::Nothing`] unless a session asks. Otherwise there is a [`Notice`] at each
//! `#[break]`, and around each call in the user's files inside of which the program may stop. Notices show the names
//! that are visible where they stand, as [`Scene`]s say. Functions that are differentiated have none: what is left of
//! them is other code.

use crate::env::{Frame, Term};
use crate::layout::Layout;
use crate::value::Val;
use crate::{Lower, Res};
use ecow::EcoString;
use fehu_base::{Prim, Span};
use fehu_check::program::VarKind;
use fehu_check::ty::{Size, Ty, VarId};
use fehu_ir::{Atom, Exp, Notice, Type};
use fehu_syntax::ast::LetBind;
use std::rc::Rc;

/// What a session is told while a program runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Notices {
    /// Nothing.
    #[default]
    Nothing,
    /// Where there are breakpoints, and the calls that lead there.
    Breakpoints,
    /// Likewise, and where operations make NaN of other numbers.
    BreakpointsAndNan,
}

/// A place in the user's files where a program may stop, or where a call is that it may stop in.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The place.
    pub span: Span,
    /// The names that are visible there, in the order in which they were bound. The parts of their values are the operands of the
    /// notice. Functions are not among them.
    pub names: Vec<Visible>,
}

/// A name that is visible somewhere.
#[derive(Clone, Debug)]
pub struct Visible {
    /// The name.
    pub name: EcoString,
    /// What its value is made of.
    pub layout: Layout,
    /// Its type, if that can be written with the names that are visible.
    pub ty: Option<String>,
}

/// What the evaluator knows of notices.
#[derive(Default)]
pub(crate) struct Watching {
    pub(crate) notices: Notices,
    pub(crate) scenes: Vec<Scene>,
    /// Whether there is a `#[break]` in what was evaluated.
    pub(crate) met: bool,
    /// How many statements there are so far at which the program may stop.
    pub(crate) stops: u64,
}

impl Watching {
    fn is_off(&self) -> bool {
        self.notices == Notices::Nothing
    }
}

impl<'a> Lower<'a> {
    /// A breakpoint.
    pub(crate) fn breakpoint(&mut self, span: Span, frame: &Rc<Frame<'a>>) {
        self.watching.met = true;
        if self.watching.is_off() {
            return;
        }
        let (scene, values) = match self.in_prelude(frame) {
            true => (None, Vec::new()),
            false => {
                let (scene, values) = self.scene(span, frame);
                (Some(scene), values)
            }
        };
        self.notice(Notice::Stop(scene), values);
        self.may_stop();
    }

    /// Evaluates a call of the source.
    pub(crate) fn noticed(
        &mut self,
        span: Span,
        frame: &Rc<Frame<'a>>,
        call: impl FnOnce(&mut Self) -> Res<Val<'a>>,
    ) -> Res<Val<'a>> {
        if self.watching.is_off() || self.in_prelude(frame) {
            return call(self);
        }
        let before = self.watching.stops;
        let (scene, values) = self.scene(span, frame);
        let begin = self.b().position();
        self.notice(Notice::Enter(scene), values);
        let value = call(self)?;
        if self.watching.stops == before {
            self.b().remove(begin);
        } else {
            self.notice(Notice::Leave, Vec::new());
        }
        Ok(value)
    }

    /// Watches the result of an operation.
    pub(crate) fn watch_nan(&mut self, prim: Prim, made: Atom, operands: &[(Prim, Atom)]) {
        if self.watching.notices == Notices::BreakpointsAndNan && prim.is_float() {
            let floats = operands.iter().filter(|(prim, _)| prim.is_float()).map(|(_, atom)| *atom);
            let numbers = std::iter::once(made).chain(floats).collect();
            self.notice(Notice::Nan, numbers);
            self.may_stop();
        }
    }

    /// Notes that the program may stop in what has just been evaluated.
    pub(crate) fn may_stop(&mut self) {
        if !self.watching.is_off() {
            self.watching.stops += 1;
        }
    }

    /// Evaluates something that tells nothing.
    pub(crate) fn unwatched<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::take(&mut self.watching.notices);
        let result = work(self);
        self.watching.notices = outer;
        result
    }

    /// Ends the scope of names.
    pub(crate) fn end_scope(&self, binds: &[LetBind], frame: &Frame<'a>) {
        if !self.watching.is_off() {
            for (var, _) in frame.own_terms() {
                let place = self.program.vars[var].span.filter(|place| place.file == frame.file);
                if place.is_some_and(|place| binds.iter().any(|bind| holds(bind.span, place))) {
                    frame.hide(var);
                }
            }
        }
    }

    fn notice(&mut self, notice: Notice, values: Vec<Atom>) {
        self.b().one("noticed", Type::CERT, Exp::Notice(notice, values));
    }

    /// A scene, and the values of its names.
    fn scene(&mut self, span: Span, frame: &Rc<Frame<'a>>) -> (u32, Vec<Atom>) {
        let visible = self.visible(span, frame);
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for (var, value) in &visible {
            let info = &self.program.vars[*var];
            let ty = info.scheme.as_ref().map(|scheme| scheme.ty.unwrap_unique());
            let known = |size: VarId| visible.iter().any(|(var, _)| *var == size);
            let ty = ty.filter(|ty| can_be_written(ty, &known)).map(|ty| self.program_type(ty));
            names.push(Visible { name: info.name.clone(), layout: Layout::of(&value.shape()), ty });
            values.extend(value.parts());
        }
        let number = self.watching.scenes.len() as u32;
        self.watching.scenes.push(Scene { span, names });
        (number, values)
    }

    /// The local variables that are visible at a place, and have data. The innermost of a name is meant, and in a frame the last.
    fn visible(&self, span: Span, frame: &Rc<Frame<'a>>) -> Vec<(VarId, Val<'a>)> {
        let name = |var: VarId| &self.program.vars[var].name;
        let start = |var: VarId| self.program.vars[var].span.map(|place| place.start);
        let mut found: Vec<(VarId, Val<'a>)> = Vec::new();
        let mut next = Some(frame);
        while let Some(frame) = next.filter(|frame| !frame.is_module()) {
            let mut own: Vec<(VarId, Val<'a>)> = Vec::new();
            for (var, term) in frame.own_terms() {
                let info = &self.program.vars[var];
                let local =
                    matches!(info.kind, VarKind::Local | VarKind::Param | VarKind::SizeParam);
                // Names that were made up, for sizes, are not in the text.
                if let (true, Some(place), Term::Val(value)) = (local, info.span, term)
                    && place.file == span.file
                    && place.start < span.start
                    && self.sources.text(place) == info.name
                {
                    own.push((var, value));
                }
            }
            own.sort_by_key(|(var, _)| std::cmp::Reverse(start(*var)));
            for (var, value) in own {
                if !found.iter().any(|(inner, _)| name(*inner) == name(var)) {
                    found.push((var, value));
                }
            }
            next = frame.parent();
        }
        found.sort_by_key(|(var, _)| start(*var));
        found.retain(|(_, value)| !value.has_function() && !value.has_acc());
        found
    }
}

/// Whether a type mentions no types but built-in ones, and no sizes but numbers and known names.
fn can_be_written(ty: &Ty, known: &dyn Fn(VarId) -> bool) -> bool {
    match ty {
        Ty::Prim(_) => true,
        Ty::Array(Size::Const(_), elem) => can_be_written(elem, known),
        Ty::Array(Size::Var(size), elem) => known(*size) && can_be_written(elem, known),
        Ty::Record(fields) => fields.iter().all(|(_, ty)| can_be_written(ty, known)),
        Ty::Sum(ctors) => ctors.iter().flat_map(|(_, tys)| tys).all(|ty| can_be_written(ty, known)),
        Ty::Array(..) | Ty::Unique(_) | Ty::Fun(_) | Ty::Con(..) | Ty::Meta(_) | Ty::Error => false,
    }
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
