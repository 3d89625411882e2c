//! Words of other languages that are names here, and what to write instead. They are only looked up
//! when something is wrong with such a name, so programs may define them.

use fehu_base::{Diagnostic, Span};

/// What is written here for a word of another language.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instead {
    /// This, in its place.
    Write(&'static str),
    /// Nothing that could simply be put in its place.
    Say(&'static str),
}

/// What is written for an unknown value.
pub(crate) fn value(name: &str) -> Option<Instead> {
    let found = VALUES.iter().find(|(names, _)| names.contains(&name));
    found.map(|(_, instead)| *instead)
}

/// What is written for an unknown type.
pub(crate) fn type_name(name: &str) -> Option<Instead> {
    let found = TYPES.iter().find(|(names, _)| names.contains(&name));
    found.map(|(_, instead)| *instead)
}

/// The operator that a word between two operands stands for.
pub(crate) fn infix_word(name: &str) -> Option<&'static str> {
    let found = INFIX.iter().find(|(word, _)| *word == name);
    found.map(|(_, operator)| *operator)
}

/// A word between two operands.
pub(crate) fn word_as_operator(span: Span, word: &str, operator: &str) -> Diagnostic {
    let headline = format!("\"{word}\" is not an operator; `{operator}` is");
    Diagnostic::error("foreign-syntax", span, headline)
        .at("a word between two values is read as an argument")
        .fix(format!("write `{operator}`"), [(span, operator.to_owned())])
}

/// `x as t`
pub(crate) fn conversion_by_word(span: Span, fix: Option<(Span, String)>) -> Diagnostic {
    let headline = "A number is converted by a function of its new type's module";
    let error = Diagnostic::error("foreign-syntax", span, headline)
        .at("there is no `as`")
        .help("For instance, `f32.i32 x` converts an i32 to an f32.");
    match fix {
        Some(fix) => error.fix("convert it", [fix]),
        None => error,
    }
}

/// `// text`, read as a division.
pub(crate) fn line_comment(span: Span) -> Diagnostic {
    Diagnostic::error("foreign-syntax", span, "A comment starts with `--`, not with `//`")
        .at("this is an operator")
        .fix("write `--`", [(span, "--".to_owned())])
}

/// `|x| e`
pub(crate) fn closure_between_bars(span: Span, param: &str) -> Diagnostic {
    Diagnostic::error("foreign-syntax", span, "A function is written `\\x -> e`, not `|x| e`")
        .at("`|` is an operator")
        .fix("write it like this", [(span, format!("\\{param} ->"))])
}

/// `map |x| x + 1 xs`
pub(crate) fn closure_without_parentheses(bars: Span, param: &str, end: Span) -> Diagnostic {
    Diagnostic::error("foreign-syntax", bars, "A function is written `(\\x -> e)`, not `|x| e`")
        .at("`|` is an operator")
        .fix("write it like this", [(bars, format!("(\\{param} ->")), (end, ")".to_owned())])
}

/// `[e | x <- xs]`
pub(crate) fn comprehension(bar: Span, whole: Span, new: String) -> Diagnostic {
    let headline = "There are no list comprehensions; `map` applies a function to all elements";
    Diagnostic::error("foreign-syntax", bar, headline)
        .at("`|` is an operator")
        .fix("write it like this", [(whole, new)])
}

/// `f"..."`, `r"..."`
pub(crate) fn string_prefix(prefix: Span, letter: &str) -> Diagnostic {
    match letter {
        "f" | "s" => {
            let headline = "A string cannot have values in it: it is an array of type []u8";
            Diagnostic::error("foreign-syntax", prefix, headline)
                .at("a string has no prefix")
                .help("A program returns its values; `trace x` shows one while it is interpreted.")
        }
        _ => Diagnostic::error("foreign-syntax", prefix, "A string starts with a quotation mark")
            .at("a string has no prefix")
            .fix("leave out the letter", [(prefix, String::new())]),
    }
}

