//! Messages about types.

use super::Expect;
use crate::checker::Checker;
use crate::infer::{Clash, Restriction};
use crate::ty::{Lifted, Needs, PrimSet, Ty};
use ecow::EcoString;
use fehu_base::{Diagnostic, Prim, Span};
use fehu_syntax::ast::Ident;

impl Checker<'_> {
    /// Reports that a type is not the expected one.
    pub(crate) fn report_clash(
        &mut self,
        span: Span,
        want: &Ty,
        found: &Ty,
        why: Expect,
        clash: &Clash,
    ) {
        let headline = why.headline(|span| self.quote(span));
        let code = match clash {
            Clash::Escape(_) => "scope-violation",
            Clash::Infinite(..) => "occurs-check",
            Clash::Different(..)
            | Clash::Fields(..)
            | Clash::Ctors(..)
            | Clash::CtorArity(..)
            | Clash::Needs(..)
            | Clash::NoCommon(..)
            | Clash::NoField(..)
            | Clash::NotNumber(..)
            | Clash::NoCtor(..) => "type-mismatch",
        };
        let want_text = match self.known_of(want) {
            Some(known) => known,
            None => self.show(want),
        };
        let (found_text, label) = match self.known_of(found) {
            Some(known) => (known.clone(), format!("this is {known}")),
            None => (self.show(found), format!("this has type {}", self.show(found))),
        };
        let reason = self.clash_reason(clash);
        let mut d = Diagnostic::error(code, span, headline)
            .at(label)
            .note(format!("Expected: {want_text}\nFound:    {found_text}"))
            .note(reason);
        d = self.suggest_conversion(d, span, want, found);
        if let Some(help) = super::seq_for_another(want, found) {
            d = d.help(help);
        }
        if let Some((origin, text)) = why.origin()
            && origin != span
        {
            let is_name =
                self.sources.text(origin).starts_with(|c: char| c.is_alphabetic() || c == '(');
            let is_operator = matches!(why, Expect::Argument { .. }) && !is_name;
            d = d.label(origin, if is_operator { "the operator" } else { text });
        }
        self.report(d);
    }

    /// What is known of a type that is not known itself.
    fn known_of(&mut self, ty: &Ty) -> Option<String> {
        let Ty::Meta(meta) = ty else { return None };
        let info = self.metas.infos.get(*meta)?.clone();
        if !info.ctors.is_empty() {
            let ctors = info.ctors.into_iter().map(|(ctor, payload)| {
                let payload = payload.iter().map(|ty| self.zonk(ty)).collect();
                (ctor, payload)
            });
            let sum = Ty::Sum(ctors.collect());
            return Some(format!("{} ...", self.show(&sum)));
        }
        if let Some((field, _)) = info.fields.first() {
            return Some(format!("a record with a field \"{field}\""));
        }
        match info.needs {
            Needs::Nothing => None,
            needs @ (Needs::Equality | Needs::OneOf(_)) => Some(needs_text(needs)),
        }
    }

    /// Proposes the conversion between two number types.
    fn suggest_conversion(&self, d: Diagnostic, span: Span, want: &Ty, found: &Ty) -> Diagnostic {
        let (Ty::Prim(want), Ty::Prim(found)) = (want, found) else { return d };
        let text = self.sources.text(span);
        let numbers = *want != Prim::Bool && *found != Prim::Bool && want != found;
        if !numbers || text.is_empty() || text.contains('\n') {
            return d;
        }
        let atom = text.chars().all(|c| c.is_alphanumeric() || "_.[]".contains(c));
        let new = match atom || (text.starts_with('(') && text.ends_with(')')) {
            true => format!("({want}.{found} {text})"),
            false => format!("({want}.{found} ({text}))"),
        };
        d.fix(format!("convert it to {want}"), [(span, new)])
    }

    /// Why two types clash, as a sentence.
    pub(crate) fn clash_reason(&mut self, clash: &Clash) -> String {
        match clash {
            Clash::Different(a, b) => {
                let (a, b) = (self.zonk(a), self.zonk(b));
                let (x, y) = (self.show(&a), self.show(&b));
                match (&a, &b) {
                    (Ty::Record(_), _) => {
                        format!("Cannot unify record type \"{x}\" with type \"{y}\".")
                    }
                    (_, Ty::Record(_)) => {
                        format!("Cannot unify type \"{x}\" with record type \"{y}\".")
                    }
                    (Ty::Sum(_), _) | (_, Ty::Sum(_)) => {
                        format!("Cannot unify type with constructors \"{x}\" with type \"{y}\".")
                    }
                    _ => format!("Cannot unify type \"{x}\" with type \"{y}\": they do not match."),
                }
            }
            Clash::Fields(a, b) if numbers(a) && numbers(b) => format!(
                "Cannot unify record types with unshared fields: the tuples differ by {}.",
                count(a.len() + b.len(), "component")
            ),
            Clash::Fields(a, b) => format!(
                "Cannot unify record types with unshared fields: {}.",
                list(a.iter().chain(b), "")
            ),
            Clash::Ctors(a, b) => {
                format!("Unshared constructors: {}.", list(a.iter().chain(b), "#"))
            }
            Clash::CtorArity(name, m, n) => format!(
                "Uses of constructor \"#{name}\" differ in arity: {m} and {n} payload values."
            ),
            Clash::Infinite(_, b) => {
                let b = self.zonk(b);
                format!(
                    "Occurs check: the type would have to contain itself, in \"{}\".",
                    self.show(&b)
                )
            }
            Clash::Escape(id) => {
                let name = &self.program.types[*id].name;
                format!(
                    "The type parameter \"{name}\" is not in scope where this type would have to \
                     mention it."
                )
            }
            Clash::Needs(ty, Needs::Equality) => {
                let ty = self.zonk(ty);
                let text = self.show(&ty);
                match ty {
                    Ty::Con(..) => format!(
                        "Nothing is known about values of type \"{text}\", so they cannot be compared for \
                         equality."
                    ),
                    Ty::Prim(_)
                    | Ty::Array(..)
                    | Ty::Record(_)
                    | Ty::Sum(_)
                    | Ty::Fun(_)
                    | Ty::Meta(_)
                    | Ty::Unique(_)
                    | Ty::Error => {
                        format!("Values of type \"{text}\" cannot be compared for equality.")
                    }
                }
            }
            Clash::Needs(ty, needs) => {
                let ty = self.zonk(ty);
                format!(
                    "Cannot unify type \"{}\" with type that must be {}.",
                    self.show(&ty),
                    needs_text(*needs)
                )
            }
            Clash::NoCommon(a, b) => {
                format!("No type is both {} and {}.", needs_text(*a), needs_text(*b))
            }
            Clash::NoField(ty, field) => {
                let ty = self.zonk(ty);
                match &ty {
                    Ty::Record(_) => format!(
                        "Cannot unify record type \"{}\" with type that must be a record with \
                         field \"{field}\".",
                        self.show(&ty)
                    ),
                    Ty::Prim(_)
                    | Ty::Array(..)
                    | Ty::Sum(_)
                    | Ty::Fun(_)
                    | Ty::Con(..)
                    | Ty::Meta(_)
                    | Ty::Unique(_)
                    | Ty::Error => format!(
                        "Cannot unify type \"{}\" with type that must be a record with field \
                         \"{field}\".",
                        self.show(&ty)
                    ),
                }
            }
            Clash::NotNumber(needs, field) => format!(
                "Cannot unify type that must be {} with type that must be a record with field \
                 \"{field}\".",
                needs_text(*needs)
            ),
            Clash::NoCtor(Ty::Sum(_), ctor) => format!("Unshared constructors: \"#{ctor}\"."),
            Clash::NoCtor(ty, ctor) => {
                let ty = self.zonk(ty);
                format!(
                    "Cannot unify type with constructors \"#{ctor}\" with type \"{}\".",
                    self.show(&ty)
                )
            }
        }
    }
}

