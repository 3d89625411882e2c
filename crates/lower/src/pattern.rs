//! Patterns: binding variables, and choosing between cases.

use crate::env::{Frame, Term};
use crate::value::{Val, payload_slots};
use crate::{Lower, Res};
use fehu_base::{OrBug, Prim, Span, bug};
use fehu_ir::{Atom, CmpOp, Exp, Scalar, Type};
use fehu_syntax::ast::{self, PatKind};
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// Binds the variables of a pattern that always matches, and the sizes in its types.
    pub(crate) fn bind_param(
        &mut self,
        pat: &'a ast::Pat,
        value: Val<'a>,
        frame: &Rc<Frame<'a>>,
    ) -> Res<()> {
        let ty = self.node_type(pat.id, frame);
        let value = self.bind_sizes(&ty, value, frame);
        self.bind_pat(pat, value, frame)
    }

    /// Binds the variables of a pattern that matches.
    pub(crate) fn bind_pat(
        &mut self,
        pat: &'a ast::Pat,
        value: Val<'a>,
        frame: &Rc<Frame<'a>>,
    ) -> Res<()> {
        match &pat.kind {
            PatKind::Var(_) => {
                frame.bind(self.binder(pat.id, frame), Term::Val(value));
            }
            PatKind::Wildcard | PatKind::Lit(_) => {}
            PatKind::Error => self.bug(pat.span, "the program has syntax errors"),
            PatKind::Paren(inner) | PatKind::Attr(_, inner) => {
                self.bind_pat(inner, value, frame)?
            }
            PatKind::Ascribe(inner, ty) => {
                let (ty, _) = self.tables(frame.file).type_exps.get(&ty.id).or_bug("type");
                let value = self.bind_sizes(ty, value, frame);
                self.bind_pat(inner, value, frame)?;
            }
            PatKind::Tuple(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    let field = fehu_check::ty::tuple_field(i);
                    let value = self.project(&value, &field, part.span)?;
                    self.bind_pat(part, value, frame)?;
                }
            }
            PatKind::Record(fields) => {
                for field in fields {
                    let part = self.project(&value, &field.name.name, field.name.span)?;
                    match &field.pat {
                        Some(pat) => self.bind_pat(pat, part, frame)?,
                        None => frame.bind(self.binder(field.id, frame), Term::Val(part)),
                    }
                }
            }
            PatKind::Ctor(name, payload) => {
                for (pat, value) in payload.iter().zip(self.payload(&value, &name.name)) {
                    self.bind_pat(pat, value, frame)?;
                }
            }
        }
        Ok(())
    }

    /// The payload of a sum that is known to be of this constructor.
    pub(crate) fn payload(&mut self, value: &Val<'a>, name: &str) -> Vec<Val<'a>> {
        let (ctors, parts) = match value {
            Val::Sum(ctors, parts) => (ctors, parts),
            Val::Choice(_, payload) => return payload.to_vec(),
            Val::Scalar(..) | Val::Array(..) | Val::Record(_) | Val::Acc(..) | Val::Fun(_) => {
                bug("the payload is asked of a value that is no sum")
            }
        };
        let (_, shapes) = ctors.iter().find(|(c, _)| c == name).or_bug("constructor of this name");
        let tags = usize::from(ctors.len() > 1);
        let slots = payload_slots(ctors, name);
        let mut atoms = slots.into_iter().map(|slot| parts[slot + tags]);
        shapes.iter().map(|shape| Val::build(shape, &mut atoms)).collect()
    }

    /// The value of the first case that matches.
    pub(crate) fn cases(
        &mut self,
        value: &Val<'a>,
        cases: &'a [ast::Case],
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Res<Val<'a>> {
        let Some((case, rest)) = cases.split_first() else {
            self.bug(span, "a match has no cases");
        };
        // The checker knows that the last case matches whatever is left.
        let cond = if rest.is_empty() { None } else { self.matches(&case.pat, value)? };
        match cond {
            None => {
                let inner = Frame::new(frame.file, Some(frame.clone()));
                self.bind_pat(&case.pat, value.clone(), &inner)?;
                self.exp(&case.body, &inner)
            }
            Some(cond) => self.branch(
                &Val::bool(cond),
                frame,
                span,
                |this, inner| {
                    this.bind_pat(&case.pat, value.clone(), inner)?;
                    this.exp(&case.body, inner)
                },
                |this, inner| this.cases(value, rest, inner, span),
            ),
        }
    }

    /// Whether a pattern matches; `None` if it always does.
    fn matches(&mut self, pat: &'a ast::Pat, value: &Val<'a>) -> Res<Option<Atom>> {
        match &pat.kind {
            PatKind::Var(_) | PatKind::Wildcard => Ok(None),
            PatKind::Error => self.bug(pat.span, "the program has syntax errors"),
            PatKind::Paren(inner) | PatKind::Attr(_, inner) | PatKind::Ascribe(inner, _) => {
                self.matches(inner, value)
            }
            PatKind::Lit(lit) => {
                let Val::Scalar(prim, atom) = value else {
                    self.bug(pat.span, "a literal is matched against a value that is not a scalar");
                };
                let literal = crate::literal::scalar(&lit.lit, lit.negative, *prim);
                if *prim == Prim::Bool {
                    let is_true = literal == Scalar::Bool(true);
                    return Ok(Some(if is_true { *atom } else { self.b().not(*atom) }));
                }
                Ok(Some(self.b().cmp(CmpOp::Eq, *atom, Atom::Const(literal))))
            }
            PatKind::Tuple(parts) => {
                let mut all = None;
                for (i, part) in parts.iter().enumerate() {
                    let field = fehu_check::ty::tuple_field(i);
                    let value = self.project(value, &field, part.span)?;
                    let cond = self.matches(part, &value)?;
                    all = self.both(all, cond);
                }
                Ok(all)
            }
            PatKind::Record(fields) => {
                let mut all = None;
                for field in fields {
                    if let Some(pat) = &field.pat {
                        let value = self.project(value, &field.name.name, field.name.span)?;
                        let cond = self.matches(pat, &value)?;
                        all = self.both(all, cond);
                    }
                }
                Ok(all)
            }
            PatKind::Ctor(name, payload) => {
                if let Val::Choice(known, values) = value {
                    let mut all = Some(Atom::bool(*known == name.name));
                    if *known == name.name {
                        for (pat, value) in payload.iter().zip(values.iter()) {
                            let cond = self.matches(pat, value)?;
                            all = self.both(all, cond);
                        }
                    }
                    return Ok(all);
                }
                let Val::Sum(ctors, parts) = value else {
                    self.bug(
                        pat.span,
                        "a constructor is matched against a value that is not a sum",
                    );
                };
                let mut all = None;
                if ctors.len() > 1 {
                    let tag = ctors.iter().position(|(c, _)| *c == name.name);
                    let tag = tag.or_bug("constructor of this name");
                    let tag = Atom::Const(Scalar::U8(tag as u8));
                    let exp = Exp::CmpOp(CmpOp::Eq, parts[0], tag);
                    all = Some(self.b().one("is", Type::BOOL, exp));
                }
                // Payloads of other constructors may be looked at: they are there, and harmless.
                for (pat, value) in payload.iter().zip(self.payload(value, &name.name)) {
                    let cond = self.matches(pat, &value)?;
                    all = self.both(all, cond);
                }
                Ok(all)
            }
        }
    }

    fn both(&mut self, a: Option<Atom>, b: Option<Atom>) -> Option<Atom> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.b().and(a, b)),
            (a, b) => a.or(b),
        }
    }
}