/// An index that can never be right.
pub(crate) fn negative_index(span: Span, array: &str) -> Diagnostic {
    let headline = "This index is negative, and so out of bounds for every array";
    Diagnostic::warning("negative-index", span, headline)
        .at("indices start at 0")
        .help(format!("The last element is `{array}[length {array} - 1]`, or `last {array}`."))
}

const INFIX: [(&str, &str); 10] = [
    ("and", "&&"),
    ("or", "||"),
    ("mod", "%"),
    ("rem", "%%"),
    ("div", "/"),
    ("quot", "//"),
    ("xor", "^"),
    ("is", "=="),
    ("eq", "=="),
    ("ne", "!="),
];

const CONVERSION: Instead = Instead::Say(
    "Numbers are converted by functions of modules: `f64.i32 x` converts an i32 to an f64.",
);

const VALUES: [(&[&str], Instead); 33] = [
    (&["True", "TRUE"], Instead::Write("true")),
    (&["False", "FALSE"], Instead::Write("false")),
    (
        &["None", "Nothing", "nil", "NULL", "undefined", "nullptr"],
        Instead::Say(
            "There is no such value; a type with a case for it is written `#some t | #none`.",
        ),
    ),
    (
        &["Some", "Just", "Ok", "Err", "Left", "Right"],
        Instead::Say("Constructors start with `#` and belong to a sum type, as in `#some x`."),
    ),
    (&["len", "size", "count", "Length", "nelems"], Instead::Write("length")),
    (&["fst", "first"], Instead::Say("The first part of a pair is `p.0`.")),
    (&["snd", "second"], Instead::Say("The second part of a pair is `p.1`.")),
    (
        &["print", "println", "printf", "puts", "echo", "log", "show", "console", "putStrLn"],
        Instead::Say(
            "There is no output; `trace x` shows the value of x while a program is interpreted.",
        ),
    ),
    (
        &["range", "arange", "seq", "linspace", "upto"],
        Instead::Say("A range is written `0..<n`, or `iota n` if it starts with 0."),
    ),
    (
        &["zeros", "ones", "full", "fill", "repeat"],
        Instead::Say("`replicate n x` is an array of n copies of x."),
    ),
    (&["enumerate"], Instead::Say("Write `zip (indices xs) xs`.")),
    (
        &["append", "cons", "push", "push_back", "extend"],
        Instead::Say("Arrays are concatenated with `++`: `xs ++ [x]`."),
    ),
    (&["elem", "member", "contains", "includes"], Instead::Say("Write `any (== x) xs`.")),
    (
        &["sorted", "sort"],
        Instead::Say("Sorting is in packages such as `github.com/diku-dk/sorts`."),
    ),
    (&["return"], Instead::Say("The value of a function is its body; leave out `return`.")),
    (
        &["fn", "fun", "func", "function", "lambda"],
        Instead::Say("A function is written `\\x -> x + 1`."),
    ),
    (
        &["begin", "end"],
        Instead::Say("Bodies need no brackets; parentheses can be put around expressions."),
    ),
    (&["where"], Instead::Say("Names are bound before they are used: `let y = e in ...`.")),
    (
        &["pass", "todo", "TODO", "error", "failwith", "panic", "raise", "throw"],
        Instead::Say(
            "Write `???` for a part that is still missing, and `assert c x` for a condition.",
        ),
    ),
    (
        &["yield", "await", "async", "try", "new", "delete", "break", "continue", "goto"],
        Instead::Say("There is no such statement; a program consists of expressions."),
    ),
    (&["self", "this"], Instead::Say("There are no methods; a function names all its parameters.")),
    (
        &[
            "fromIntegral",
            "toFloat",
            "float",
            "int",
            "double",
            "toInteger",
            "fromInteger",
            "realToFrac",
            "Int",
            "Float",
            "Double",
            "toInt",
            "truncate",
        ],
        CONVERSION,
    ),
    (&["switch", "when", "cond"], Instead::Say("Write `match x case 0 -> a case _ -> b`.")),
    (&["unless"], Instead::Say("Write `if !c then a else b`.")),
    (&["elif", "elsif", "elseif"], Instead::Say("Another condition is written `else if`.")),
    (
        &["fold", "foldl'", "accumulate", "inject", "aggregate"],
        Instead::Say(
            "`reduce op ne xs` combines all elements with an associative operator; `foldl f z xs` goes from left to right.",
        ),
    ),
    (&["===", "<=>"], Instead::Write("==")),
    (&["/=", "<>", "!==", "~=", "=/="], Instead::Write("!=")),
    (&["=>"], Instead::Say("A function is written `\\x -> x + 1`.")),
    (&["<-", ":="], Instead::Say("A name is bound by `let x = e`.")),
    (
        &["+=", "-=", "*=", "++=", "|=", "&=", "^=", "%="],
        Instead::Say("Variables cannot be changed; `let x = x + 1` binds a new one."),
    ),
    (&["!!", "!?"], Instead::Say("An element is `xs[i]`.")),
    (
        &["mod", "div", "rem", "quot", "xor"],
        Instead::Say("These are operators: `%`, `/`, `%%`, `//` and `^`."),
    ),
];