/// Whether all fields are positions of a tuple.
fn numbers(fields: &[EcoString]) -> bool {
    fields.iter().all(|f| f.starts_with(|c: char| c.is_ascii_digit()))
}

fn list<'a>(names: impl Iterator<Item = &'a EcoString>, prefix: &str) -> String {
    names.map(|name| format!("\"{prefix}{name}\"")).collect::<Vec<_>>().join(", ")
}

/// `1 argument`, `2 arguments`
fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn needs_text(needs: Needs) -> String {
    match needs {
        Needs::Nothing => "any type".into(),
        Needs::Equality => "a type that can be compared for equality".into(),
        Needs::OneOf(set) if set == PrimSet::NUMERIC => "a number".into(),
        Needs::OneOf(set) if set == PrimSet::INTEGER => "an integer".into(),
        Needs::OneOf(set) if set == PrimSet::SIGNED => "a signed integer".into(),
        Needs::OneOf(set) if set == PrimSet::FLOAT => "a floating-point number".into(),
        Needs::OneOf(set) if set == PrimSet::BITS => "an integer or bool".into(),
        Needs::OneOf(set) => {
            let names: Vec<&str> = set.iter().map(Prim::name).collect();
            format!("one of {}", names.join(", "))
        }
    }
}

pub(crate) fn operand(span: Span, op: &str, found: &str, reason: &str) -> Diagnostic {
    let headline = match op {
        "index" => "Array index does not have expected type".to_owned(),
        "for" => "Bound of for loop does not have expected type".to_owned(),
        ".." => "Start of range does not have expected type".to_owned(),
        op => format!("Cannot apply operator \"{op}\" to a value of type {found}"),
    };
    Diagnostic::error("type-mismatch", span, headline)
        .at(format!("this has type {found}"))
        .note(reason)
}

