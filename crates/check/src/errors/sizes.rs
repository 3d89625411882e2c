//! Messages about sizes.

use super::Expect;
use crate::checker::Checker;
use crate::program::{Unknown, VarKind};
use crate::size::{INSIDE, SizeClash};
use crate::ty::{Size, Ty, VarId};
use fehu_base::{Diagnostic, Span};

impl Checker<'_> {
    /// A message about sizes that do not agree; the types are finished.
    pub(crate) fn size_clash(
        &self,
        span: Span,
        want: &Ty,
        found: &Ty,
        why: Expect,
        clash: &SizeClash,
    ) -> Diagnostic {
        let headline = why.headline(|span| self.quote(span));
        let recursive = self.is_recursive_call(why);
        let code = match clash {
            SizeClash::Escape(_, _, Some(_)) | SizeClash::Infinite(Some(_), _) if recursive => {
                "recursion"
            }
            SizeClash::Sizes(a, b) if self.own_parameter([a, b]).is_some() => "scope-violation",
            SizeClash::Sizes(..) | SizeClash::Shape => "size-mismatch",
            SizeClash::Early(..) => "causality-check",
            SizeClash::Escape(var, _, param) => match self.program.vars[*var].kind {
                VarKind::Unknown(_) if self.is_of_named_function(*param) => "size-mismatch",
                VarKind::Unknown(_) => "causality-check",
                VarKind::Global
                | VarKind::Builtin
                | VarKind::Local
                | VarKind::Param
                | VarKind::TypeName
                | VarKind::SizeParam
                | VarKind::Ext
                | VarKind::Anonymous
                | VarKind::Module => "scope-violation",
            },
            SizeClash::Existential(_) | SizeClash::ExistentialParam(_) => "existential-size",
            SizeClash::Infinite(..) => "occurs-check",
            SizeClash::Consumes => "unify-consuming-param",
            SizeClash::NotFresh => "result-not-fresh",
        };
        let mut d = Diagnostic::error(code, span, headline);
        if *want != Ty::Error || *found != Ty::Error {
            let (want, found) = (self.show(want), self.show(found));
            d = d
                .at(format!("this has type {found}"))
                .note(format!("Expected: {want}\nFound:    {found}"));
        }
        if let Some((origin, text)) = why.origin()
            && origin != span
        {
            d = d.label(origin, text);
        }
        match clash {
            SizeClash::Sizes(a, b) => {
                let (a, b) = (&self.zonk_size(a), &self.zonk_size(b));
                d = d.note(format!(
                    "Sizes \"{}\" and \"{}\" do not match.",
                    self.show_size(a),
                    self.show_size(b)
                ));
                d = self.explain_sizes(d, [a, b]);
                match self.own_parameter([a, b]) {
                    Some(var) => d.note(format!(
                        "\"{}\" is a parameter of the function that is given here; it is not in \
                         scope in the type that is expected.",
                        self.program.vars[var].name
                    )),
                    None => self.suggest_coercion(d, span, want, why, [a, b]),
                }
            }
            SizeClash::Early(var, place) => {
                let name = &self.program.vars[*var].name;
                d.note(format!(
                    "Causality check: the size \"{name}\" is only known when the function has been \
                     applied, but is needed before."
                ))
                .label(*place, format!("this needs the size \"{name}\""))
                .help("make the array first, bind it with `let`, and use it in the function")
            }
            SizeClash::Escape(_, _, Some(param)) | SizeClash::Infinite(Some(param), _) if recursive => {
                self.name_sizes(d, *param)
            }
            SizeClash::Escape(var, size, Some(param))
                if matches!(self.program.vars[*var].kind, VarKind::Unknown(_))
                    && self.is_of_named_function(Some(*param)) =>
            {
                self.unnamed_size(d, *param, size)
            }
            SizeClash::Escape(var, size, _) => {
                let name = &self.program.vars[*var].name;
                let in_loop = match self.size_metas.made_in_loop(self.program.vars[*var].level) {
                    true => ", which is bound inside the loop body,",
                    false => "",
                };
                d = match self.program.vars[*var].kind {
                    VarKind::Unknown(_) => d.note(format!(
                        "Causality check: the size \"{name}\"{in_loop} is needed before it is known."
                    )),
                    VarKind::Global | VarKind::Builtin | VarKind::Local | VarKind::Param | VarKind::TypeName | VarKind::SizeParam | VarKind::Ext | VarKind::Anonymous | VarKind::Module => d.note(format!(
                        "The size \"{}\" would have to be known where this was bound, but \
                         \"{name}\" is not in scope there.",
                        self.show_size(size)
                    )),
                };
                self.explain_sizes(d, [&Size::Var(*var)])
            }
            SizeClash::Existential(_) if found.as_seq().is_some() => d
                .note("The elements of the sequence may differ in size, and must all have the same size here.")
                .help(
                    "`seq.elements s` puts the elements of all of them into one array; `seq.tabulate k s` makes rows of elements \
                     that have size k",
                ),
            SizeClash::Existential(var) => {
                let name = &self.program.vars[*var].name;
                d.note(format!(
                    "The result size \"{name}\" is existential: it can differ from call to call, \
                     but a type containing anonymous sizes cannot be used here, where all calls must \
                     have the same size."
                ))
                .help("a function whose result size depends on its argument cannot be mapped")
            }
            SizeClash::ExistentialParam(var) => d
                .note(format!(
                    "Existential size would appear in function parameter of return type: \"{}\" is \
                     only known when the function is applied.",
                    self.program.vars[*var].name
                ))
                .help("apply the function to all its arguments, or use a lambda"),
            SizeClash::Infinite(_, b) => d.note(format!(
                "Occurs check: the size would have to contain itself, in \"{}\".",
                self.show_size(b)
            )),
            SizeClash::Consumes => d
                .note("Parameter types are incompatible regarding consuming their arguments.")
                .help("pass a function that does not consume its argument, for example one that copies it"),
            SizeClash::NotFresh => {
                d.note("A function with a fresh (`*`) result is expected here, but the result of this one may be aliased.")
            }
            SizeClash::Shape => d,
        }
    }

    /// A parameter that sizes of a function's type depend on, where another function type is
    /// expected.
    fn own_parameter(&self, sizes: [&Size; 2]) -> Option<VarId> {
        let mut own = None;
        for size in sizes {
            self.zonk_size(size).for_each_var(&mut |v| {
                let info = &self.program.vars[v];
                if info.level == INSIDE && info.kind == VarKind::Param {
                    own.get_or_insert(v);
                }
            });
        }
        own
    }

    /// Says where sizes come from.
    pub(crate) fn explain_sizes<'b>(
        &self,
        mut d: Diagnostic,
        sizes: impl IntoIterator<Item = &'b Size>,
    ) -> Diagnostic {
        let mut seen: Vec<VarId> = Vec::new();
        for size in sizes {
            size.for_each_var(&mut |v| {
                if !seen.contains(&v) {
                    seen.push(v);
                }
            });
        }
        for var in seen {
            let info = &self.program.vars[var];
            let name = &info.name;
            let text = match info.kind {
                VarKind::Unknown(why) => format!("\"{name}\" is the {}", unknown_text(why)),
                VarKind::SizeParam => format!("size \"{name}\" is bound here"),
                VarKind::Ext => format!("\"{name}\" is an existential size of a result"),
                VarKind::Anonymous => format!("\"{name}\" is an anonymous size"),
                VarKind::Local | VarKind::Param => format!("\"{name}\" is bound here"),
                VarKind::Global | VarKind::Builtin | VarKind::TypeName | VarKind::Module => {
                    continue;
                }
            };
            match info.span {
                Some(span) => d = d.label(span, text),
                None => d = d.note(format!("{text}.")),
            }
        }
        d
    }

    /// Proposes `:>` for an argument of the wrong size.
    fn suggest_coercion(
        &self,
        d: Diagnostic,
        span: Span,
        want: &Ty,
        why: Expect,
        sizes: [&Size; 2],
    ) -> Diagnostic {
        if self.always_differ(sizes) {
            return d.note("These sizes differ whatever the arguments are.");
        }
        if let Some(name) = self.size_of_a_selection(sizes) {
            return match matches!(why, Expect::FunctionBody(_) | Expect::ValueBody(_)) {
                true => d.help(format!(
                    "\"{name}\" is only known when the program runs: leave the size open in the declared type, as in `[]t`"
                )),
                false => help_with_selection(d, name),
            };
        }
        let useful = matches!(
            why,
            Expect::Argument { .. }
                | Expect::FunctionBody(_)
                | Expect::Update
                | Expect::ValueBody(_)
        );
        if !useful || !matches!(want, Ty::Array(..)) {
            return d;
        }
        if self.has_unnamed_size(want) {
            return d.help(
                "give the size a name where the array is bound, as in `let [n] (ys: [n]t) = ...`, \
                 and coerce with `:> [n]t`",
            );
        }
        let ty = self.show(want);
        let text = self.sources.text(span);
        let simple = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        if text.contains('\n') || text.is_empty() {
            return d.help(format!("if the sizes are equal, add a size coercion: `... :> {ty}`"));
        }
        let inner =
            if simple || text.starts_with('(') { text.to_owned() } else { format!("({text})") };
        let is_body = matches!(why, Expect::FunctionBody(_) | Expect::ValueBody(_));
        let new = if is_body { format!("{inner} :> {ty}") } else { format!("({inner} :> {ty})") };
        d.fix("if the sizes are equal at run time, add a size coercion", [(span, new)])
    }
}

