//! The printer: programs, functions, bodies, statements, types. Expressions are in `print_exp`.

use super::literal::{write_scalar, write_string};
use super::names::{renumber, without_number};
use crate::{
    Atom, Attr, Body, Check, CheckPart, Const, Entry, Foreign, Fun, Lambda, Param, Prog, Stm,
    Symbol, Type, Var, VarInfo,
};
use ecow::EcoString;
use fehu_base::IdVec;
use rustc_hash::FxHashMap;
use std::fmt;
use std::fmt::Write;

/// A printed program, and where its statements are.
#[derive(Clone, Debug)]
pub struct Printed {
    /// The text.
    pub text: String,
    /// For each constant, the lines (from 0) of its `const` and of its statements' `let`s, in order.
    pub consts: Vec<Vec<usize>>,
    /// For each function likewise.
    pub funs: Vec<Vec<usize>>,
}

/// Prints a program that is numbered already, and says where its statements are.
pub fn print_lines(prog: &Prog) -> Printed {
    let names = Names::new(prog);
    let mut printed = Printed { text: String::new(), consts: Vec::new(), funs: Vec::new() };
    let mut line = 0;
    let mut add = |text: &str, lines: Option<Vec<usize>>| {
        printed.text.push_str(text);
        let at = line;
        line += text.matches('\n').count();
        lines.map(|lines| lines.into_iter().map(|l| l + at).collect::<Vec<_>>())
    };
    add(&format!("prog {}\n", prog.stage.name()), None);
    for (id, item) in prog.consts.iter() {
        let mut printer = Printer::new(&item.vars, &names);
        printer.constant(&names.consts[id.0 as usize], item);
        printed.consts.extend(add(&printer.out, Some(printer.lines)));
    }
    for (id, fun) in prog.funs.iter() {
        let mut printer = Printer::new(&fun.vars, &names);
        printer.fun(&names.funs[id.0 as usize], fun);
        printed.funs.extend(add(&printer.out, Some(printer.lines)));
    }
    let none = IdVec::new();
    for entry in &prog.entries {
        let vars = prog.funs.get(entry.fun).map_or(&none, |fun| &fun.vars);
        let mut printer = Printer::new(vars, &names);
        printer.entry(entry);
        add(&printer.out, None);
    }
    printed
}

impl fmt::Display for Prog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_lines(&renumber(self)).text)
    }
}

impl fmt::Display for Fun {
    /// The function alone. Other functions that it calls have only their numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fun = self.clone();
        super::renumber_fun(&mut fun);
        let mut printer = Printer::new(&fun.vars, &NO_NAMES);
        printer.fun(&fun.name, &fun);
        f.write_str(printer.out.trim_start_matches('\n'))
    }
}

/// A statement as text, with the variables' present numbers.
pub fn show_stm(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> String {
    let mut printer = Printer::new(vars, &NO_NAMES);
    printer.stm(stm);
    printer.out.trim_start_matches('\n').to_owned()
}

/// A body as text, with the variables' present numbers.
pub fn show_body(body: &Body, vars: &IdVec<Var, VarInfo>) -> String {
    let mut printer = Printer::new(vars, &NO_NAMES);
    printer.body(body);
    printer.out.trim_start_matches('\n').to_owned()
}

/// A type as text, with the variables' present numbers.
pub fn show_type(ty: &Type, vars: &IdVec<Var, VarInfo>) -> String {
    let mut printer = Printer::new(vars, &NO_NAMES);
    printer.ty(ty);
    printer.out
}

/// An operand as text, with the variables' present numbers.
pub fn show_atom(atom: Atom, vars: &IdVec<Var, VarInfo>) -> String {
    let mut printer = Printer::new(vars, &NO_NAMES);
    printer.atom(atom);
    printer.out
}

/// The name of a variable: its hint and its number.
pub fn var_name(var: Var, vars: &IdVec<Var, VarInfo>) -> String {
    let hint = vars.get(var).map_or(EcoString::new(), |info| info.hint.clone());
    format!("{}_{}", super::names::sanitise(&hint, "v"), var.0)
}

/// The names of functions and constants.
pub(super) struct Names {
    pub(super) consts: Vec<String>,
    pub(super) funs: Vec<String>,
}

static NO_NAMES: Names = Names { consts: Vec::new(), funs: Vec::new() };

impl Names {
    fn new(prog: &Prog) -> Names {
        let consts = prog.consts.iter().map(|(_, c)| &c.name);
        let funs = prog.funs.iter().map(|(_, f)| &f.name);
        Names { consts: unique(consts.collect()), funs: unique(funs.collect()) }
    }
}

/// Adds a number where a name occurs several times, or would read as one with a number.
fn unique(names: Vec<&EcoString>) -> Vec<String> {
    let mut count: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    for name in &names {
        count.entry(name.as_str()).or_default().0 += 1;
    }
    names
        .into_iter()
        .map(|name| {
            let Some((total, next)) = count.get_mut(name.as_str()) else { return name.to_string() };
            if *total == 1 && without_number(name) == name {
                return name.to_string();
            }
            *next += 1;
            format!("{name}_{}", *next - 1)
        })
        .collect()
}

pub(super) struct Printer<'a> {
    pub(super) out: String,
    pub(super) vars: &'a IdVec<Var, VarInfo>,
    pub(super) names: &'a Names,
    pub(super) indent: usize,
    /// The number of the current line, and those where the function and its statements begin.
    line: usize,
    lines: Vec<usize>,
}

