//! Types and sizes as the user reads them.

use super::{Arg, Head, RangeKind, Size, TermDim, TermStep, Ty, TypeId, VarId};
use ecow::EcoString;
use fehu_base::IdVec;
use std::fmt::Write;

use crate::program::{TypeInfo, VarInfo};

/// Prints types with the names that the tables give.
#[derive(Clone, Copy)]
pub struct Printer<'a> {
    /// Names of variables.
    pub vars: &'a IdVec<VarId, VarInfo>,
    /// Names of nominal types.
    pub types: &'a IdVec<TypeId, TypeInfo>,
}

/// Where a type stands, which decides on parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Place {
    Top,
    /// Left of an arrow.
    Param,
    /// An argument or payload, or after `*` or `[n]`.
    Atom,
}

impl Printer<'_> {
    /// The type as text.
    pub fn ty(&self, ty: &Ty) -> String {
        let mut out = String::new();
        self.write(&mut out, ty, Place::Top);
        out
    }

    /// The size as text, without brackets.
    pub fn size(&self, size: &Size) -> String {
        let mut out = String::new();
        self.write_size(&mut out, size, 0);
        out
    }

    fn write(&self, out: &mut String, ty: &Ty, place: Place) {
        match ty {
            Ty::Prim(prim) => out.push_str(prim.name()),
            Ty::Array(size, elem) => {
                out.push('[');
                self.write_size(out, size, 0);
                out.push(']');
                self.write(out, elem, Place::Atom);
            }
            Ty::Unique(inner) => {
                out.push('*');
                self.write(out, inner, Place::Atom);
            }
            Ty::Record(fields) => self.write_record(out, fields),
            Ty::Sum(ctors) => self.wrap(out, place > Place::Top, |this, out| {
                for (i, (name, payload)) in ctors.iter().enumerate() {
                    if i > 0 {
                        out.push_str(" | ");
                    }
                    _ = write!(out, "#{name}");
                    for ty in payload {
                        out.push(' ');
                        this.write(out, ty, Place::Atom);
                    }
                }
            }),
            Ty::Fun(fun) if fun.is_seq() => self.wrap(out, place == Place::Atom, |this, out| {
                out.push_str("seq ");
                let differs = |size: &Size| matches!(size, Size::Var(v) if fun.exts.contains(v));
                let elem = fun.ret.map_sizes(&mut |size| match differs(size) {
                    true => Size::Any,
                    false => size.clone(),
                });
                let wrap = matches!(elem, Ty::Array(..));
                let place = if wrap { Place::Top } else { Place::Atom };
                this.wrap(out, wrap, |this, out| this.write(out, &elem, place));
            }),
            Ty::Fun(fun) => self.wrap(out, place > Place::Top, |this, out| {
                let star = if fun.consumes { "*" } else { "" };
                match fun.name.filter(|&name| mentions(&fun.ret, name)) {
                    Some(name) => {
                        _ = write!(out, "({}: {star}", this.vars[name].name);
                        this.write(out, &fun.param, Place::Top);
                        out.push(')');
                    }
                    None => {
                        out.push_str(star);
                        let place = if fun.consumes { Place::Atom } else { Place::Param };
                        this.write(out, &fun.param, place);
                    }
                }
                out.push_str(" -> ");
                if !fun.exts.is_empty() {
                    out.push('?');
                    for &ext in &fun.exts {
                        _ = write!(out, "[{}]", this.vars[ext].name);
                    }
                    out.push('.');
                }
                this.write(out, &fun.ret, Place::Top);
            }),
            Ty::Con(id, args) => {
                let wrap = place == Place::Atom && !args.is_empty();
                self.wrap(out, wrap, |this, out| {
                    out.push_str(&this.types[*id].name);
                    for arg in args.iter() {
                        out.push(' ');
                        match arg {
                            Arg::Size(size) => {
                                out.push('[');
                                this.write_size(out, size, 0);
                                out.push(']');
                            }
                            Arg::Type(ty) => this.write(out, ty, Place::Atom),
                        }
                    }
                });
            }
            Ty::Meta(_) | Ty::Error => out.push('_'),
        }
    }

    fn write_record(&self, out: &mut String, fields: &[(EcoString, Ty)]) {
        let tuple = Ty::is_tuple(fields);
        out.push(if tuple { '(' } else { '{' });
        for (i, (name, ty)) in fields.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            if !tuple {
                _ = write!(out, "{name}: ");
            }
            self.write(out, ty, Place::Top);
        }
        out.push(if tuple { ')' } else { '}' });
    }

    fn wrap(&self, out: &mut String, wrap: bool, inside: impl FnOnce(&Self, &mut String)) {
        if wrap {
            out.push('(');
        }
        inside(self, out);
        if wrap {
            out.push(')');
        }
    }

    /// Writes a size; `level` is 0 anywhere, 1 as operand of `+`, 2 of `*`, 3 as an atom.
    fn write_size(&self, out: &mut String, size: &Size, level: u8) {
        match size {
            Size::Const(n) => _ = write!(out, "{n}"),
            Size::Var(v) => out.push_str(&self.vars[*v].name),
            Size::Meta(_) | Size::Any if level == 0 => {}
            Size::Meta(_) | Size::Any => out.push('_'),
            Size::Add(ab) => self.write_infix(out, "+", ab, (1, 2), level),
            Size::Sub(ab) => self.write_infix(out, "-", ab, (1, 2), level),
            Size::Mul(ab) => self.write_infix(out, "*", ab, (2, 3), level),
            Size::Term(term) => {
                let args = &term.args;
                match (&term.head, args.as_slice()) {
                    (Head::Lit(text) | Head::Number(text, _), _) => out.push_str(text),
                    (Head::Op(op), [a, b]) => self.wrap(out, level > 0, |this, out| {
                        this.write_size(out, a, 3);
                        _ = write!(out, " {op} ");
                        this.write_size(out, b, 3);
                    }),
                    (Head::Op(op), _) => {
                        out.push_str(op);
                        args.iter().for_each(|a| self.write_size(out, a, 3));
                    }
                    (Head::Apply, _) => self.wrap(out, level > 2, |this, out| {
                        for (i, arg) in args.iter().enumerate() {
                            if i > 0 {
                                out.push(' ');
                            }
                            this.write_size(out, arg, 3);
                        }
                    }),
                    (Head::Project(field), _) => {
                        args.iter().for_each(|a| self.write_size(out, a, 3));
                        _ = write!(out, ".{field}");
                    }
                    (Head::Index, [array, indices @ ..]) => {
                        self.write_size(out, array, 3);
                        self.write_list(out, "[", indices, "]");
                    }
                    (Head::Index | Head::Array(_), _) => self.write_list(out, "[", args, "]"),
                    (Head::Slice(dims), [array, parts @ ..]) => {
                        self.write_size(out, array, 3);
                        self.write_slice(out, dims, parts);
                    }
                    (Head::Slice(dims), []) => self.write_slice(out, dims, &[]),
                    (Head::Range(kind, second), _) => self.wrap(out, level > 0, |this, out| {
                        let end = match kind {
                            RangeKind::Inclusive => "...",
                            RangeKind::UpTo => "..<",
                            RangeKind::DownTo => "..>",
                        };
                        let words: &[&str] = if *second { &["", "..", end] } else { &["", end] };
                        for (word, arg) in words.iter().zip(args) {
                            out.push_str(word);
                            this.write_size(out, arg, 3);
                        }
                    }),
                    (Head::SectionRight, _) => {
                        out.push('(');
                        for (i, arg) in args.iter().enumerate() {
                            out.push_str(if i > 0 { " " } else { "" });
                            self.write_size(out, arg, 3);
                        }
                        out.push(')');
                    }
                    (Head::Record(names), _) => {
                        let tuple =
                            names.iter().enumerate().all(|(i, n)| *n == super::tuple_field(i));
                        if tuple {
                            self.write_list(out, "(", args, ")");
                        } else {
                            out.push('{');
                            for (i, (name, arg)) in names.iter().zip(args).enumerate() {
                                _ = write!(out, "{}{name} = ", if i > 0 { ", " } else { "" });
                                self.write_size(out, arg, 0);
                            }
                            out.push('}');
                        }
                    }
                    (Head::If, [c, a, b]) => self.wrap(out, level > 0, |this, out| {
                        for (word, e) in [("if ", c), (" then ", a), (" else ", b)] {
                            out.push_str(word);
                            this.write_size(out, e, 0);
                        }
                    }),
                    (Head::If, _) => out.push_str("if"),
                    (Head::Access(path), _) => {
                        out.push('(');
                        self.write_path(out, path, args);
                        out.push(')');
                    }
                    (Head::Update(path), [base, value, parts @ ..]) => {
                        self.wrap(out, level > 0, |this, out| {
                            this.write_size(out, base, 3);
                            out.push_str(" with ");
                            let mut text = String::new();
                            this.write_path(&mut text, path, parts);
                            out.push_str(text.strip_prefix('.').unwrap_or(&text));
                            out.push_str(" = ");
                            this.write_size(out, value, 0);
                        });
                    }
                    (Head::Update(_), _) => out.push_str("with"),
                    (Head::Hole, _) => out.push_str("???"),
                    (Head::Code(code), _) => self.wrap(out, level > 0, |this, out| {
                        for part in &code.parts {
                            out.push_str(&part.before);
                            match (code.free.get(part.arg), args.get(part.arg)) {
                                (Some(free), Some(Size::Var(arg))) if free == arg => {
                                    out.push_str(&part.written);
                                }
                                (_, Some(arg)) => this.write_size(out, arg, 3),
                                (_, None) => out.push_str(&part.written),
                            }
                        }
                        out.push_str(&code.rest);
                    }),
                    (Head::Ctor(name), _) => self.wrap(out, level > 2, |this, out| {
                        _ = write!(out, "#{name}");
                        for arg in args {
                            out.push(' ');
                            this.write_size(out, arg, 3);
                        }
                    }),
                }
            }
        }
    }

    fn write_infix(&self, out: &mut String, op: &str, ab: &[Size; 2], (l, r): (u8, u8), level: u8) {
        self.wrap(out, level > l, |this, out| {
            this.write_size(out, &ab[0], l);
            _ = write!(out, " {op} ");
            this.write_size(out, &ab[1], r);
        });
    }

    /// The steps of a path; `parts` are what is written of the slices in it.
    fn write_path(&self, out: &mut String, path: &[TermStep], parts: &[Size]) {
        let mut parts = parts.iter();
        let mut after_field = false;
        for step in path {
            match step {
                TermStep::Field(name) => _ = write!(out, ".{name}"),
                TermStep::Index(dims) => {
                    out.push_str(if after_field { "" } else { "." });
                    self.write_dims(out, dims, &mut parts);
                }
            }
            after_field = true;
        }
    }

    /// The brackets after an array; `parts` are what is written of the slices.
    fn write_slice(&self, out: &mut String, dims: &[TermDim], parts: &[Size]) {
        self.write_dims(out, dims, &mut parts.iter());
    }

    fn write_dims(
        &self,
        out: &mut String,
        dims: &[TermDim],
        parts: &mut std::slice::Iter<'_, Size>,
    ) {
        out.push('[');
        for (i, dim) in dims.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            let (written, is_slice) = match dim {
                TermDim::Fix => ([true, false, false], false),
                TermDim::Slice(written) => (*written, true),
            };
            for (k, part) in written.into_iter().enumerate() {
                // The second colon comes with the step.
                if is_slice && (k == 1 || k == 2 && part) {
                    out.push(':');
                }
                if part && let Some(part) = parts.next() {
                    self.write_size(out, part, 0);
                }
            }
        }
        out.push(']');
    }

    fn write_list(&self, out: &mut String, open: &str, items: &[Size], close: &str) {
        out.push_str(open);
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.write_size(out, item, 0);
        }
        out.push_str(close);
    }
}

/// Whether a size in `ty` has the variable.
fn mentions(ty: &Ty, var: VarId) -> bool {
    let mut found = false;
    ty.for_each_size(&mut |size| size.for_each_var(&mut |v| found |= v == var));
    found
}
