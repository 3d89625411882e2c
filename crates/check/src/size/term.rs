//! Expressions as sizes.
//!
//! An expression that binds nothing can be part of a type; one that does only where it is written ([`Binders`]). Only
//! names must have been resolved; types play no role, except that `+`, `-` and `*` are arithmetic where they are the
//! built-in ones and their operands are i64, which their use in a size makes sure of. Whoever evaluates a term has to
//! know what its literals are, so those that are known not to be i64 have their type with them.

use crate::checker::Checker;
use crate::program::VarKind;
use crate::ty::{Elem, Head, Size, TermDim, TermStep, Ty, VarId};
use crate::walk::{Visitor, walk_exp};
use ecow::{EcoString, eco_format};
use fehu_base::Prim;
use fehu_syntax::ast::{Access, DimIndex, Exp, ExpKind, Lit, NodeId, Operator};

/// What becomes of expressions that bind names: `let`, `match`, `loop` and lambdas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binders {
    /// They are no sizes: the value of an argument with them is unknown, and a declared type cannot have them.
    Refused,
    /// They are terms, as code; see [`Head::Code`].
    Kept,
}

impl Checker<'_> {
    /// The expression as a size, if it binds nothing.
    pub(crate) fn size_of_exp(&self, exp: &Exp) -> Option<Size> {
        self.term_of(exp, Binders::Refused)
    }

    /// The expression as a size.
    pub(crate) fn term_of(&self, exp: &Exp, binders: Binders) -> Option<Size> {
        match &exp.kind {
            ExpKind::Lit(lit) => Some(match self.prim_of(exp.id) {
                Some(prim) if prim != Prim::I64 && prim != Prim::Bool => number(lit, prim),
                _ => literal(lit),
            }),
            ExpKind::Var(name) => {
                let parts: Vec<EcoString> =
                    name.quals.iter().chain([&name.name]).map(|i| i.name.clone()).collect();
                self.name_term(exp.id, &parts)
            }
            ExpKind::Paren(inner)
            | ExpKind::Attr(_, inner)
            | ExpKind::Assert(_, inner)
            | ExpKind::LocalOpen(_, inner)
            | ExpKind::Ascribe(inner, _)
            | ExpKind::Coerce(inner, _) => self.term_of(inner, binders),
            ExpKind::Tuple(parts) => {
                let names = (0..parts.len()).map(crate::ty::tuple_field).collect();
                Some(Size::term(Head::Record(names), self.terms(parts, binders)?))
            }
            ExpKind::Record(fields) => {
                let mut terms = Vec::with_capacity(fields.len());
                for field in fields {
                    let name = field.name.name.clone();
                    let term = match &field.value {
                        Some(value) => self.term_of(value, binders)?,
                        None => self.name_term(field.id, std::slice::from_ref(&name))?,
                    };
                    terms.push((name, term));
                }
                terms.sort_by(|a, b| crate::ty::field_order(&a.0, &b.0));
                let (names, args) = terms.into_iter().unzip();
                Some(Size::term(Head::Record(names), args))
            }
            ExpKind::Array(elems) => {
                let elem = if elems.is_empty() { self.scalar_elem(exp.id) } else { None };
                Some(Size::term(Head::Array(Elem(elem)), self.terms(elems, binders)?))
            }
            ExpKind::Project(inner, field) => Some(Size::term(
                Head::Project(field.name.clone()),
                vec![self.term_of(inner, binders)?],
            )),
            ExpKind::Index(array, dims) => {
                let mut args = vec![self.term_of(array, binders)?];
                let form = self.dims_of(dims, &mut args, binders)?;
                let is_element = form.iter().all(|dim| *dim == TermDim::Fix);
                let head = if is_element { Head::Index } else { Head::Slice(form) };
                Some(Size::term(head, args))
            }
            ExpKind::Negate(inner) => Some(match self.term_of(inner, binders)? {
                Size::Const(n) => Size::Const(n.wrapping_neg()),
                Size::Term(term) if matches!(&term.head, Head::Number(..)) => negated(&term.head),
                size @ (Size::Var(_)
                | Size::Meta(_)
                | Size::Add(_)
                | Size::Sub(_)
                | Size::Mul(_)
                | Size::Term(_)
                | Size::Any) => Size::minus(Size::Const(0), size),
            }),
            ExpKind::Not(inner) => {
                Some(Size::term(Head::Op("!".into()), vec![self.term_of(inner, binders)?]))
            }
            ExpKind::BinOp(bin) => {
                let a = self.term_of(&bin.lhs, binders)?;
                let b = self.term_of(&bin.rhs, binders)?;
                self.operator_term(&bin.op, a, b)
            }
            ExpKind::Apply(fun, args) => {
                let mut all = vec![self.term_of(fun, binders)?];
                all.extend(self.terms(args, binders)?);
                Some(Size::term(Head::Apply, all))
            }
            ExpKind::Ctor(name, payload) => {
                Some(Size::term(Head::Ctor(name.name.clone()), self.terms(payload, binders)?))
            }
            ExpKind::If(parts) => Some(Size::term(Head::If, self.terms(&parts[..], binders)?)),
            ExpKind::Range(range) => {
                let second = range.second.as_ref();
                let parts = [Some(&range.start), second, Some(&range.end)];
                let args = parts.into_iter().flatten().map(|part| self.term_of(part, binders));
                let head = Head::Range(range.kind, second.is_some());
                Some(Size::term(head, args.collect::<Option<_>>()?))
            }
            ExpKind::Section(op) => self.operator_name(op),
            ExpKind::SectionLeft(lhs, op) => {
                let args = vec![self.operator_name(op)?, self.term_of(lhs, binders)?];
                Some(Size::term(Head::Apply, args))
            }
            ExpKind::SectionRight(op, rhs) => {
                let args = vec![self.operator_name(op)?, self.term_of(rhs, binders)?];
                Some(Size::term(Head::SectionRight, args))
            }
            ExpKind::SectionAccess(path) => {
                let mut args = Vec::new();
                let form = self.path_of(path, &mut args, binders)?;
                Some(Size::term(Head::Access(form), args))
            }
            ExpKind::Update(update) => {
                let base = self.term_of(&update.base, binders)?;
                let mut args = vec![base, self.term_of(&update.value, binders)?];
                let form = self.path_of(&update.path, &mut args, binders)?;
                Some(Size::term(Head::Update(form), args))
            }
            ExpKind::Hole => Some(Size::term(Head::Hole, Vec::new())),
            ExpKind::Let(..) | ExpKind::Lambda(_) | ExpKind::Loop(_) | ExpKind::Match(..) => {
                match binders {
                    Binders::Refused => None,
                    Binders::Kept => Some(self.code_of(exp)),
                }
            }
            ExpKind::Error => None,
        }
    }

    /// The form of what stands in brackets; its parts are added to the arguments.
    fn dims_of(
        &self,
        dims: &[DimIndex],
        args: &mut Vec<Size>,
        binders: Binders,
    ) -> Option<Vec<TermDim>> {
        let mut form = Vec::with_capacity(dims.len());
        for dim in dims {
            form.push(match dim {
                DimIndex::Fix(index) => {
                    args.push(self.term_of(index, binders)?);
                    TermDim::Fix
                }
                DimIndex::Slice { start, end, step, .. } => {
                    let parts = [start, end, step];
                    for part in parts.into_iter().flatten() {
                        args.push(self.term_of(part, binders)?);
                    }
                    TermDim::Slice(parts.map(Option::is_some))
                }
            });
        }
        Some(form)
    }

    /// The form of a path; the parts of its indices are added to the arguments.
    fn path_of(
        &self,
        path: &[Access],
        args: &mut Vec<Size>,
        binders: Binders,
    ) -> Option<Vec<TermStep>> {
        path.iter()
            .map(|step| match step {
                Access::Field(field) => Some(TermStep::Field(field.name.clone())),
                Access::Index(dims, _) => Some(TermStep::Index(self.dims_of(dims, args, binders)?)),
            })
            .collect()
    }

    /// The value of an expression as a size; it will be evaluated where it stands, so that is where the size is known.
    pub(super) fn argument_size(&mut self, exp: &Exp) -> Option<Size> {
        let size = self.size_of_exp(exp)?;
        if is_computed(&size) {
            let mut found = vec![(exp.id, size.clone())];
            Sizes { checker: self, found: &mut found }.exp(exp);
            self.tables.sizes.extend(found);
        }
        Some(size)
    }

    /// The type of a scalar expression, as far as it is known.
    fn prim_of(&self, node: NodeId) -> Option<Prim> {
        let Ty::Prim(prim) = self.known(self.metas.node_types.get(&node)?) else { return None };
        Some(*prim)
    }

    /// The type of the elements of an array expression, if it is known and they consist of scalars.
    fn scalar_elem(&self, node: NodeId) -> Option<Ty> {
        let Ty::Array(_, elem) = self.known(self.metas.node_types.get(&node)?) else { return None };
        self.of_scalars(elem)
    }

    fn of_scalars(&self, ty: &Ty) -> Option<Ty> {
        match self.known(ty) {
            prim @ Ty::Prim(_) => Some(prim.clone()),
            Ty::Array(_, elem) => Some(Ty::array(Size::Const(0), self.of_scalars(elem)?)),
            Ty::Record(fields) => {
                let field = |(f, t): &(EcoString, Ty)| Some((f.clone(), self.of_scalars(t)?));
                Some(Ty::Record(fields.iter().map(field).collect::<Option<_>>()?))
            }
            Ty::Unique(_) | Ty::Sum(_) | Ty::Fun(_) | Ty::Con(..) | Ty::Meta(_) | Ty::Error => None,
        }
    }

    /// What is known about a type, without looking inside.
    fn known<'t>(&'t self, mut ty: &'t Ty) -> &'t Ty {
        while let Ty::Meta(meta) = ty
            && let Some(solution) = &self.metas.infos[*meta].solution
        {
            ty = solution;
        }
        ty
    }

    fn terms(&self, exps: &[Exp], binders: Binders) -> Option<Vec<Size>> {
        exps.iter().map(|e| self.term_of(e, binders)).collect()
    }

    fn name_term(&self, node: NodeId, parts: &[EcoString]) -> Option<Size> {
        let resolved = self.tables.names.get(&node)?;
        let fields = &parts[parts.len() - resolved.fields..];
        Some(fields.iter().fold(Size::Var(resolved.var), |term, field| {
            Size::term(Head::Project(field.clone()), vec![term])
        }))
    }

    fn operator_name(&self, op: &Operator) -> Option<Size> {
        let quals = op.name.quals.iter().map(|q| q.name.clone());
        let parts: Vec<EcoString> = quals.chain([op.name.name.name.clone()]).collect();
        self.name_term(op.id, &parts)
    }

    fn operator_term(&self, op: &Operator, a: Size, b: Size) -> Option<Size> {
        let var = self.tables.names.get(&op.id)?.var;
        Some(match (self.is_arithmetic(var), op.name.name.name.as_str()) {
            (true, "+") => Size::plus(a, b),
            (true, "-") => Size::minus(a, b),
            (true, "*") => Size::times(a, b),
            (true, name) => Size::term(Head::Op(name.into()), vec![a, b]),
            (false, _) => Size::term(Head::Apply, vec![Size::Var(var), a, b]),
        })
    }

    /// Whether the variable is a built-in operator, or one of the prelude's i64 module that means
    /// the same.
    fn is_arithmetic(&self, var: VarId) -> bool {
        self.program.vars[var].kind == VarKind::Builtin
    }
}

