//! Environments: what variables, modules and types mean where code is evaluated.

use crate::value::{Shape, Val};
use ecow::EcoString;
use fehu_base::FileId;
use fehu_check::ty::{Size, Ty, TypeFnParam, TypeId, VarId};
use fehu_ir::Atom;
use fehu_syntax::ast;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// The variables of one activation of a function, or of a module's body.
pub(crate) struct Frame<'a> {
    terms: RefCell<FxHashMap<VarId, Term<'a>>>,
    types: RefCell<FxHashMap<TypeId, TypeVal<'a>>>,
    shapes: RefCell<FxHashMap<TypeId, Shape>>,
    /// The sizes that were computed in it.
    sizes: RefCell<FxHashMap<Size, Atom>>,
    /// The variables whose scope has ended; only kept for those who want to know what is visible.
    hidden: RefCell<FxHashSet<VarId>>,
    parent: Option<Rc<Frame<'a>>>,
    /// The file whose tables the code in it uses.
    pub(crate) file: FileId,
    /// Whether the abstract types of the modules evaluated inside belong to this frame: the program,
    /// or an application of a parametric module.
    scope: bool,
    /// Whether it belongs to a module, and not to an activation of a function.
    module: bool,
}

/// What a variable is.
#[derive(Clone)]
pub(crate) enum Term<'a> {
    Val(Val<'a>),
    Mod(Rc<Mod<'a>>),
    /// A top-level definition; evaluated when it is needed.
    Def(Rc<Def<'a>>),
    /// A value seen through a module type.
    View(Rc<View<'a>>),
    /// A size that is computed where it is needed, and where its variables have their meaning.
    Size(Size, Rc<Frame<'a>>),
}

/// A polymorphic value seen through a module type: its parameters are others than those that its
/// users know.
pub(crate) struct View<'a> {
    pub(crate) inner: Term<'a>,
    /// The variable whose scheme its users know.
    pub(crate) var: VarId,
    /// What the parameters of `inner` are, in terms of those of `var`.
    pub(crate) instance: &'a fehu_check::program::Instance,
    /// Where the other names in `instance` have their meaning.
    pub(crate) frame: Rc<Frame<'a>>,
}

/// A module.
pub(crate) enum Mod<'a> {
    Struct(IndexMap<EcoString, Term<'a>, FxBuildHasher>),
    Functor(Functor<'a>),
}

/// A parametric module.
pub(crate) struct Functor<'a> {
    pub(crate) params: &'a [ast::ModParam],
    /// The module expression, and where it was met.
    pub(crate) body: &'a ast::ModExp,
    pub(crate) ty: Option<&'a ast::ModTypeExp>,
    pub(crate) frame: Rc<Frame<'a>>,
    /// What imports mean in its file.
    pub(crate) imports: Option<Rc<crate::module::Imports<'a>>>,
}

/// A top-level definition.
pub(crate) struct Def<'a> {
    pub(crate) file: FileId,
    pub(crate) dec: &'a ast::Dec,
    pub(crate) bind: &'a ast::ValBind,
    pub(crate) var: VarId,
    pub(crate) frame: Rc<Frame<'a>>,
    /// The value of a constant, once computed.
    pub(crate) value: RefCell<Option<crate::constant::Constant<'a>>>,
}

/// What a nominal type stands for.
#[derive(Clone)]
pub(crate) struct TypeVal<'a> {
    pub(crate) params: Rc<[TypeFnParam]>,
    pub(crate) ty: Ty,
    pub(crate) frame: Rc<Frame<'a>>,
}

impl<'a> Frame<'a> {
    /// A frame of an activation of a function, or of a part of one.
    pub(crate) fn new(file: FileId, parent: Option<Rc<Frame<'a>>>) -> Rc<Frame<'a>> {
        Frame::with(file, parent, false, false)
    }

    /// A frame of a module's body.
    pub(crate) fn new_module(file: FileId, parent: Option<Rc<Frame<'a>>>) -> Rc<Frame<'a>> {
        Frame::with(file, parent, false, true)
    }

    /// A frame of a module that the abstract types made inside it belong to.
    pub(crate) fn new_scope(file: FileId, parent: Option<Rc<Frame<'a>>>) -> Rc<Frame<'a>> {
        Frame::with(file, parent, true, true)
    }

    fn with(
        file: FileId,
        parent: Option<Rc<Frame<'a>>>,
        scope: bool,
        module: bool,
    ) -> Rc<Frame<'a>> {
        Rc::new(Frame {
            terms: RefCell::default(),
            types: RefCell::default(),
            shapes: RefCell::default(),
            sizes: RefCell::default(),
            hidden: RefCell::default(),
            parent,
            file,
            scope,
            module,
        })
    }

    /// Binds an abstract type for everything inside the nearest scope.
    pub(crate) fn bind_abstract(&self, id: TypeId, ty: TypeVal<'a>) {
        self.nearest_scope().bind_type(id, ty);
    }

    /// Binds a value of a module for everything inside the nearest scope: sizes mention values
    /// wherever they are.
    pub(crate) fn bind_global(&self, var: VarId, term: Term<'a>) {
        self.nearest_scope().bind(var, term);
    }

    /// Whether it belongs to a module, and not to an activation of a function.
    pub(crate) fn is_module(&self) -> bool {
        self.module
    }

    fn nearest_scope(&self) -> &Frame<'a> {
        let mut frame = self;
        while !frame.scope {
            match frame.parent.as_deref() {
                Some(parent) => frame = parent,
                None => break,
            }
        }
        frame
    }

    pub(crate) fn bind(&self, var: VarId, term: Term<'a>) {
        self.terms.borrow_mut().insert(var, term);
    }

    pub(crate) fn bind_type(&self, id: TypeId, ty: TypeVal<'a>) {
        self.types.borrow_mut().insert(id, ty);
    }

    /// Ends the scope of a variable.
    pub(crate) fn hide(&self, var: VarId) {
        self.hidden.borrow_mut().insert(var);
    }

    /// The variables of this frame itself that are visible, in any order.
    pub(crate) fn own_terms(&self) -> Vec<(VarId, Term<'a>)> {
        let (terms, hidden) = (self.terms.borrow(), self.hidden.borrow());
        let visible = terms.iter().filter(|(var, _)| !hidden.contains(var));
        visible.map(|(var, term)| (*var, term.clone())).collect()
    }

    /// The frame around it.
    pub(crate) fn parent(&self) -> Option<&Rc<Frame<'a>>> {
        self.parent.as_ref()
    }

    /// Binds a type parameter to a shape.
    pub(crate) fn bind_shape(&self, id: TypeId, shape: Shape) {
        self.shapes.borrow_mut().insert(id, shape);
    }

    /// Notes the value of a size.
    pub(crate) fn note_size(&self, size: Size, value: Atom) {
        self.sizes.borrow_mut().insert(size, value);
    }

    /// The value of a size that was computed before.
    pub(crate) fn get_size(&self, size: &Size) -> Option<Atom> {
        let mut frame = self;
        loop {
            if let Some(value) = frame.sizes.borrow().get(size) {
                return Some(*value);
            }
            frame = frame.parent.as_deref()?;
        }
    }

    pub(crate) fn get_shape(&self, id: TypeId) -> Option<Shape> {
        let mut frame = self;
        loop {
            if let Some(shape) = frame.shapes.borrow().get(&id) {
                return Some(shape.clone());
            }
            frame = frame.parent.as_deref()?;
        }
    }

    pub(crate) fn get(&self, var: VarId) -> Option<Term<'a>> {
        let mut frame = self;
        loop {
            if let Some(term) = frame.terms.borrow().get(&var) {
                return Some(term.clone());
            }
            frame = frame.parent.as_deref()?;
        }
    }

    /// What a variable is in this frame itself.
    pub(crate) fn own(&self, var: VarId) -> Option<Term<'a>> {
        self.terms.borrow().get(&var).cloned()
    }

    pub(crate) fn get_type(&self, id: TypeId) -> Option<TypeVal<'a>> {
        let mut frame = self;
        loop {
            if let Some(ty) = frame.types.borrow().get(&id) {
                return Some(ty.clone());
            }
            frame = frame.parent.as_deref()?;
        }
    }
}
