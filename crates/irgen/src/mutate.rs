//! Random damage, for testing the verifier and the parser.

use crate::rng::Rng;
use fehu_base::{IdVec, Prim};
use fehu_ir::visit::VisitMut;
use fehu_ir::{Atom, Elem, FunId, Prog, Scalar, Type, Var, VarInfo};

/// Changes one thing of a program: a use of a variable, a type, a constant, the order of statements.
/// Returns what was changed.
pub fn mutate_prog(prog: &mut Prog, rng: &mut Rng) -> String {
    let index = rng.below(prog.funs.len());
    let fun = &mut prog.funs[FunId(index as u32)];
    let vars = fun.vars.len();
    match rng.below(6) {
        0..3 => {
            let mut uses = Uses { count: 0, target: None, new: Var(0), changed: String::new() };
            uses.body(&mut fun.body);
            let target = rng.below(uses.count);
            let new = Var(rng.below(vars) as u32);
            let mut uses = Uses { count: 0, target: Some(target), new, changed: String::new() };
            uses.body(&mut fun.body);
            uses.changed
        }
        3 => {
            let var = Var(rng.below(vars) as u32);
            let old = fun.vars[var].ty.clone();
            fun.vars[var].ty = mutate_type(&old, &fun.vars, rng);
            format!("type of {var:?} from {old:?} to {:?}", fun.vars[var].ty)
        }
        4 => {
            let count = fun.body.stms.len();
            if count > 1 {
                let (a, b) = (rng.below(count), rng.below(count));
                fun.body.stms.swap(a, b);
                return format!("statements {a} and {b} swapped");
            }
            "nothing".to_owned()
        }
        _ => {
            let count = fun.body.stms.len();
            if count > 0 {
                let at = rng.below(count);
                if rng.chance(50) {
                    fun.body.stms.remove(at);
                    return format!("statement {at} removed");
                }
                let stm = fun.body.stms[at].clone();
                fun.body.stms.insert(at, stm);
                return format!("statement {at} repeated");
            }
            "nothing".to_owned()
        }
    }
}

fn mutate_type(ty: &Type, vars: &IdVec<Var, VarInfo>, rng: &mut Rng) -> Type {
    let elem = Elem::Prim(Prim::ALL[rng.below(Prim::ALL.len())]);
    let size = if rng.chance(50) {
        Atom::i64(rng.range(-1, 5))
    } else {
        Atom::Var(Var(rng.below(vars.len()) as u32))
    };
    match ty {
        Type::Array(old, shape) => {
            let mut shape = shape.clone();
            match rng.below(4) {
                0 => return Type::Array(elem, shape),
                1 => shape.push(size),
                2 => {
                    shape.pop();
                }
                _ => {
                    let at = rng.below(shape.len());
                    if let Some(old) = shape.get_mut(at) {
                        *old = size;
                    }
                }
            }
            Type::array(*old, shape)
        }
        Type::Scalar(old) if rng.chance(50) => Type::Array(*old, vec![size]),
        Type::Scalar(_) | Type::Acc(_) => Type::Scalar(elem),
    }
}

/// Counts uses of operands, and changes one of them.
struct Uses {
    count: usize,
    target: Option<usize>,
    new: Var,
    changed: String,
}

impl Uses {
    fn next(&mut self) -> bool {
        self.count += 1;
        self.target == Some(self.count - 1)
    }
}

impl VisitMut for Uses {
    fn use_var(&mut self, var: &mut Var) {
        if self.next() {
            self.changed = format!("use of {var:?} became {:?}", self.new);
            *var = self.new;
        }
    }

    fn use_atom(&mut self, atom: &mut Atom) {
        if self.next() {
            let new = match atom {
                Atom::Var(_) => Atom::Var(self.new),
                Atom::Const(Scalar::I64(_)) => Atom::Const(Scalar::I32(1)),
                Atom::Const(_) => Atom::Const(Scalar::I64(1)),
            };
            self.changed = format!("operand {atom:?} became {new:?}");
            *atom = new;
        }
    }
}

/// Changes a few characters of a text.
pub fn mutate_text(text: &str, rng: &mut Rng) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let pieces = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "\"",
        "\\",
        "#[",
        "->",
        "--",
        "let",
        "in",
        "i64",
        "0x",
        "-1",
        "1e99f16",
        "f32.bits(",
        "é",
        "\n",
        "\u{0}",
        "fun",
        "$",
        "*",
        "99999999999999999999",
    ];
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(chars.len() + 1);
        match rng.below(4) {
            0 => {
                let end = (at + 1 + rng.below(10)).min(chars.len());
                chars.drain(at.min(end)..end);
            }
            1 | 2 => {
                let piece: Vec<char> = pieces[rng.below(pieces.len())].chars().collect();
                chars.splice(at..at, piece);
            }
            _ => {
                let from = rng.below(chars.len() + 1);
                let end = (from + rng.below(40)).min(chars.len());
                let piece: Vec<char> = chars[from.min(end)..end].to_vec();
                chars.splice(at..at, piece);
            }
        }
    }
    chars.into_iter().collect()
}