pub(crate) fn not_a_function(
    fun_span: Span,
    arg_span: Span,
    fun: &str,
    arg: &str,
    ty: &str,
    i: usize,
    given: usize,
) -> Diagnostic {
    if i == 0 {
        Diagnostic::error(
            "not-a-function",
            fun_span,
            format!("Cannot apply \"{fun}\" to \"{arg}\": it is not a function"),
        )
        .at(format!("this has type {ty}"))
        .label(arg_span, "the argument")
        .note(format!("Cannot apply function: \"{fun}\" has type {ty}, which is not functional."))
    } else {
        let takes = count(i, "argument");
        let d = Diagnostic::error(
            "too-many-arguments",
            arg_span,
            format!("Cannot apply \"{fun}\" to \"{arg}\": too many arguments"),
        )
        .at("this argument is superfluous")
        .label(fun_span, format!("takes only {takes}"))
        .note(format!(
            "Cannot apply function \"{fun}\" to {given} arguments: after {takes}, the result has \
             type {ty}."
        ));
        // `map2` and its like take more arrays than `map`.
        let arrays = given - usize::from(fun == "map");
        match (fun, arrays) {
            ("map" | "zip", 2..=5) => {
                let more = format!("{fun}{arrays}");
                d.fix(format!("\"{more}\" takes {arrays} arrays"), [(fun_span, more)])
            }
            _ => d,
        }
    }
}