const TYPES: [(&[&str], Instead); 22] = [
    (
        &["int", "Int", "Integer", "integer", "int32", "Int32", "int32_t", "i_32", "signed"],
        Instead::Write("i32"),
    ),
    (
        &[
            "long", "Long", "int64", "Int64", "int64_t", "isize", "size_t", "ssize_t", "usize",
            "index",
        ],
        Instead::Write("i64"),
    ),
    (&["short", "Short", "int16", "Int16", "int16_t"], Instead::Write("i16")),
    (&["byte", "sbyte", "int8", "Int8", "int8_t"], Instead::Write("i8")),
    (
        &["uint8", "UInt8", "uint8_t", "char", "Char", "Word8", "uchar", "Byte"],
        Instead::Write("u8"),
    ),
    (&["uint16", "UInt16", "uint16_t", "Word16", "ushort"], Instead::Write("u16")),
    (
        &["uint32", "UInt32", "uint32_t", "Word32", "uint", "UInt", "unsigned"],
        Instead::Write("u32"),
    ),
    (&["uint64", "UInt64", "uint64_t", "Word64", "ulong", "Word"], Instead::Write("u64")),
    (&["half", "Half", "float16", "Float16"], Instead::Write("f16")),
    (&["float", "single", "float32", "Float32"], Instead::Write("f32")),
    (&["double", "Double", "float64", "Float64", "Float", "real", "Real"], Instead::Write("f64")),
    (&["Bool", "boolean", "Boolean", "logical"], Instead::Write("bool")),
    (&["String", "string", "str", "text", "Text"], Instead::Write("[]u8")),
    (&["unit", "Unit", "void"], Instead::Write("()")),
    (
        &["list", "List", "Array", "array", "Vec", "vector", "Vector", "seq", "Seq", "slice"],
        Instead::Say("An array of i32 is written `[]i32`, or `[n]i32` if it has n elements."),
    ),
    (
        &["Maybe", "Option", "option", "Optional", "Result", "Either"],
        Instead::Say("A type with a case for \"nothing\" is written `#some i32 | #none`."),
    ),
    (&["tuple", "Tuple", "pair"], Instead::Say("A pair is written `(i32, bool)`.")),
    (
        &["map", "Map", "dict", "Dict", "HashMap", "set", "Set"],
        Instead::Say("There are only arrays, records, tuples and sums."),
    ),
    (
        &["any", "Any", "auto", "var", "object", "Object"],
        Instead::Say(
            "Types can be left out where they can be inferred; a type parameter is written `def f 'a (x: a) = x`.",
        ),
    ),
    (&["i128", "int128", "u128"], Instead::Say("The largest integers have 64 bits.")),
    (
        &["complex", "Complex", "complex64", "complex128"],
        Instead::Say("Complex numbers are in the package `github.com/diku-dk/complex`."),
    ),
    (&["char8_t", "wchar_t"], Instead::Write("u8")),
];