impl Checker<'_> {
    /// Whether two sizes differ by a number: 3 and 4, or n and n + 1.
    fn always_differ(&self, [a, b]: [&Size; 2]) -> bool {
        self.constant_difference(a, b).is_some_and(|difference| difference != 0)
    }

    /// The name of a size that an application made, as `filter` does, if one of these is such.
    pub(super) fn size_of_a_selection<const N: usize>(&self, sizes: [&Size; N]) -> Option<&str> {
        let mut found = None;
        for size in sizes {
            if let Size::Var(var) = size
                && matches!(
                    self.program.vars[*var].kind,
                    VarKind::Unknown(Unknown::Result | Unknown::ArgumentResult)
                )
            {
                found = Some(self.program.vars[*var].name.as_str());
            }
        }
        found
    }

    /// Whether a size in the type is no term of the program.
    fn has_unnamed_size(&self, ty: &Ty) -> bool {
        let mut unnamed = false;
        ty.for_each_size(&mut |size| {
            size.for_each_meta(&mut |_| unnamed = true);
            size.for_each_var(&mut |v| {
                unnamed |= matches!(
                    self.program.vars[v].kind,
                    VarKind::Unknown(_) | VarKind::Ext | VarKind::Anonymous
                ) || !self.is_written(v);
            });
        });
        unnamed
    }

    /// Whether the program has the variable's name where it is bound.
    fn is_written(&self, var: VarId) -> bool {
        let info = &self.program.vars[var];
        info.span.is_none_or(|span| self.sources.text(span).contains(info.name.as_str()))
    }
}