impl<'a> Printer<'a> {
    fn new(vars: &'a IdVec<Var, VarInfo>, names: &'a Names) -> Printer<'a> {
        Printer { out: String::new(), vars, names, indent: 0, line: 0, lines: Vec::new() }
    }

    pub(super) fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn string(&mut self, text: &str) {
        write_string(&mut self.out, text);
    }

    /// Begins a new line at the current indentation.
    pub(super) fn newline(&mut self) {
        self.out.push('\n');
        self.line += 1;
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    pub(super) fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.put(", ");
            }
            each(self, item);
        }
    }

    pub(super) fn parens<T>(&mut self, items: &[T], each: impl FnMut(&mut Self, &T)) {
        self.put("(");
        self.list(items, each);
        self.put(")");
    }

    pub(super) fn var(&mut self, var: Var) {
        match self.vars.get(var) {
            Some(info) => {
                let hint = super::names::sanitise(&info.hint, "v");
                let _ = write!(self.out, "{hint}_{}", var.0);
            }
            None => {
                let _ = write!(self.out, "v_{}", var.0);
            }
        }
    }

    pub(super) fn atom(&mut self, atom: Atom) {
        match atom {
            Atom::Var(var) => self.var(var),
            Atom::Const(value) => write_scalar(&mut self.out, value),
        }
    }

    pub(super) fn atoms(&mut self, atoms: &[Atom]) {
        self.parens(atoms, |p, atom| p.atom(*atom));
    }

    pub(super) fn var_list(&mut self, vars: &[Var]) {
        self.parens(vars, |p, var| p.var(*var));
    }

    pub(super) fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Scalar(elem) => {
                let _ = write!(self.out, "{elem}");
            }
            Type::Array(elem, shape) => {
                for size in shape {
                    self.put("[");
                    self.atom(*size);
                    self.put("]");
                }
                let _ = write!(self.out, "{elem}");
            }
            Type::Acc(cert) => {
                self.put("acc(");
                self.var(*cert);
                self.put(")");
            }
        }
    }

    pub(super) fn binding(&mut self, var: Var) {
        self.var(var);
        self.put(": ");
        match self.vars.get(var) {
            Some(info) => self.ty(&info.ty),
            None => self.put("unit"),
        }
    }

    pub(super) fn bindings(&mut self, vars: &[Var]) {
        self.parens(vars, |p, var| p.binding(*var));
    }

    fn attrs(&mut self, attrs: &[Attr]) {
        self.put("#[attr ");
        self.list(attrs, Self::attr);
        self.put("]");
    }

    fn attr(&mut self, attr: &Attr) {
        if is_word(&attr.name) {
            self.put(&attr.name);
        } else {
            self.string(&attr.name);
        }
        if !attr.args.is_empty() {
            self.parens(&attr.args, Self::attr);
        }
    }

    /// Statements and results, from the current place on; ends without a line break.
    pub(super) fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.stm(stm);
        }
        self.newline();
        if !body.stms.is_empty() {
            self.put("in ");
        }
        self.atoms(&body.results);
    }

    /// A body in braces, on one line if there are no statements.
    pub(super) fn block(&mut self, body: &Body) {
        self.put("{");
        if body.stms.is_empty() {
            self.atoms(&body.results);
        } else {
            self.indent += 1;
            self.body(body);
            self.indent -= 1;
            self.newline();
        }
        self.put("}");
    }

    pub(super) fn lambda(&mut self, lambda: &Lambda) {
        self.put("\\");
        self.bindings(&lambda.params);
        self.put(" -> ");
        self.parens(&lambda.ret, Self::ty);
        self.put(" ");
        self.block(&lambda.body);
    }

    fn stm(&mut self, stm: &Stm) {
        if let Some(loc) = &stm.loc {
            self.newline();
            self.put("@");
            self.string(&loc.0);
        }
        if !stm.attrs.is_empty() {
            self.newline();
            self.attrs(&stm.attrs);
        }
        if !stm.certs.is_empty() {
            self.newline();
            self.put("#[cert ");
            self.list(&stm.certs, |p, var| p.var(*var));
            self.put("]");
        }
        self.newline();
        self.lines.push(self.line);
        self.put("let ");
        self.bindings(&stm.pat);
        self.put(" =");
        self.indent += 1;
        if super::print_exp::is_long(&stm.exp) {
            self.newline();
        } else {
            self.put(" ");
        }
        self.exp(&stm.exp);
        self.indent -= 1;
    }

    pub(super) fn check(&mut self, check: &Check) {
        for part in &check.parts {
            self.put(" ");
            match part {
                CheckPart::Text(text) => self.string(text),
                CheckPart::Value(atom) => {
                    self.put("$");
                    self.atom(*atom);
                }
            }
        }
        if !check.trace.is_empty() {
            self.put(" at");
            for loc in &check.trace {
                self.put(" ");
                self.string(&loc.0);
            }
        }
    }

    fn constant(&mut self, name: &str, item: &Const) {
        self.newline();
        self.lines.push(self.line);
        self.put("const ");
        self.put(name);
        self.put(" -> ");
        self.bindings(&item.results);
        self.put(" =");
        self.top_body(&item.body);
    }

    fn fun(&mut self, name: &str, fun: &Fun) {
        self.newline();
        if !fun.attrs.is_empty() {
            self.attrs(&fun.attrs);
            self.newline();
        }
        if let Some(foreign) = &fun.foreign {
            self.foreign(foreign);
            self.newline();
        }
        self.lines.push(self.line);
        self.put("fun ");
        self.put(name);
        self.put(" ");
        self.parens(&fun.params, |p, Param { var, consumed }| {
            if *consumed {
                p.put("*");
            }
            p.binding(*var);
        });
        self.put(" -> ");
        self.bindings(&fun.results);
        self.put(" =");
        self.top_body(&fun.body);
    }

    fn foreign(&mut self, foreign: &Foreign) {
        let symbol = |p: &mut Self, Symbol { platform, name }: &Symbol| {
            p.put(platform.name());
            p.put(" ");
            p.put(name);
        };
        self.put("foreign ");
        self.parens(&foreign.symbols, symbol);
        if !foreign.vectorised.is_empty() {
            self.put(" vectorised ");
            self.parens(&foreign.vectorised, symbol);
        }
    }

    fn top_body(&mut self, body: &Body) {
        self.indent += 1;
        self.body(body);
        self.indent -= 1;
        self.newline();
    }

    fn entry(&mut self, entry: &Entry) {
        self.newline();
        self.put("entry ");
        self.string(&entry.name);
        self.put(" = ");
        self.fun_name(entry.fun);
        self.put(" ");
        self.parens(&entry.params, |p, (name, ty)| {
            p.string(name);
            p.put(": ");
            p.external(ty);
        });
        self.put(" -> ");
        self.external(&entry.result);
        if let Some(doc) = &entry.doc {
            self.indent += 1;
            self.newline();
            self.put("doc ");
            self.string(doc);
            self.indent -= 1;
        }
        if !entry.attrs.is_empty() {
            self.indent += 1;
            self.newline();
            self.put("with ");
            self.attrs(&entry.attrs);
            self.indent -= 1;
        }
        self.newline();
    }

    pub(super) fn fun_name(&mut self, fun: crate::FunId) {
        match self.names.funs.get(fun.0 as usize) {
            Some(name) => self.out.push_str(name),
            None => {
                let _ = write!(self.out, "f_{}", fun.0);
            }
        }
    }
}

/// Whether the lexer reads the text as one word or plain number.
fn is_word(text: &str) -> bool {
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '\'' | '.');
    text.starts_with(starts) && text.chars().all(plain)
}
