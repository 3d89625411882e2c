//! Associative operators with their neutral elements, for reductions, scans and histograms.

use crate::env::Gen;
use crate::ty::Ty;
use fehu_base::Prim;

/// An operator.
pub(crate) struct Op {
    pub(crate) text: String,
    pub(crate) neutral: String,
    pub(crate) commutes: bool,
}

impl Gen {
    /// An operator on values of a type, if there is one that is exact.
    pub(crate) fn operator(&mut self, ty: &Ty) -> Option<Op> {
        let op = |text: &str, neutral: String| {
            Some(Op { text: text.to_owned(), neutral, commutes: true })
        };
        match ty {
            Ty::Prim(Prim::Bool) => match self.rng.below(4) {
                0 => op("(&&)", "true".to_owned()),
                1 => op("(||)", "false".to_owned()),
                2 => op("(!=)", "false".to_owned()),
                _ => op("(==)", "true".to_owned()),
            },
            Ty::Prim(prim) if prim.is_integer() => {
                let name = prim.name();
                match self.rng.below(9) {
                    0 | 1 => op("(+)", format!("0{name}")),
                    2 => op("(*)", format!("1{name}")),
                    3 => op("(^)", format!("0{name}")),
                    4 => op("(&)", format!("(!0{name})")),
                    5 => op("(|)", format!("0{name}")),
                    6 => op(&format!("{name}.max"), format!("{name}.lowest")),
                    7 => op(&format!("{name}.min"), format!("{name}.highest")),
                    _ => op(&format!("(\\(a: {name}) b -> a + b)"), format!("0{name}")),
                }
            }
            // Sums are not associative, and neither extreme of zeros nor of NaNs is the same in any order.
            Ty::Prim(_) | Ty::Param(_) | Ty::Fun(..) => None,
            Ty::Tuple(parts) => {
                if let [Ty::Prim(a), Ty::Prim(b)] = &parts[..]
                    && a == b
                    && a.is_integer()
                    && self.chance(60)
                {
                    // Affine functions, composed.
                    let (name, shown) = (a.name(), self.show(ty));
                    return Some(Op {
                        text: format!(
                            "(\\((a, b): {shown}) ((c, d): {shown}) -> (a * c, b * c + d))"
                        ),
                        neutral: format!("(1{name}, 0{name})"),
                        commutes: false,
                    });
                }
                if let [Ty::BOOL, Ty::Prim(b)] = &parts[..]
                    && b.is_integer()
                    && self.chance(60)
                {
                    // Sums of segments, which begin where the flag is set.
                    let (name, shown) = (b.name(), self.show(ty));
                    return Some(Op {
                        text: format!(
                            "(\\((f, x): {shown}) ((g, y): {shown}) -> (f || g, if g then y else x + y))"
                        ),
                        neutral: format!("(false, 0{name})"),
                        commutes: false,
                    });
                }
                self.product(ty, parts)
            }
            Ty::Record(fields) => {
                let mut ops = Vec::new();
                for (name, ty) in fields {
                    ops.push((name.clone(), self.operator(ty)?));
                }
                let shown = self.show(ty);
                let parts: Vec<String> = ops
                    .iter()
                    .map(|(name, op)| format!("{name} = {} x.{name} y.{name}", op.text))
                    .collect();
                let neutral: Vec<String> =
                    ops.iter().map(|(name, op)| format!("{name} = {}", op.neutral)).collect();
                Some(Op {
                    text: format!("(\\(x: {shown}) (y: {shown}) -> {{{}}})", parts.join(", ")),
                    neutral: format!("{{{}}}", neutral.join(", ")),
                    commutes: ops.iter().all(|(_, op)| op.commutes),
                })
            }
            Ty::Sum(ctors) => {
                // The last that is something.
                let [(none, nothing), (some, something)] = &ctors[..] else { return None };
                if !nothing.is_empty() || something.len() != 1 {
                    return None;
                }
                let shown = self.show(ty);
                let text = if self.chance(50) {
                    format!(
                        "(\\(x: {shown}) (y: {shown}) : {shown} -> match y case #{none} -> x case _ -> y)"
                    )
                } else if let Some(inner) = self.operator(&something[0]) {
                    let commutes = inner.commutes;
                    let text = format!(
                        "(\\(x: {shown}) (y: {shown}) : {shown} -> match (x, y) case (#{none}, _) -> y \
                         case (_, #{none}) -> x case (#{some} v, #{some} w) -> #{some} ({} v w))",
                        inner.text
                    );
                    return Some(Op { text, neutral: format!("(#{none} : {shown})"), commutes });
                } else {
                    format!(
                        "(\\(x: {shown}) (y: {shown}) : {shown} -> match x case #{none} -> y case _ -> x)"
                    )
                };
                Some(Op { text, neutral: format!("(#{none} : {shown})"), commutes: false })
            }
            Ty::Array(size, elem) => {
                let op = self.operator(elem)?;
                self.pay(5);
                Some(Op {
                    text: format!("(map2 {})", op.text),
                    neutral: format!("(replicate {} {})", size.atom(), op.neutral),
                    commutes: op.commutes,
                })
            }
        }
    }

    fn product(&mut self, ty: &Ty, parts: &[Ty]) -> Option<Op> {
        let mut ops = Vec::new();
        for part in parts {
            ops.push(self.operator(part)?);
        }
        let shown = self.show(ty);
        let texts: Vec<String> =
            ops.iter().enumerate().map(|(at, op)| format!("{} x.{at} y.{at}", op.text)).collect();
        let neutral: Vec<String> = ops.iter().map(|op| op.neutral.clone()).collect();
        Some(Op {
            text: format!("(\\(x: {shown}) (y: {shown}) -> ({}))", texts.join(", ")),
            neutral: format!("({})", neutral.join(", ")),
            commutes: ops.iter().all(|op| op.commutes),
        })
    }

    /// A type that has operators, as a rule.
    pub(crate) fn summable(&mut self) -> Ty {
        let int = |this: &mut Gen| {
            Ty::Prim(this.one(&[
                Prim::I32,
                Prim::I64,
                Prim::U8,
                Prim::I8,
                Prim::U16,
                Prim::I16,
                Prim::U32,
                Prim::U64,
                Prim::Bool,
            ]))
        };
        match self.rng.below(8) {
            0 => {
                let ty = int(self);
                Ty::Tuple(vec![ty.clone(), ty])
            }
            1 => {
                let ty = int(self);
                Ty::Tuple(vec![Ty::BOOL, ty])
            }
            2 => {
                let ty = int(self);
                Ty::Record(vec![("a".to_owned(), ty.clone()), ("b".to_owned(), ty)])
            }
            3 => {
                let ty = int(self);
                crate::env::option(&ty)
            }
            _ => int(self),
        }
    }
}
