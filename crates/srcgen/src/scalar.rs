//! Numbers and truth values: literals with the ends of their types, operators, conversions.
//!
//! All of it is exact. Functions such as `sin`, whose last bits differ between machines, are only applied to results; see
//! `dec`.

use crate::env::Gen;
use crate::ty::Ty;
use fehu_base::Prim;

impl Gen {
    pub(crate) fn literal(&mut self, prim: Prim) -> String {
        let name = prim.name();
        if prim == Prim::Bool {
            return self.one(&["true", "false"]).to_owned();
        }
        if prim.is_float() {
            return match self.rng.below(16) {
                0 => format!("{name}.nan"),
                1 => format!("{name}.inf"),
                2 => format!("(-{name}.inf)"),
                3 => format!("(-0.0{name})"),
                4 => format!("{name}.highest"),
                5 => format!("{name}.lowest"),
                6 => format!("{name}.epsilon"),
                7 => match prim {
                    Prim::F16 => "6.0e-8f16".to_owned(),
                    Prim::F32 => "1.0e-45f32".to_owned(),
                    _ => "5.0e-324f64".to_owned(),
                },
                8 => format!("0.0{name}"),
                9 => format!("0.1{name}"),
                10 => format!("(-{}.75{name})", self.rng.below(100)),
                _ => format!("{}.5{name}", self.rng.below(20)),
            };
        }
        match self.rng.below(12) {
            0 => format!("{name}.highest"),
            1 => format!("{name}.lowest"),
            2 => format!("0{name}"),
            3 if prim.is_signed() => format!("(-{}{name})", self.rng.below(100)),
            4 => format!("0x{:x}{name}", self.rng.below(128)),
            5 => format!("(!0{name})"),
            _ => format!("{}{name}", self.rng.below(10)),
        }
    }

    pub(crate) fn scalar(&mut self, prim: Prim, fuel: usize) -> String {
        if self.chance(15) && prim != Prim::Bool && !prim.is_float() && self.nest < 3 {
            return self.reduced(&Ty::Prim(prim), fuel);
        }
        match prim {
            Prim::Bool => self.truth(fuel),
            _ if prim.is_float() => self.float(prim, fuel),
            _ => self.integer(prim, fuel),
        }
    }

    fn integer(&mut self, prim: Prim, fuel: usize) -> String {
        let (name, ty) = (prim.name(), Ty::Prim(prim));
        match self.rng.below(20) {
            0 => self.literal(prim),
            1..8 => {
                let op = self.one(&["+", "-", "*", "&", "|", "^", "+", "-", "*"]);
                let (a, b) = (self.exp(&ty, fuel - 1), self.exp(&ty, fuel - 1));
                format!("({a} {op} {b})")
            }
            8 | 9 => {
                let op = self.one(&["/", "%", "//", "%%"]);
                let (a, b) = (self.exp(&ty, fuel - 1), self.exp(&ty, fuel - 1));
                match self.rng.below(4) {
                    0 if self.config.failing => format!("({a} {op} {b})"),
                    0 | 1 => format!("(let (c, d) = ({a}, {b}) in if d == 0 then c else c {op} d)"),
                    2 => format!("({a} {op} ({b} | 1))"),
                    _ => format!("({a} {op} {}{name})", 1 + self.rng.below(9)),
                }
            }
            10 | 11 => {
                let op = self.one(&["<<".to_owned(), ">>".to_owned(), format!("{name}.>>>")]);
                let a = self.exp(&ty, fuel - 1);
                if self.chance(50) {
                    format!("({a} {op} {}{name})", self.rng.below(prim.bits() as usize))
                } else {
                    let b = self.exp(&ty, fuel - 1);
                    format!("({a} {op} ({b} & {}))", prim.bits() - 1)
                }
            }
            12 => {
                let a = self.exp(&ty, fuel - 1);
                if self.chance(50) {
                    format!("({a} ** {}{name})", self.rng.below(9))
                } else {
                    let b = self.exp(&ty, fuel - 1);
                    format!("({a} ** ({b} & 15))")
                }
            }
            13 => {
                let op = self.one(&["min", "max"]);
                let (a, b) = (self.exp(&ty, fuel - 1), self.exp(&ty, fuel - 1));
                format!("({name}.{op} {a} {b})")
            }
            14 => {
                let a = self.exp(&ty, fuel - 1);
                match self.rng.below(5) {
                    0 => format!("(-{a})"),
                    1 => format!("(!{a})"),
                    2 => format!("({name}.abs {a})"),
                    3 => format!("({name}.sgn {a})"),
                    _ => format!("({name}.mul_hi {a} {})", self.literal(prim)),
                }
            }
            15 if prim == Prim::I32 => {
                let from = self.one(&[Prim::I8, Prim::U16, Prim::I32, Prim::U64]);
                let a = self.exp(&Ty::Prim(from), fuel - 1);
                let op = self.one(&["popc", "clz", "ctz"]);
                format!("({}.{op} {a})", from.name())
            }
            15 | 16 if prim == Prim::I64 => {
                let array = self.any_array(fuel - 1);
                format!("(length {})", array.text)
            }
            15 if matches!(prim, Prim::U16 | Prim::U32 | Prim::U64) => {
                let float = match prim {
                    Prim::U16 => Prim::F16,
                    Prim::U32 => Prim::F32,
                    _ => Prim::F64,
                };
                let (a, f) = (self.exp(&Ty::Prim(float), fuel - 1), float.name());
                // Which NaN an operation gives is not defined.
                format!("(let f = {a} in if {f}.isnan f then 7{name} else {f}.to_bits f)")
            }
            _ => self.converted(prim, fuel),
        }
    }

