//! C names for the variables of a function: those of the source, made unique.

use fehu_base::{IdVec, OrBug};
use fehu_imp::{Fun, V};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// The names of one function and of the tasks inside it.
pub(super) struct Names {
    names: IdVec<V, String>,
    taken: FxHashSet<String>,
    /// The number that is tried next after a base name.
    next: FxHashMap<String, u32>,
}

impl Names {
    /// Names for all variables; parameters and results choose first.
    pub(super) fn new(fun: &Fun) -> Names {
        let mut names = Names {
            names: IdVec::filled(String::new(), fun.vars.len()),
            taken: FxHashSet::default(),
            next: FxHashMap::default(),
        };
        let first = fun.params.iter().chain(&fun.results).copied();
        for v in first.chain(fun.vars.iter().map(|(v, _)| v)) {
            if fun.vars.get(v).is_some() && names.names[v].is_empty() {
                names.names[v] = names.fresh(&fun.vars[v].hint);
            }
        }
        names
    }

    /// The name of a variable.
    pub(super) fn get(&self, v: V) -> &str {
        &self.names[v]
    }

    /// A name like this one that no variable has, nor any of those listed.
    pub(super) fn unused(&self, name: &str, others: &[String]) -> String {
        let is_free = |name: &String| !self.taken.contains(name) && !others.contains(name);
        let numbered = (1..).map(|i| format!("{name}_{i}"));
        let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
        candidates.find(is_free).or_bug("free name")
    }

    /// Nothing else gets this name from now on.
    pub(super) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// A text of C with the numbers of names, in the order of their appearance, instead of the names: the same for all texts that
    /// differ in nothing else.
    pub(super) fn without(&self, text: &str) -> String {
        let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
        let mut anonymous = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            // In a number are letters, but no names: `0x1.8p3`.
            let is_number = first.is_ascii_digit();
            let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || is_number && c == '.';
            let end = rest.find(|c| !in_word(c)).unwrap_or(rest.len()).max(first.len_utf8());
            let (word, after) = rest.split_at(end);
            rest = after;
            if self.taken.contains(word) {
                let next = numbers.len();
                // No word begins like this.
                let _ = write!(anonymous, "${}", numbers.entry(word).or_insert(next));
            } else {
                anonymous.push_str(word);
            }
        }
        anonymous
    }

    /// A name that nothing else has in the function.
    pub(super) fn fresh(&mut self, hint: &str) -> String {
        let base = identifier(hint);
        if self.taken.insert(base.clone()) {
            return base;
        }
        let next = self.next.entry(base.clone()).or_insert(1);
        loop {
            let name = format!("{base}_{next}");
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// The hint as an identifier that means nothing to C or to the runtime.
pub(super) fn identifier(hint: &str) -> String {
    let mut name = String::new();
    for c in hint.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' => name.push(c),
            // Neither names of the implementation nor long rows of underscores.
            _ if name.is_empty() || name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    while name.ends_with('_') {
        name.pop();
    }
    // A prime is common, and `x'` should not look like `x`.
    name.extend(hint.chars().rev().take_while(|&c| c == '\'').map(|_| 'p'));
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'v');
    }
    // Macros are written in capitals.
    if name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase()) {
        name.make_ascii_lowercase();
    }
    if is_reserved(&name) {
        name.push('_');
        name.push('v');
    }
    name
}

/// Whether a name means something in C, or in what we print.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
        || BUILTIN.contains(&name)
        || name.starts_with("fe_")
        || name.starts_with("futhark_")
        || name.ends_with("_t")
}

/// Keywords of C (also of the next standards), of C++ and OpenCL, macros in lower case, and what the printed code
/// itself mentions.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "cleanup",
    "complex",
    "const",
    "constant",
    "const_cast",
    "constexpr",
    "continue",
    "ctx",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "env",
    "err",
    "errno",
    "explicit",
    "export",
    "extern",
    "failure",
    "false",
    "float",
    "for",
    "friend",
    "global",
    "goto",
    "half",
    "if",
    "imaginary",
    "image",
    "inline",
    "int",
    "kernel",
    "launch",
    "linux",
    "local",
    "long",
    "memcpy",
    "memset",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "noreturn",
    "not",
    "nullptr",
    "operator",
    "or",
    "pipe",
    "private",
    "protected",
    "public",
    "quad",
    "read_only",
    "read_write",
    "register",
    "reinterpret_cast",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "stderr",
    "stdin",
    "stdout",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "uchar",
    "uint",
    "ulong",
    "uniform",
    "union",
    "unix",
    "unsigned",
    "ushort",
    "using",
    "values",
    "virtual",
    "void",
    "volatile",
    "while",
    "write_only",
    "xor",
    "args",
    "I",
];

/// Functions of OpenCL, of which some implementations make macros.
const BUILTIN: &[&str] = &[
    "abs",
    "acos",
    "acosh",
    "all",
    "any",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "barrier",
    "bitselect",
    "cbrt",
    "ceil",
    "clamp",
    "clz",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "cross",
    "ctz",
    "degrees",
    "distance",
    "dot",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "fract",
    "frexp",
    "hypot",
    "ilogb",
    "isequal",
    "isfinite",
    "isinf",
    "isnan",
    "ldexp",
    "length",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "mad",
    "mad24",
    "mad_hi",
    "mad_sat",
    "max",
    "min",
    "mix",
    "modf",
    "mul24",
    "mul_hi",
    "nan",
    "nextafter",
    "normalize",
    "popcount",
    "pow",
    "pown",
    "powr",
    "prefetch",
    "printf",
    "radians",
    "remainder",
    "rint",
    "rootn",
    "rotate",
    "round",
    "rsqrt",
    "select",
    "sign",
    "signbit",
    "sin",
    "sincos",
    "sinh",
    "sinpi",
    "smoothstep",
    "sqrt",
    "step",
    "tan",
    "tanh",
    "tanpi",
    "tgamma",
    "trunc",
    "upsample",
    "vec_step",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_mean_nothing_to_c() {
        let names = [
            ("xs", "xs"),
            ("x'", "xp"),
            ("x''", "xpp"),
            ("", "v"),
            ("_", "v"),
            ("__x", "x"),
            ("2d", "v2d"),
            ("int", "int_v"),
            ("NULL", "null"),
            ("N", "N"),
            ("I", "I_v"),
            ("fe_alloc", "fe_alloc_v"),
            ("size_t", "size_t_v"),
            ("über.alles", "ber_alles"),
            ("<>", "v"),
        ];
        for (hint, name) in names {
            assert_eq!(identifier(hint), name, "of {hint:?}");
        }
    }

    #[test]
    fn texts_that_differ_only_in_names_are_the_same_without_them() {
        let names = |hints: &[&str]| {
            let mut names = Names {
                names: IdVec::default(),
                taken: FxHashSet::default(),
                next: FxHashMap::default(),
            };
            hints.iter().for_each(|hint| names.reserve(hint));
            names
        };
        let [few, others] = [names(&["x", "y"]), names(&["p3", "p4"])];
        let first = few.without("x = y + 0x1.p3 * x; // é");
        assert_eq!(first, "$0 = $1 + 0x1.p3 * $0; // é");
        assert_eq!(first, others.without("p4 = p3 + 0x1.p3 * p4; // é"));
        // Another number, and another variable.
        assert_ne!(first, others.without("p4 = p3 + 0x1.p4 * p4; // é"));
        assert_ne!(first, few.without("x = y + 0x1.p3 * y; // é"));
    }
}
