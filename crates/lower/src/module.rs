//! Files, declarations and modules.

use crate::env::{Def, Frame, Functor, Mod, Term, TypeVal, View};
use crate::{Lower, Res};
use ecow::EcoString;
use fehu_base::{FileId, OrBug};
use fehu_check::Role;
use fehu_check::Unit;
use fehu_check::program::{Instance, Member};
use fehu_check::ty::{Ty, TypeFn, VarId};
use fehu_syntax::ast::{self, DecKind, ModExpKind};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::RefCell;
use std::rc::Rc;

type Members<'a> = IndexMap<EcoString, Term<'a>, FxBuildHasher>;

/// What `import "x"` means in a file.
pub(crate) type Imports<'a> = FxHashMap<EcoString, Rc<Mod<'a>>>;

impl<'a> Lower<'a> {
    /// Evaluates the files of a program, and lowers its entry points.
    pub(crate) fn units(&mut self, units: &[Unit<'a>]) -> Res<()> {
        for unit in units {
            let tables = self.tables(unit.id);
            if matches!(unit.role, Role::Intrinsics | Role::Prelude | Role::PreludeRoot) {
                self.prelude.push(unit.id);
            }
            if tables.codes {
                let codes = fehu_check::codes::of_file(unit.ast);
                self.codes.extend(codes.into_iter().map(|(node, exp)| ((unit.id, node), exp)));
            }
            let mut uses: Vec<_> = tables.names.iter().map(|(n, r)| (r.var, *n)).collect();
            uses.sort_unstable();
            for (var, node) in uses.into_iter().rev() {
                self.first_use.insert((unit.id, var), node);
            }
        }
        let root = Frame::new_scope(FileId(0), None);
        let mut done: Vec<Rc<Mod<'a>>> = Vec::with_capacity(units.len());
        for unit in units {
            let imports: Imports<'a> = unit
                .imports
                .iter()
                .map(|(path, index)| (path.clone(), done[*index].clone()))
                .collect();
            let frame = Frame::new_module(unit.id, Some(root.clone()));
            if let Some((var, prelude)) = &self.opened_prelude {
                frame.bind(*var, Term::Mod(prelude.clone()));
            }
            self.imports.push(Rc::new(imports));
            let members = self.decs(&unit.ast.decs, &frame)?;
            self.imports.pop();
            let module = Rc::new(Mod::Struct(members));
            if unit.role == Role::PreludeRoot
                && let Some(var) = self.program.prelude
            {
                self.opened_prelude = Some((var, module.clone()));
            }
            if unit.role == Role::Root {
                self.entries(unit, &frame)?;
            }
            done.push(module);
        }
        Ok(())
    }

    fn decs(&mut self, decs: &'a [ast::Dec], frame: &Rc<Frame<'a>>) -> Res<Members<'a>> {
        let mut members = Members::default();
        for dec in decs {
            self.dec(dec, frame, true, &mut members)?;
        }
        Ok(members)
    }

    fn dec(
        &mut self,
        dec: &'a ast::Dec,
        frame: &Rc<Frame<'a>>,
        export: bool,
        members: &mut Members<'a>,
    ) -> Res<()> {
        // Types have none.
        let var = self.tables(frame.file).binders.get(&dec.id).copied();
        match &dec.kind {
            DecKind::Val(bind) => {
                let var = var.or_bug("variable of a declaration");
                let def = Def {
                    file: frame.file,
                    dec,
                    bind,
                    var,
                    frame: frame.clone(),
                    value: RefCell::new(None),
                };
                let term = Term::Def(Rc::new(def));
                frame.bind(var, term.clone());
                frame.bind_global(var, term.clone());
                if self.all_foreign {
                    self.declared_foreign(dec, bind, frame)?;
                }
                if export {
                    members.insert(bind.name.name.clone(), term);
                }
            }
            DecKind::Module(bind) => {
                let module = if bind.params.is_empty() {
                    self.module_with_type(&bind.body, bind.ty.as_ref(), frame)?
                } else {
                    Rc::new(Mod::Functor(Functor {
                        params: &bind.params,
                        body: &bind.body,
                        ty: bind.ty.as_ref(),
                        frame: frame.clone(),
                        imports: self.imports.last().cloned(),
                    }))
                };
                let term = Term::Mod(module);
                frame.bind(var.or_bug("variable of a module"), term.clone());
                if export {
                    members.insert(bind.name.name.clone(), term);
                }
            }
            DecKind::Open(exp) => {
                let module = self.module(exp, frame)?;
                self.open(var, module, frame, export, members);
            }
            DecKind::Import(path, _) => {
                let module = self.import(path).or_bug("module for an import");
                self.open(var, module, frame, false, members);
            }
            DecKind::Local(inner) => self.dec(inner, frame, false, members)?,
            // Types are known to the checker; what they stand for is bound where it is abstract.
            DecKind::Type(_) | DecKind::ModuleType(_) => {}
            DecKind::Error => self.bug(dec.span, "the program has syntax errors"),
        }
        Ok(())
    }