/// Whether evaluating a size again would take more than looking it up.
fn is_computed(size: &Size) -> bool {
    match size {
        Size::Add(_) | Size::Sub(_) | Size::Mul(_) | Size::Term(_) => true,
        Size::Const(_) | Size::Var(_) | Size::Meta(_) | Size::Any => false,
    }
}

/// Finds the parts of an expression that are sizes.
struct Sizes<'c, 'd> {
    checker: &'c Checker<'d>,
    found: &'c mut Vec<(NodeId, Size)>,
}

impl<'a> Visitor<'a> for Sizes<'_, '_> {
    fn exp(&mut self, exp: &'a Exp) {
        // Sums are evaluated again, for they may be written in another way elsewhere; what they are sums of is not.
        let is_sum = matches!(exp.kind, ExpKind::BinOp(_) | ExpKind::Negate(_) | ExpKind::Paren(_));
        if !is_sum
            && self.checker.prim_of(exp.id) == Some(Prim::I64)
            && let Some(size) = self.checker.size_of_exp(exp)
            && is_computed(&size)
        {
            self.found.push((exp.id, size));
        }
        walk_exp(self, exp);
    }
}

/// A number of this type.
fn number(lit: &Lit, prim: Prim) -> Size {
    let text = match lit {
        Lit::Int { value, .. } => eco_format!("{value}"),
        Lit::Float { value, .. } => eco_format!("{value:?}"),
        Lit::Char(_) | Lit::Bool(_) | Lit::String(_) => return literal(lit),
    };
    Size::term(Head::Number(text, prim), Vec::new())
}

fn negated(head: &Head) -> Size {
    let Head::Number(text, prim) = head else { return Size::term(head.clone(), Vec::new()) };
    let text = match text.strip_prefix('-') {
        Some(positive) => positive.into(),
        None => eco_format!("-{text}"),
    };
    Size::term(Head::Number(text, *prim), Vec::new())
}

fn literal(lit: &Lit) -> Size {
    match lit {
        Lit::Int { value, .. } => match i64::try_from(*value) {
            Ok(value) => Size::Const(value),
            Err(_) => Size::term(Head::Lit(eco_format!("{value}")), Vec::new()),
        },
        Lit::Float { value, .. } => Size::term(Head::Lit(eco_format!("{value:?}")), Vec::new()),
        Lit::Bool(value) => Size::term(Head::Lit(eco_format!("{value}")), Vec::new()),
        Lit::Char(c) => Size::Const(i64::from(u32::from(*c))),
        Lit::String(text) => Size::term(Head::Lit(eco_format!("{text:?}")), Vec::new()),
    }
}