/// What to do where an array of which elements are left out does not fit.
pub(super) fn help_with_selection(d: Diagnostic, size: &str) -> Diagnostic {
    d.help(format!(
        "\"{size}\" is only known when the program runs: to combine arrays of which elements are left out, combine them \
         first, as in `filter (\\(x, y) -> x > y) (zip xs ys)`; or give the size a name by `let [k] (zs: [k]t) = ...`"
    ))
}

/// Where an unknown size comes from, as a noun.
pub(crate) fn unknown_text(why: Unknown) -> &'static str {
    match why {
        Unknown::Result => "unknown size of this result",
        Unknown::ArgumentResult => "unknown size of the result of this function",
        Unknown::Branches => "unknown size of branches that differ in size",
        Unknown::Loop => "unknown size of a loop's result",
        Unknown::Range => "unknown length of range",
        Unknown::Slice => "unknown length of slice",
        Unknown::OutOfScope => "unknown size of an array whose size went out of scope",
        Unknown::Expression => "unknown value of this expression, which cannot be used as a size",
    }
}

pub(crate) fn size_not_i64(span: Span, text: &str, found: &str) -> Diagnostic {
    Diagnostic::error(
        "size-not-i64",
        span,
        format!("Size \"{text}\" does not have expected type i64"),
    )
    .at(format!("this has type {found}"))
    .note(format!("Expected: i64\nFound:    {found}"))
}