    fn open(
        &mut self,
        var: Option<VarId>,
        module: Rc<Mod<'a>>,
        frame: &Rc<Frame<'a>>,
        export: bool,
        members: &mut Members<'a>,
    ) {
        frame.bind(var.or_bug("variable of an opened module"), Term::Mod(module.clone()));
        if let (Mod::Struct(opened), true) = (&*module, export) {
            for (name, term) in opened {
                members.insert(name.clone(), term.clone());
            }
        }
    }

    fn import(&self, path: &str) -> Option<Rc<Mod<'a>>> {
        self.imports.last()?.get(path).cloned()
    }

    fn module_with_type(
        &mut self,
        exp: &'a ast::ModExp,
        ty: Option<&'a ast::ModTypeExp>,
        frame: &Rc<Frame<'a>>,
    ) -> Res<Rc<Mod<'a>>> {
        let module = self.module(exp, frame)?;
        Ok(match ty {
            Some(ty) => self.seen_through(ty.id, &module, frame),
            None => module,
        })
    }

    /// The module that an ascription makes of another.
    fn seen_through(
        &mut self,
        node: ast::NodeId,
        module: &Rc<Mod<'a>>,
        frame: &Rc<Frame<'a>>,
    ) -> Rc<Mod<'a>> {
        self.bind_abstractions(node, frame);
        // A module type without values is not in the table.
        let members = self.tables(frame.file).members.get(&node);
        view(members.map_or(&[], Vec::as_slice), 0, module, frame, &mut |var, term| {
            frame.bind_global(var, term);
        })
    }

    /// Gives the abstract types that an ascription creates their meaning.
    fn bind_abstractions(&mut self, node: ast::NodeId, frame: &Rc<Frame<'a>>) {
        let tables = self.tables(frame.file);
        for (id, type_fn) in tables.abstractions.get(&node).into_iter().flatten() {
            frame.bind_abstract(*id, type_value(type_fn, frame));
        }
    }

    fn module(&mut self, exp: &'a ast::ModExp, frame: &Rc<Frame<'a>>) -> Res<Rc<Mod<'a>>> {
        match &exp.kind {
            ModExpKind::Name(_) => match self.module_named(exp.id, frame) {
                Some(module) => Ok(module),
                None => self.bug(exp.span, "a module is not known here"),
            },
            ModExpKind::Paren(inner) => self.module(inner, frame),
            ModExpKind::Decs(decs) => {
                let inner = Frame::new_module(frame.file, Some(frame.clone()));
                Ok(Rc::new(Mod::Struct(self.decs(decs, &inner)?)))
            }
            ModExpKind::Import(path, span) => match self.import(path) {
                Some(module) => Ok(module),
                None => self.bug(*span, "an import was not loaded"),
            },
            ModExpKind::Ascribe(inner, _) => {
                let module = self.module(inner, frame)?;
                Ok(self.seen_through(exp.id, &module, frame))
            }
            ModExpKind::Apply(fun, arg) => {
                let fun = self.module(fun, frame)?;
                let arg = self.module(arg, frame)?;
                self.apply_functor(exp, &fun, arg, frame)
            }
            ModExpKind::Lambda(param, ty, body) => Ok(Rc::new(Mod::Functor(Functor {
                params: std::slice::from_ref(param),
                body,
                ty: ty.as_deref(),
                frame: frame.clone(),
                imports: self.imports.last().cloned(),
            }))),
            ModExpKind::Error => self.bug(exp.span, "the program has syntax errors"),
        }
    }

    fn apply_functor(
        &mut self,
        exp: &'a ast::ModExp,
        functor: &Rc<Mod<'a>>,
        arg: Rc<Mod<'a>>,
        frame: &Rc<Frame<'a>>,
    ) -> Res<Rc<Mod<'a>>> {
        let Mod::Functor(functor) = &**functor else {
            self.bug(exp.span, "a module that is not parametric is applied");
        };
        let Some((param, rest)) = functor.params.split_first() else {
            self.bug(exp.span, "a parametric module has no parameters");
        };
        let inner = Frame::new_scope(functor.frame.file, Some(functor.frame.clone()));
        let Some(application) = self.tables(frame.file).applications.get(&exp.id) else {
            self.bug(exp.span, "an application of a module was not checked");
        };
        let arg = view(&application.param_members, 0, &arg, frame, &mut |var, term| {
            inner.bind(var, term);
        });
        inner.bind(self.binder(param.id, &inner), Term::Mod(arg));
        for (id, type_fn) in &application.params {
            inner.bind_type(*id, type_value(type_fn, frame));
        }
        let module = if rest.is_empty() {
            self.imports.push(functor.imports.clone().or_bug("file of a parametric module"));
            let module = self.module_with_type(functor.body, functor.ty, &inner);
            self.imports.pop();
            module?
        } else {
            Rc::new(Mod::Functor(Functor {
                params: rest,
                body: functor.body,
                ty: functor.ty,
                frame: inner.clone(),
                imports: functor.imports.clone(),
            }))
        };
        for (new, old) in &application.results {
            // A type of the body, seen from outside: the same with its parameters passed on.
            let params: Vec<_> = self.program.types[*old].params.clone();
            if params.is_empty() {
                let ty = Ty::Con(*old, std::sync::Arc::new([]));
                frame
                    .bind_abstract(*new, TypeVal { params: Rc::new([]), ty, frame: inner.clone() });
            } else {
                frame.bind_abstract(*new, inner.get_type(*old).or_bug("type of a module"));
            }
        }
        Ok(view(&application.result_members, 0, &module, frame, &mut |var, term| {
            frame.bind_global(var, term);
        }))
    }
}

