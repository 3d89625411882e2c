//! Makes the text of a program smaller as long as it still shows a fault.
//!
//! The fault is a question that the caller answers for each candidate; a candidate that the checker refuses simply does not
//! show it. Candidates are shorter texts: declarations, statements, cases and elements are removed, and expressions are replaced
//! by their parts or by literals. The syntax tree tells where things are.

use fehu_base::id::Id;
use fehu_base::{FileId, Span};
use fehu_syntax::ast::{
    Access, Dec, DecKind, DimIndex, Exp, ExpKind, LetKind, LoopForm, ModExp, ModExpKind,
};

/// Reduces a text for which the answer is yes. At most `budget` questions are asked.
pub fn reduce(text: &str, budget: usize, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let (mut best, mut budget) = (text.to_owned(), budget);
    loop {
        let before = best.len();
        // What is replaced may be replaced again; what comes before it stays where it is.
        let mut at = 0;
        loop {
            let edits = edits(&best);
            let Some(edit) = edits.get(at) else { break };
            let candidate = edit.apply(&best);
            if budget == 0 {
                return best;
            }
            budget -= 1;
            if candidate.len() < best.len() && fails(&candidate) {
                best = candidate;
            } else {
                at += 1;
            }
        }
        if best.len() == before {
            return best;
        }
    }
}

/// A part of the text and what stands there instead.
struct Edit {
    from: usize,
    to: usize,
    with: String,
}

impl Edit {
    fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.from], self.with, &text[self.to..])
    }

    fn gain(&self) -> usize {
        (self.to - self.from).saturating_sub(self.with.len())
    }
}

/// All edits of a text, those that remove most first.
fn edits(text: &str) -> Vec<Edit> {
    let (file, _) = fehu_syntax::parse(FileId::from_index(0), text);
    let mut finder = Finder { text, edits: Vec::new() };
    finder.decs(&file.decs);
    let mut edits = finder.edits;
    edits.retain(|edit| edit.gain() > 0);
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.gain()));
    edits
}

struct Finder<'a> {
    text: &'a str,
    edits: Vec<Edit>,
}

impl Finder<'_> {
    fn replace(&mut self, span: Span, with: impl Into<String>) {
        let (from, to) = (span.start as usize, span.end as usize);
        self.edits.push(Edit { from, to, with: with.into() });
    }

    fn decs(&mut self, decs: &[Dec]) {
        for dec in decs {
            self.replace(dec.span, "");
            self.dec(dec);
        }
    }

    fn dec(&mut self, dec: &Dec) {
        match &dec.kind {
            DecKind::Val(bind) => {
                for attr in &dec.attrs {
                    self.replace(attr.span, "");
                }
                self.exp(&bind.body);
            }
            DecKind::Module(bind) => self.module(&bind.body),
            DecKind::Open(module) => self.module(module),
            DecKind::Local(dec) => self.dec(dec),
            DecKind::Type(_) | DecKind::ModuleType(_) | DecKind::Import(..) | DecKind::Error => {}
        }
    }

    fn module(&mut self, module: &ModExp) {
        match &module.kind {
            ModExpKind::Decs(decs) => self.decs(decs),
            ModExpKind::Paren(inner)
            | ModExpKind::Ascribe(inner, _)
            | ModExpKind::Lambda(_, _, inner) => self.module(inner),
            ModExpKind::Apply(function, argument) => {
                self.module(function);
                self.module(argument);
            }
            ModExpKind::Name(_) | ModExpKind::Import(..) | ModExpKind::Error => {}
        }
    }

    fn exp(&mut self, exp: &Exp) {
        for literal in ["0", "true", "[]"] {
            self.replace(exp.span, literal);
        }
        let mut parts = Vec::new();
        parts_of(exp, &mut parts);
        for part in &parts {
            let (from, to) = (part.span.start as usize, part.span.end as usize);
            let text = &self.text[from..to];
            let atom = text.starts_with(['(', '[', '{'])
                || text.chars().all(|c| c.is_alphanumeric() || "_.'".contains(c));
            let with = if atom { text.to_owned() } else { format!("({text})") };
            self.replace(exp.span, with);
        }
        match &exp.kind {
            ExpKind::Let(binds, body) => {
                for (at, bind) in binds.iter().enumerate() {
                    if binds.len() > 1 {
                        // The next binding begins where this one's text may end.
                        let end = binds.get(at + 1).map_or(bind.span.end, |next| next.span.start);
                        self.replace(Span { end, ..bind.span }, "");
                    } else {
                        let from = exp.span.start as usize..body.span.start as usize;
                        self.edits.push(Edit {
                            from: from.start,
                            to: from.end,
                            with: String::new(),
                        });
                    }
                }
            }
            ExpKind::Match(_, cases) if cases.len() > 1 => {
                for case in cases {
                    self.replace(case.span, "");
                }
            }
            ExpKind::Array(items) => {
                for pair in items.windows(2) {
                    self.replace(Span { end: pair[1].span.start, ..pair[0].span }, "");
                }
            }
            _ => {}
        }
        for part in parts {
            self.exp(part);
        }
    }
}

