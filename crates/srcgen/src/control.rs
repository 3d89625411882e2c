//! Loops of all forms, and matches.

use crate::env::Gen;
use crate::ty::Ty;
use fehu_base::Prim;

impl Gen {
    /// A loop whose result has this type.
    pub(crate) fn looped(&mut self, ty: &Ty, fuel: usize) -> String {
        let init = self.exp(ty, fuel - 1);
        let (acc, shown) = (self.name("acc"), self.show(ty));
        let acc_pattern = if ty.rank() > 0 || matches!(ty, Ty::Sum(_)) || self.chance(50) {
            format!("({acc}: {shown})")
        } else {
            acc.clone()
        };
        let mark = self.mark();
        let text = match self.rng.below(6) {
            // Several parameters, which may change places.
            0 => {
                let other = self.value_ty();
                let second = self.exp(&other, fuel - 1);
                let (bound, counter) = self.bound();
                let (name, shown_other) = (self.name("acc"), self.show(&other));
                self.bind(&acc, ty, "");
                self.bind(&name, &other, "");
                self.counter_in_scope(&counter);
                let first = self.nested(|this| this.exp(ty, fuel - 1));
                let next = if other == *ty && self.chance(50) {
                    acc.clone()
                } else {
                    self.nested(|this| this.exp(&other, fuel - 1))
                };
                format!(
                    "(loop ({acc}: {shown}, {name}: {shown_other}) = ({init}, {second}) \
                     for {} < {bound} do ({first}, {next})).0",
                    counter.0
                )
            }
            1 => {
                let array = self.any_array(fuel - 1);
                let item = self.name("x");
                self.bind(&acc, ty, "");
                self.bind(&item, &array.elem, "");
                let body = self.nested(|this| this.exp(ty, fuel - 1));
                format!("(loop {acc_pattern} = {init} for {item} in {} do {body})", array.text)
            }
            2 => {
                let count = self.name("k");
                let most = 1 + self.rng.below(5);
                self.bind(&acc, ty, "");
                self.bind(&count, &Ty::Prim(Prim::I32), "");
                let stop = self.nested(|this| this.exp(&Ty::BOOL, fuel.saturating_sub(2)));
                let body = self.nested(|this| this.exp(ty, fuel - 1));
                format!(
                    "(loop ({acc}: {shown}, {count}: i32) = ({init}, 0i32) \
                     while {count} < {most} && {stop} do ({body}, {count} + 1)).0"
                )
            }
            _ => {
                let (bound, counter) = self.bound();
                self.bind(&acc, ty, "");
                self.counter_in_scope(&counter);
                let body = self.nested(|this| this.exp(ty, fuel - 1));
                format!("(loop {acc_pattern} = {init} for {} < {bound} do {body})", counter.0)
            }
        };
        self.release(mark);
        if text.ends_with(".0") { format!("({text})") } else { text }
    }

    /// The end of a loop, and its counter.
    fn bound(&mut self) -> (String, (String, Prim)) {
        let name = self.name("ix");
        if self.chance(30) {
            let signed = self.one(&[Prim::I8, Prim::I32, Prim::I16]);
            let prim = if self.chance(15) { self.one(&[Prim::U8, Prim::U64]) } else { signed };
            let bound = format!("{}{}", self.rng.below(6), prim.name());
            return (bound, (name, prim));
        }
        if self.chance(20) {
            let value = self.leaf(&Ty::I64);
            return (format!("({value} % 5)"), (name, Prim::I64));
        }
        (self.size().value(), (name, Prim::I64))
    }

    fn counter_in_scope(&mut self, (name, prim): &(String, Prim)) {
        self.bind(name, &Ty::Prim(*prim), "");
        if *prim == Prim::I64 {
            // Arrays that grow with the counter.
            self.sizes.push(name.clone());
        }
    }