pub(crate) fn size_expression_bind(span: Span) -> Diagnostic {
    let headline = "Size expression may not bind names in a declared type";
    Diagnostic::error("size-expression-bind", span, headline)
        .at("this binds names")
        .help("make the size a parameter of the type, or define a function and call it in the size")
}

pub(crate) fn consumed_in_size(span: Span, name: &str, bound: Option<Span>) -> Diagnostic {
    let headline = format!("Consuming variable \"{name}\", which is not consumable in a size");
    let mut error = Diagnostic::error("not-consumable", span, headline)
        .at("nothing says when a size is evaluated, or how often")
        .help(format!("consume a copy instead: `(copy {name})`"));
    if let Some(bound) = bound {
        error = error.label(bound, "bound here");
    }
    error
}

pub(crate) fn size_with_binding(span: Span) -> Diagnostic {
    let headline = "Size expression with binding is replaced by an unknown size";
    Diagnostic::warning("size-expression-bind", span, headline)
        .at("this binds names, so its value is not known as a size")
        .help("bind the value with `let` first and use its name")
}

pub(crate) fn unused_existential(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        "unused-existential",
        span,
        format!("Existential size \"{name}\" not used as array size"),
    )
    .at("bound here")
    .note("An existential size is read from an array at run time, so some array must have it.")
    .help(format!("add a witness, an array of type `[{name}]()`"))
}

pub(crate) fn unknown_param_def(span: Span, size: &str, what: &str) -> Diagnostic {
    Diagnostic::error(
        "unknown-param-def",
        span,
        format!("Unknown size \"{size}\" in parameter of the result of \"{what}\""),
    )
    .at("this size is not known to the caller")
    .note("Cannot generalise this type: callers cannot construct an array of that size, so the result could never be applied.")
    .help("accept any size in the parameter, and coerce with `:>` inside")
}

pub(crate) fn inaccessible_size(span: Span, size: &str, ty: &str, what: &str) -> Diagnostic {
    Diagnostic::error(
        "inaccessible-size",
        span,
        format!("Parameter of \"{what}\" refers to size \"{size}\", which callers cannot know"),
    )
    .at(format!("this has type {ty}"))
    .note("The type of a function can refer only to whole parameters and size parameters.")
    .help("make the size a parameter of its own, or coerce with `:>` inside the function")
}

pub(crate) fn result_names_part(
    span: Span,
    name: &str,
    bound: Option<Span>,
    what: &str,
) -> Diagnostic {
    let headline = format!(
        "Result type of \"{what}\" refers to \"{name}\", which is only a part of a parameter"
    );
    let mut found = Diagnostic::error("inaccessible-size", span, headline)
        .at("callers cannot know this size")
        .note("The type of a function can refer only to whole parameters and size parameters.")
        .help("make the size a parameter of its own, or leave the size anonymous: `[]`");
    if let Some(bound) = bound {
        found = found.label(bound, "bound here");
    }
    found
}