/// `method` is a function that is perhaps meant instead of a field.
pub(crate) fn no_field(field: &Ident, ty: &str, record: &Ty, method: Option<&str>) -> Diagnostic {
    let name = &field.name;
    let d = Diagnostic::error(
        "no-field",
        field.span,
        format!("No field \"{name}\" in a value of type {ty}"),
    )
    .at("no such field");
    match record {
        Ty::Record(fields) => {
            let names: Vec<String> = fields.iter().map(|(f, _)| format!("\"{f}\"")).collect();
            let d = d.note(format!("It has the fields {}.", names.join(", ")));
            match crate::infer::nearest(name, fields.iter().map(|(f, _)| f)) {
                Some(near) => d.fix(
                    format!("a similar field is \"{near}\""),
                    [(field.span, near.to_string())],
                ),
                None => d,
            }
        }
        Ty::Prim(_)
        | Ty::Array(..)
        | Ty::Sum(_)
        | Ty::Fun(_)
        | Ty::Con(..)
        | Ty::Meta(_)
        | Ty::Unique(_)
        | Ty::Error => {
            let d = d.note(format!("Cannot unify type \"{ty}\" with type that must be a record."));
            match method {
                Some(function) if matches!(record, Ty::Prim(_)) => {
                    d.help(format!("There are no methods; the function comes first: `{function} x`."))
                }
                Some(function) => d.help(format!(
                    "There are no methods; the function comes first, and the array last: `{function} ... xs`."
                )),
                None => d,
            }
        }
    }
}

/// `def xs : *[]i32 = ...`
pub(crate) fn unique_constant(span: Span, name: &str) -> Diagnostic {
    let headline = format!("A top-level constant cannot have a unique type, but \"{name}\" does");
    Diagnostic::error("unique-constant", span, headline)
        .at("`*` means that the value belongs to whoever uses it")
        .help("leave out `*`; whoever wants to change the value takes a `copy` of it")
}

pub(crate) fn too_many_indices(span: Span, ty: &str, rank: usize, given: usize) -> Diagnostic {
    let headline = if rank == 0 {
        format!("Cannot index a value of type {ty}, which is not an array")
    } else {
        format!("Cannot index an array of rank {rank} with {given} indices")
    };
    Diagnostic::error("cannot-index", span, headline).at(format!("this has type {ty}"))
}

pub(crate) fn ambiguous_record(span: Span, field: &str) -> Diagnostic {
    Diagnostic::error(
        "ambiguous-type",
        span,
        format!("Type is ambiguous: it must be a record with a field \"{field}\""),
    )
    .at("nothing determines the record type")
    .help("add a type annotation where this is bound, for example `(r: {x: i32, y: bool})`")
}

pub(crate) fn ambiguous_sum(span: Span, ctor: &str) -> Diagnostic {
    Diagnostic::error(
        "ambiguous-type",
        span,
        format!("Type is ambiguous: it must be a sum type with a constructor \"#{ctor}\""),
    )
    .at("nothing determines the other constructors of the type")
    .help(format!("add a type annotation, for example `(#{ctor} ... : mytype)`"))
}

pub(crate) fn ambiguous_equality(span: Span) -> Diagnostic {
    let headline = "Type is ambiguous: it must be a type whose values can be compared for equality";
    Diagnostic::error("ambiguous-type", span, headline)
        .at("nothing says which type this compares")
        .help("add a type annotation to an operand, for instance `(x: i32)`")
}

pub(crate) fn array_comparison(span: Span, op: &str) -> Diagnostic {
    let headline = format!("Comparing arrays with \"{op}\" is deprecated");
    Diagnostic::warning("array-comparison", span, headline)
        .at("the operands are arrays")
        .help("compare the elements, as in `and (map2 (==) xs ys)`")
}

pub(crate) fn star_without_effect(span: Span, ty: &str) -> Diagnostic {
    let headline = format!("A `*` on type \"{ty}\" has no effect");
    Diagnostic::warning("star-without-effect", span, headline)
        .at("there is no array here to consume")
        .help("remove the `*`")
}

pub(crate) fn default_type(span: Span, prim: Prim) -> Diagnostic {
    Diagnostic::warning("default-type", span, format!("Defaulting ambiguous type to {prim}"))
        .at("nothing else determines the type of this number")
        .help(format!("specify the type, with a suffix as in `1{prim}` or with an annotation"))
}