/// The expressions that an expression consists of.
fn parts_of<'a>(exp: &'a Exp, parts: &mut Vec<&'a Exp>) {
    match &exp.kind {
        ExpKind::Lit(_)
        | ExpKind::Var(_)
        | ExpKind::Hole
        | ExpKind::Section(_)
        | ExpKind::Error => {}
        ExpKind::Paren(inner)
        | ExpKind::Project(inner, _)
        | ExpKind::LocalOpen(_, inner)
        | ExpKind::Ascribe(inner, _)
        | ExpKind::Coerce(inner, _)
        | ExpKind::Negate(inner)
        | ExpKind::Not(inner)
        | ExpKind::Attr(_, inner)
        | ExpKind::SectionLeft(inner, _)
        | ExpKind::SectionRight(_, inner) => parts.push(inner),
        ExpKind::Tuple(items) | ExpKind::Array(items) | ExpKind::Ctor(_, items) => {
            parts.extend(items);
        }
        ExpKind::Record(fields) => {
            parts.extend(fields.iter().filter_map(|field| field.value.as_ref()));
        }
        ExpKind::Index(array, dims) => {
            parts.push(array);
            dims_of(dims, parts);
        }
        ExpKind::BinOp(op) => parts.extend([&op.lhs, &op.rhs]),
        ExpKind::Apply(function, args) => {
            parts.push(function);
            parts.extend(args);
        }
        ExpKind::Range(range) => {
            parts.push(&range.start);
            parts.extend(&range.second);
            parts.push(&range.end);
        }
        ExpKind::If(three) => parts.extend(three.iter()),
        ExpKind::Let(binds, body) => {
            for bind in binds {
                match &bind.kind {
                    LetKind::Pat { value, .. } => parts.push(value),
                    LetKind::Fun { body, .. } => parts.push(body),
                    LetKind::Update { path, value, .. } => {
                        path_of(path, parts);
                        parts.push(value);
                    }
                }
            }
            parts.push(body);
        }
        ExpKind::Lambda(lambda) => parts.push(&lambda.body),
        ExpKind::Loop(parts_of_loop) => {
            parts.extend(&parts_of_loop.init);
            match &parts_of_loop.form {
                LoopForm::For(_, _, bound) | LoopForm::ForIn(_, bound) | LoopForm::While(bound) => {
                    parts.push(bound);
                }
            }
            parts.push(&parts_of_loop.body);
        }
        ExpKind::Update(update) => {
            parts.push(&update.base);
            path_of(&update.path, parts);
            parts.push(&update.value);
        }
        ExpKind::Match(value, cases) => {
            parts.push(value);
            parts.extend(cases.iter().map(|case| &case.body));
        }
        ExpKind::Assert(condition, value) => parts.extend([&**condition, &**value]),
        ExpKind::SectionAccess(path) => path_of(path, parts),
    }
}

fn path_of<'a>(path: &'a [Access], parts: &mut Vec<&'a Exp>) {
    for access in path {
        match access {
            Access::Field(_) => {}
            Access::Index(dims, _) => dims_of(dims, parts),
        }
    }
}

fn dims_of<'a>(dims: &'a [DimIndex], parts: &mut Vec<&'a Exp>) {
    for dim in dims {
        match dim {
            DimIndex::Fix(exp) => parts.push(exp),
            DimIndex::Slice { start, end, step, .. } => {
                parts.extend([start, end, step].into_iter().flatten().map(|exp| &**exp));
            }
        }
    }
}