    /// A match whose cases have this type.
    pub(crate) fn matched(&mut self, ty: &Ty, fuel: usize) -> String {
        let on = self.matchable();
        let value = self.exp(&on, fuel - 1);
        let mut cases = Vec::new();
        match &on {
            Ty::Sum(ctors) => {
                let last = if self.chance(25) { ctors.len() - 1 } else { ctors.len() };
                for (name, tys) in &ctors[..last] {
                    let mark = self.mark();
                    let mut words = vec![format!("#{name}")];
                    for ty in tys {
                        words.push(self.part(ty));
                    }
                    let body = self.exp(ty, fuel - 1);
                    self.release(mark);
                    cases.push((words.join(" "), body));
                }
                if last < ctors.len() {
                    let body = self.exp(ty, fuel - 1);
                    cases.push(("_".to_owned(), body));
                }
            }
            Ty::Tuple(parts) => {
                for _ in 0..2 {
                    let mark = self.mark();
                    let mut patterns = Vec::new();
                    for (at, part) in parts.iter().enumerate() {
                        patterns.push(match part {
                            // Without a literal there would be no need for another case.
                            Ty::Prim(prim) if at == 0 || self.chance(40) => {
                                self.pattern_literal(*prim)
                            }
                            _ => self.part(part),
                        });
                    }
                    let body = self.exp(ty, fuel - 1);
                    self.release(mark);
                    let pattern = format!("({})", patterns.join(", "));
                    if cases.iter().all(|(other, _)| *other != pattern) {
                        cases.push((pattern, body));
                    }
                }
                let body = self.exp(ty, fuel - 1);
                cases.push(("_".to_owned(), body));
            }
            _ => {
                let Ty::Prim(prim) = &on else { return self.leaf(ty) };
                let mut seen = Vec::new();
                for _ in 0..2 {
                    let pattern = self.pattern_literal(*prim);
                    if !seen.contains(&pattern) {
                        seen.push(pattern.clone());
                        let body = self.exp(ty, fuel - 1);
                        cases.push((pattern, body));
                    }
                }
                let mark = self.mark();
                let pattern = self.part(&on);
                let body = self.exp(ty, fuel - 1);
                self.release(mark);
                cases.push((pattern, body));
            }
        }
        let cases: Vec<String> =
            cases.into_iter().map(|(pattern, body)| format!("case {pattern} -> {body}")).collect();
        format!("(match {value} {})", cases.join(" "))
    }

    fn matchable(&mut self) -> Ty {
        let mut sums: Vec<Ty> = Vec::new();
        for var in self.vars.iter().filter(|var| var.alive) {
            if matches!(var.ty, Ty::Sum(_)) {
                sums.push(var.ty.clone());
            }
        }
        sums.extend(
            self.aliases
                .iter()
                .filter(|a| a.types.is_empty() && a.sizes.is_empty())
                .map(|a| a.body.clone())
                .filter(|ty| matches!(ty, Ty::Sum(_))),
        );
        if !sums.is_empty() && self.chance(60) {
            return self.one(&sums);
        }
        let int = |this: &mut Gen| {
            Ty::Prim(this.one(&[Prim::I32, Prim::I64, Prim::U8, Prim::I16, Prim::U64]))
        };
        match self.rng.below(3) {
            0 => {
                let ty = self.plain_ty(1);
                crate::env::option(&ty)
            }
            1 => Ty::Tuple(vec![int(self), int(self)]),
            _ => int(self),
        }
    }

    /// A pattern for a part of a value: a new name, or nothing.
    fn part(&mut self, ty: &Ty) -> String {
        if self.chance(20) {
            return "_".to_owned();
        }
        let name = self.name("v");
        self.bind(&name, ty, "");
        name
    }

    fn pattern_literal(&mut self, prim: Prim) -> String {
        if prim.is_signed() && self.chance(20) {
            return format!("-{}{}", 1 + self.rng.below(5), prim.name());
        }
        if prim.is_integer() {
            format!("{}{}", self.rng.below(5), prim.name())
        } else {
            "_".to_owned()
        }
    }
}
