//! The text form of programs.
//!
//! [`Prog`](crate::Prog) prints with `Display`, and [`parse()`] reads the same text back. The printer
//! [renumbers](renumber) variables per function in the order of their bindings, so that equal programs
//! have equal texts whatever their history: `parse(&prog.to_string())` is `Ok(renumber(&prog))`.
//!
//! # Grammar
//!
//! White space separates tokens and means nothing else; `--` begins a comment that ends with the line.
//! `x*` is any number of `x`, `x,*` the same with commas between them, `x?` one or none.
//!
//! ```text
//! prog     = "prog" stage const* fun* entry* streaming*      -- in any order after the stage
//! const    = "const" name "->" "(" binding,* ")" "=" body
//! fun      = attrs? foreign? "fun" name "(" ("*"? binding),* ")" "->" "(" binding,* ")" "=" body
//! foreign  = "foreign" symbols ("vectorised" symbols)?    symbols = "(" (platform word),* ")"
//! platform = "c" | "cuda" | "opencl"
//! binding  = var ":" type
//! body     = stm* "in" "(" atom,* ")"  |  "(" atom,* ")"
//! stm      = ("@" string)? attrs? certs? "let" "(" binding,* ")" "=" exp
//! attrs    = "#[" "attr" attr,* "]"          attr = word | word "(" attr,* ")"
//! certs    = "#[" "cert" var,* "]"
//! lambda   = "\" "(" binding,* ")" "->" "(" type,* ")" "{" body "}"
//! type     = scalar | "[" atom "]" type | "acc" "(" var ")"
//! scalar   = "i8" | ... | "f64" | "bool" | "unit"
//! atom     = var | literal
//! entry    = "entry" string "=" name "(" (string ":" external),* ")" "->" external
//!            ("takes" sequences)? ("gives" sequences)? ("doc" string)? ("with" attrs)?
//! sequences = "(" (string number number "pieces"?),* ")"     -- a name, the first part, how many
//! streaming = "streaming" string "slots" "(" (prim number),* ")" "params" places step* "results" places
//! step     = "call" name slots "->" slots
//!          | "pass" name slots "sources" slots ("width" number)? "states" slots
//!            "sinks" "(" (number "of" number ("keep" slots)? ("out" number number)?),* ")"
//! slots    = "(" number,* ")"          places = "(" (number | "none"),* ")"
//! external = "*"? type | "*"? "opaque" string "(" type,* ")" kind?
//! kind     = fields                                      -- a record
//!          | "sum" "{" (string "(" external,* ")" "[" number,* "]"),* "}"
//!          | "array" number "(" external ")" fields?     -- rank and elements, which may be records
//! fields   = "{" (string ":" external),* "}"
//! ```
//!
//! Literals: `12` is an i64, other integers have their type behind (`-3i8`, `255u8`), and so have floats
//! (`1.5f32`, `-0.0f64`, `1e-7f16`, also `f32.inf`, `-f32.inf`, `f32.nan`, and any other NaN by its bits:
//! `f32.bits(0x7fc00001)`); `true`, `false`, and `()` for unit. Strings are in double quotes, with `\n`,
//! `\t`, `\r`, `\"`, `\\` and `\u{hex}`.
//!
//! ```text
//! exp = atom
//!     | unop atom | binop atom atom | cmp atom atom | math atom*    -- neg x, add x y, lt x y, sqrt x
//!     | "convert" prim atom | "reinterpret" prim atom
//!     | "assert" atom check
//!     | "array" scalar "(" atom,* ")"
//!     | "index" var "[" dim,* "]"  |  "update" var "[" dim,* "]" "=" atom
//!     | "flat_index" var "[" atom ";" (atom ":" atom),* "]"
//!     | "flat_update" var "[" atom ";" (atom ":" atom),* "]" "=" var
//!     | "concat" atom "(" var,* ")"
//!     | "iota" prim atom atom atom                 -- how many, the first, the step
//!     | "replicate" "(" atom,* ")" atom | "scratch" type
//!     | "reshape" "(" atom,* ")" var | "rearrange" "(" number,* ")" var | "copy" var | "manifest" var
//!     | "if" atom "then" "{" body "}" "else" "{" body "}"
//!     | "switch" atom "{" ("case" literal "{" body "}")* "default" "{" body "}" "}"
//!     | "loop" "(" (binding "=" atom),* ")" ("for" binding "<" atom | "while" var) "{" body "}"
//!     | "call" name "(" atom,* ")" | "const" name
//!     | "screma" atom "(" var,* ")" "map" lambda ("scan" op)* ("red" "comm"? op)*
//!     | "hist" atom "(" var,* ")" "map" lambda ("dest" shape "race" atom "(" var,* ")" op)*
//!     | "scatter" atom "(" var,* ")" "map" lambda ("dest" shape var)*
//!     | "stream" atom "(" var,* ")"
//!       ("map" | "seq" | "pass" ("pieces" var "(" var,* ")")* | "red" "comm"? lambda)
//!       "init" "(" atom,* ")" "chunk" lambda
//!     | "partition" atom "(" var,* ")" number lambda
//!     | "seg" level "lanes"? "[" atom,* "]" rows? tiling? "(" var,* ")" lambda
//!     | "withacc" ("acc" shape "(" var,* ")" ("op" op)?)* "in" lambda
//!     | "update_acc" var "[" atom,* "]" "(" atom,* ")"
//!     | "trace" string atom | "opaque" atom | "fail" check
//!     | "tuning" string atom                       -- the name, the default
//!     | "threads"
//! rows  = "rows" var atom                         -- where each ends, and how many positions there are
//! tiling = "tile" dims ("in" number)? "(" dims,* ")"
//!                                                 -- those of a tile; the loops around its fold; for each element that is read, those
//!                                                    along which it differs
//!        | "window" dims "(" (var "[" axis,* "]" ("else" atom)? (var "at" "(" atom,* ")")*),* ")"
//!                                                 -- the lengths of a box; arrays, where their elements are, what is
//!                                                    outside, and the reads
//! axis  = ("near" number | "from" atom) number number "(" (binop atom | "convert" prim),* ")"
//!                                                 -- from the dimension of positions or an operand; low, high; the border
//! dims  = "[" number,* "]"
//! level = "task" | "grid" | "blocks" | "block"
//! dim   = atom | atom ":" atom ":" atom            -- a position, or start, length and stride
//! shape = "[" atom,* "]"
//! op    = lambda "neutral" "(" atom,* ")"
//! check = (string | "$" atom)* ("at" string*)?
//! ```
//!
//! A name stands for one variable in the whole function, so that programs that break the rules of scope
//! can be written down as well; the verifier refuses them. The hint of a variable is its name without a
//! trailing `_` and number. The same holds for functions and constants, which print with such a number
//! only if their name alone is not clear.

pub mod cursor;
mod external;
pub mod lex;
pub mod literal;
mod names;
mod ops;
mod parse;
mod parse_exp;
mod print;
mod print_exp;
mod streaming;
mod tiling;

pub use cursor::ParseError;
pub use names::{renumber, renumber_fun, sanitise};
pub use parse::parse;
pub use print::{Printed, print_lines, show_atom, show_body, show_stm, show_type, var_name};