/// A module whose values are seen through a module type. Binds their variables, which sizes mention.
/// The paths of the members are followed from `depth` on; members of one module are neighbours.
fn view<'a>(
    members: &'a [Member],
    depth: usize,
    module: &Rc<Mod<'a>>,
    frame: &Rc<Frame<'a>>,
    bind: &mut dyn FnMut(VarId, Term<'a>),
) -> Rc<Mod<'a>> {
    // What a parametric module makes is seen through its type when it is applied.
    let Mod::Struct(terms) = &**module else { return module.clone() };
    let mut changed: Option<Members<'a>> = None;
    let mut rest = members;
    while let Some(first) = rest.first() {
        let name = first.path.get(depth).or_bug("name of a member");
        let count = rest.iter().take_while(|m| m.path.get(depth) == Some(name)).count();
        let (group, after) = rest.split_at(count);
        rest = after;
        let new = match terms.get(name) {
            Some(Term::Mod(inner)) => {
                let new = view(group, depth + 1, inner, frame, bind);
                if Rc::ptr_eq(&new, inner) {
                    continue;
                }
                Term::Mod(new)
            }
            Some(term) if first.instance == Instance::default() => {
                bind(first.var, term.clone());
                continue;
            }
            Some(term) => {
                let term = Term::View(Rc::new(View {
                    inner: term.clone(),
                    var: first.var,
                    instance: &first.instance,
                    frame: frame.clone(),
                }));
                bind(first.var, term.clone());
                term
            }
            // A module of the prelude has the values whose names the program needs, and nobody refers to others.
            None => continue,
        };
        changed.get_or_insert_with(|| terms.clone()).insert(name.clone(), new);
    }
    match changed {
        Some(terms) => Rc::new(Mod::Struct(terms)),
        None => module.clone(),
    }
}

fn type_value<'a>(type_fn: &TypeFn, frame: &Rc<Frame<'a>>) -> TypeVal<'a> {
    TypeVal { params: type_fn.params.clone().into(), ty: type_fn.ty.clone(), frame: frame.clone() }
}