pub(crate) fn existential_param_ret(
    span: Span,
    fun: &str,
    arg: &str,
    size: &str,
    ret: &str,
) -> Diagnostic {
    Diagnostic::error(
        "existential-param-ret",
        span,
        format!("Cannot apply \"{fun}\" to \"{arg}\""),
    )
    .at("the result size of this function is not known in advance")
    .note(format!(
        "Existential size would appear in function parameter of return type: \"{size}\" in {ret}."
    ))
    .help("apply the functions one after the other instead, for example with `|>`")
}

pub(crate) fn unused_size(span: Span, name: &str, of: &str) -> Diagnostic {
    let headline = match of {
        "pattern" => format!("Size [{name}] unused in pattern"),
        of => format!("Size [{name}] of \"{of}\" is unused"),
    };
    Diagnostic::error("unused-size", span, headline)
        .at(format!("\"{name}\" is not the size of any array, so it has no value"))
        .help("use it as an array size in the type of a parameter, or remove it")
}

pub(crate) fn unbound_let_size(span: Span, name: &str) -> Diagnostic {
    let headline = format!("Cannot bind [{name}], which is not the size of a concrete value");
    Diagnostic::error("unused-size", span, headline)
        .at("no array of the pattern has this size")
        .help("functions have no size of their own: only the size of an array can be bound")
}

pub(crate) fn loop_variant_escape(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        "loop-variant-escape",
        span,
        format!("Loop-variant size \"{name}\" has escaped"),
    )
    .at("the size of this would have to change inside the loop body")
    .note(
        "A loop parameter's size changes from one iteration to the next, but something bound \
           outside the loop would have to have it: it only exists inside the loop body.",
    )
    .help("annotate the sizes of parameters, or coerce with `:>` inside the loop")
}

pub(crate) fn unknown_in_polymorphic_value(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        "polymorphic-value",
        span,
        format!("The size-polymorphic value binding \"{name}\" has an unknown size in its type"),
    )
    .at("its size is computed again at each use")
    .help("make it a function, or give it a type with known sizes")
}

pub(crate) fn ambiguous_size_param(span: Span, name: &str, fun: &str) -> Diagnostic {
    Diagnostic::error(
        "ambiguous-size",
        span,
        format!("Ambiguous size \"{name}\" in use of \"{fun}\""),
    )
    .at("nothing determines this size")
    .note(format!("It is the instantiated size parameter of \"{fun}\"."))
    .help("add a type ascription that gives the size")
}

pub(crate) fn ambiguous_size_of_hole(span: Span, name: &str, fun: &str) -> Diagnostic {
    let headline =
        format!("Ambiguous size \"{name}\": a hole has no size from its use as function argument");
    Diagnostic::error("ambiguous-size", span, headline)
        .at(format!("\"{fun}\" takes arrays of any size here"))
        .help("add a type ascription that gives the size")
}

pub(crate) fn ambiguous_size(span: Span, name: &str, what: &str) -> Diagnostic {
    Diagnostic::error("ambiguous-size", span, format!("Ambiguous size \"{name}\"."))
        .at(format!("nothing determines the size in this {what}"))
        .help("add a type ascription that gives the size")
}

pub(crate) fn typed_hole(span: Span, ty: &str) -> Diagnostic {
    Diagnostic::warning("typed-hole", span, format!("Hole of type: {ty}"))
        .at("the program fails if this is evaluated")
        .help("replace it with an expression of that type")
}

pub(crate) fn causality(span: Span, size: &str, what: &str) -> Diagnostic {
    Diagnostic::error(
        "causality-check",
        span,
        format!("Causality check: size \"{size}\" is needed here before it is known"),
    )
    .at(format!("{what} needs the size \"{size}\""))
    .help("bind the expression that computes the size with `let` before this one")
}