pub(crate) fn literal_out_of_bounds(span: Span, text: &str, prim: Prim) -> Diagnostic {
    Diagnostic::error(
        "literal-out-of-bounds",
        span,
        format!("Literal {text} out of bounds for type {prim}"),
    )
    .at(format!("this is inferred to have type {prim}"))
    .note(match prim.is_integer() {
        true => {
            let bits = prim.bits();
            match prim.is_unsigned() {
                true => format!("The type {prim} holds 0 to 2^{bits} - 1."),
                false => format!("The type {prim} holds -2^{0} to 2^{0} - 1.", bits - 1),
            }
        }
        false => format!("It is too large for {prim}."),
    })
}

pub(crate) fn restricted(
    span: Span,
    why: Restriction,
    whole: &str,
    part: &str,
    lifted: Lifted,
) -> Diagnostic {
    let kind = match lifted {
        Lifted::Lifted => "functional",
        Lifted::SizeLifted => "size-lifted",
        Lifted::Unlifted => "non-lifted",
    };
    let (headline, help) = match why {
        Restriction::ArrayElement => (
            format!("Cannot create array with elements of lifted type {part} ({kind})"),
            "array elements must all have the same size, and must not be functions",
        ),
        Restriction::BranchResult => (
            format!("Result of a branch may not be of function type, but has type {whole}"),
            "apply the function inside the branches",
        ),
        Restriction::LoopParameter => (
            format!("A loop parameter may not be of function type, but has type {whole}"),
            "a function cannot change from one iteration to the next",
        ),
        Restriction::TypeArgument => (
            format!("Non-lifted type parameter cannot be instantiated with {kind} type {part}"),
            match lifted {
                Lifted::Lifted => "only type parameters declared with '^ can stand for functions",
                Lifted::SizeLifted | Lifted::Unlifted => {
                    "only type parameters declared with '~ or '^ can stand for values of varying size"
                }
            },
        ),
    };
    Diagnostic::error("functional-type", span, headline)
        .at(format!("the type here is {whole}"))
        .note(format!("The type {part} is {kind}."))
        .help(help)
}

pub(crate) fn type_arity(
    span: Span,
    name: &str,
    wants: usize,
    given: usize,
    def: Option<Span>,
) -> Diagnostic {
    let d = Diagnostic::error(
        "type-arity",
        span,
        format!(
            "Type \"{name}\" takes {}, but {given} {} given",
            count(wants, "argument"),
            if given == 1 { "is" } else { "are" }
        ),
    )
    .at(format!("{given} given here"));
    match def {
        Some(def) => d.label(def, format!("declared with {} here", count(wants, "parameter"))),
        None => d,
    }
}

pub(crate) fn type_argument_kind(span: Span, name: &str, wants: &str, given: &str) -> Diagnostic {
    Diagnostic::error(
        "type-argument-kind",
        span,
        format!("Type \"{name}\" takes {wants} here, but got {given}"),
    )
    .at(format!("{given}, where {wants} is expected"))
}

pub(crate) fn lifted_element(span: Span, name: &str, lifted: Lifted) -> Diagnostic {
    let kind = match lifted {
        Lifted::Lifted => "functional values",
        Lifted::SizeLifted | Lifted::Unlifted => "values of different sizes",
    };
    Diagnostic::error(
        "lifted-element",
        span,
        format!("Cannot create array with elements of lifted type \"{name}\""),
    )
    .at(format!("may contain {kind}"))
    .help("array elements must all have the same size, and must not be functions")
}

pub(crate) fn too_many_constructors(span: Span, count: usize) -> Diagnostic {
    Diagnostic::error(
        "too-many-constructors",
        span,
        format!("Sum type has {count} constructors; at most 256 are allowed"),
    )
    .help("use a number instead, or nest sum types")
}

pub(crate) fn loop_needs_init(span: Span) -> Diagnostic {
    Diagnostic::error("loop-needs-initial-value", span, "Loop pattern needs an initial value")
        .at("this part has no initial value")
        .help("write `loop p = e ...`")
}