    /// A number of another type, converted.
    fn converted(&mut self, prim: Prim, fuel: usize) -> String {
        let from = self.one(&Prim::ALL);
        let a = self.exp(&Ty::Prim(from), fuel - 1);
        format!("({}.{} {a})", prim.name(), from.name())
    }

    fn float(&mut self, prim: Prim, fuel: usize) -> String {
        let (name, ty) = (prim.name(), Ty::Prim(prim));
        match self.rng.below(16) {
            0 => self.literal(prim),
            1..8 => {
                let op = self.one(&["+", "-", "*", "/", "+", "-", "*"]);
                let (a, b) = (self.exp(&ty, fuel - 1), self.exp(&ty, fuel - 1));
                format!("({a} {op} {b})")
            }
            8 => {
                let op = self.one(&["min", "max"]);
                let (a, b) = (self.exp(&ty, fuel - 1), self.exp(&ty, fuel - 1));
                format!("({name}.{op} {a} {b})")
            }
            9 | 10 => {
                let op = self.one(&[
                    "abs", "sqrt", "floor", "ceil", "trunc", "round", "neg", "sgn", "recip",
                ]);
                let a = self.exp(&ty, fuel - 1);
                format!("({name}.{op} {a})")
            }
            11 => {
                let (a, b) = (self.exp(&ty, fuel - 1), self.exp(&ty, fuel - 1));
                match self.rng.below(3) {
                    0 => format!("({a} % {b})"),
                    1 if prim != Prim::F16 => {
                        let c = self.exp(&ty, fuel - 1);
                        format!("({name}.fma {a} {b} {c})")
                    }
                    _ => format!("({name}.nextafter {a} {b})"),
                }
            }
            12 => {
                let int = match prim {
                    Prim::F16 => Prim::U16,
                    Prim::F32 => Prim::U32,
                    _ => Prim::U64,
                };
                let a = self.exp(&Ty::Prim(int), fuel - 1);
                format!("({name}.from_bits {a})")
            }
            _ => self.converted(prim, fuel),
        }
    }

    fn truth(&mut self, fuel: usize) -> String {
        match self.rng.below(12) {
            0 => self.literal(Prim::Bool),
            1..6 => {
                let ty = Ty::Prim(self.prim());
                let op = self.one(&["==", "!=", "<", "<=", ">", ">="]);
                let (a, b) = (self.exp(&ty, fuel - 1), self.exp(&ty, fuel - 1));
                format!("({a} {op} {b})")
            }
            6 => {
                // Whole values can be compared, too.
                let ty = self.plain_ty(2);
                let ty = if self.chance(30) { Ty::array(&self.size(), &ty) } else { ty };
                let op = self.one(&["==", "!="]);
                let (a, b) = (self.exp(&ty, fuel - 1), self.exp(&ty, fuel - 1));
                format!("({a} {op} {b})")
            }
            7 | 8 => {
                let op = self.one(&["&&", "||", "!=", "=="]);
                let (a, b) = (self.exp(&Ty::BOOL, fuel - 1), self.exp(&Ty::BOOL, fuel - 1));
                format!("({a} {op} {b})")
            }
            9 => {
                let a = self.exp(&Ty::BOOL, fuel - 1);
                format!("(!{a})")
            }
            10 => {
                let prim = self.one(&[Prim::F16, Prim::F32, Prim::F64]);
                let a = self.exp(&Ty::Prim(prim), fuel - 1);
                format!("({}.{} {a})", prim.name(), self.one(&["isnan", "isinf"]))
            }
            _ => {
                let array = self.any_array(fuel - 1);
                let test = self.nested(|this| {
                    this.function(std::slice::from_ref(&array.elem), &Ty::BOOL, fuel - 1)
                });
                format!("({} {test} {})", self.one(&["any", "all"]), array.text)
            }
        }
    }
}
