//! The text form of programs.
//!
//! [`Program`](crate::Program) prints with `Display`, and [`parse()`] reads the same text back. The printer
//! [renumbers](renumber) the variables of each function in the order of their declarations, so that equal programs have
//! equal texts whatever their history: `parse(&program.to_string())` is `Ok(renumber(&program))`.
//!
//! # Grammar
//!
//! White space separates tokens and means nothing else; `--` begins a comment that ends with the line. `x*` is any number
//! of `x`, `x,*` the same with commas between them, `x?` one or none.
//!
//! ```text
//! program  = "prog" "imp" ("sites" number)? tuning* constant* fun*       -- in any order after the head
//! tuning   = "tuning" string "(" string,* ")"          -- its name, the entry points that depend on it
//! constant = "constant" name                           -- computed by this function
//! fun      = "device"? "fun" name "(" binding,* ")" "->" "(" binding,* ")" block
//!                                                      -- "device": kernels call it
//!          | "removed"                                 -- has only a number
//! binding  = var ":" type
//! counter  = var (":" type)?                           -- an i64 if nothing else is said
//! type     = prim | "mem" | prim "[" number "]" | "shared" prim "[" number "]"
//!          | "*" ("shared" | "own")? prim              -- a pointer to blocks, or to another memory
//! block    = "{" stm* "}"
//! place    = var "[" exp "]"
//! ```
//!
//! Literals and strings are those of the IR (see [`fehu_ir::text`]): `12` is an i64, all others have their type behind.
//! A variable prints as `hint.number`, so it is never a keyword; who writes a program may leave the number out. A name
//! stands for one variable in the whole function, so that programs that break the rules of scope can be written down as
//! well; the verifier refuses them.
//!
//! ```text
//! exp = literal | var | place
//!     | op "_" prim "(" exp,* ")"                      -- add_i64(a, b), lt_f32(a, b), sqrt_f64(a): type of the operands
//!     | prim "_to_" prim "(" exp ")"  |  prim "_bits_" prim "(" exp ")"
//!     | "select" "(" exp "," exp "," exp ")"
//!     | "(" term ("+" term)* ")"  |  "(" "+" ")"       -- index arithmetic; the empty sum
//! term = number ("*" var)*  |  var ("*" var)*
//!
//! stm = "comment" string
//!     | "var" binding ("=" exp)?
//!     | var "=" exp  |  place "=" exp
//!     | var "=" "alloc" prim "[" exp "]"
//!     | var "=" "share" var
//!     | var "=" "export" "&" place ("in" var)?         -- of the block of this handle
//!     | "free" var
//!     | var "=" "data" place                           -- a pointer into the block of a handle
//!     | var "=" "&" place                              -- a pointer derived from another one
//!     | var "=" "shared" "[" exp "]"                   -- to shared memory, or as it is
//!     | "copy" place "<-" place "," exp                -- how many elements
//!     | "if" exp block ("else" block)?
//!     | "switch" exp "{" ("case" literal block)* "default" block "}"
//!     | "for" counter "=" exp ".." exp ("by" number)? kind block
//!     | "while" exp block
//!     | (var,* "=")? "call" name "(" arg,* ")"         arg = exp | "&" place ("in" var)?
//!     | "foreign" name "stream"? "(" arg,* ")" "->" "(" out,* ")" ("status" var)?    out = var | "*" var
//!     | "const" number "(" (number "->" var),* ")"     -- results by number
//!     | "assert" exp "," check
//!     | "trace" string exp ":" prim  |  "trace_array" string var "[" exp,* "]"
//!     | "atomic" redop place "," exp
//!     | "locked" exp block
//!     | "tasks" "at" number counter ".." counter "of" exp "chunk" counter ("of" var)? ("grain" number)? block
//!     | var "=" "prefixes" redop var
//!     | var "=" "chunks" number "of" exp               -- the site
//!     | var "=" "tuning" number "or" exp
//!     | var "=" "threads"
//!     | var "=" "blocks"
//!     | "begin" string "at" string "exact"? "(" part,* ")"  |  "end"
//!     | "launch" string "at" string "block" counter "of" exp "thread" counter "of" number
//!       ("residents" number)? "by_block"? ("shared" exp)?
//!       ("changes" (place "of" exp),*)? ("read_only" var,*)? block
//!     | var "=" ("fetch" | "poll" | "count") place
//!     | "ask" place  |  var "=" "receive"
//!     | var "=" "arrive" exp "of" exp                   -- the counter, how many come there
//!     | var "=" "shuffle" ("down" | "up" | "at") exp "of" exp
//!     | "barrier" | "warp" "barrier" | "warp" block | "leave" | "section" block
//!     | "exchange" counter "=" place block "for" exp
//!     | "guarded" place block
//! kind = (("square" | "columns") lanes?  |  ("independent" | lanes) (redop "(" var ")")*  |  "few")?
//! lanes = "lanes" ("for" string)?                      -- the place in the source of who asked for them
//! part = string "read" exp "written" exp "operations" exp    -- its place in the source
//! check = (string | "$" exp ":" prim)* ("at" string*)?
//! redop = "add" | "mul" | "min" | "max" | "and" | "or" | "xor"
//! ```

mod names;
mod parse;
mod parse_stm;
mod print;

pub use names::{renumber, renumber_fun};
pub use parse::parse;
pub use print::{Printer, names};
