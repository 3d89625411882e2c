//! Functions as values, and calls of functions that have names.

use crate::env::{Fun, Gen};
use crate::ty::{Bindings, Size, Ty};
use fehu_base::Prim;

impl Gen {
    /// A function from these parameters, of which there is at least one.
    pub(crate) fn function(&mut self, params: &[Ty], result: &Ty, fuel: usize) -> String {
        if self.chance(30)
            && let Some(text) = self.section(params, result, fuel)
        {
            return text;
        }
        if self.chance(30)
            && let Some(text) = self.named(params, result, fuel)
        {
            return text;
        }
        if let [param] = params
            && fuel > 1
            && self.chance(8)
            && !result.has_functions()
        {
            let middle = self.value_ty();
            let first = self.lambda(std::slice::from_ref(param), &middle, fuel - 1);
            let second = self.lambda(&[middle], result, fuel - 1);
            return format!("({first} >-> {second})");
        }
        self.lambda(params, result, fuel)
    }

    pub(crate) fn lambda(&mut self, params: &[Ty], result: &Ty, fuel: usize) -> String {
        let mark = self.mark();
        let mut texts = Vec::new();
        for ty in params {
            texts.push(self.pattern(ty));
        }
        let body = self.exp(result, fuel.saturating_sub(1));
        let annotated = result.rank() > 0 || matches!(result, Ty::Sum(_)) || self.chance(20);
        let annotation =
            if annotated { format!(" : {}", self.show(result)) } else { String::new() };
        self.release(mark);
        format!("(\\{}{annotation} -> {body})", texts.join(" "))
    }

    /// A pattern for a parameter of a lambda, whose names come into scope.
    fn pattern(&mut self, ty: &Ty) -> String {
        let shown = self.show(ty);
        match ty {
            Ty::Tuple(parts) if self.chance(50) => {
                let mut names = Vec::new();
                for part in parts {
                    let name = self.name("t");
                    self.bind(&name, part, "");
                    names.push(name);
                }
                format!("(({}): {shown})", names.join(", "))
            }
            Ty::Record(fields) if self.chance(50) => {
                let mut texts = Vec::new();
                for (field, ty) in fields {
                    let name = self.name("fl");
                    self.bind(&name, ty, "");
                    texts.push(format!("{field} = {name}"));
                }
                format!("({{{}}}: {shown})", texts.join(", "))
            }
            Ty::Prim(_) if self.chance(25) => {
                let name = self.name("x");
                self.bind(&name, ty, "");
                // The type follows from what the function is for.
                name
            }
            _ => {
                let name = self.name("x");
                self.bind(&name, ty, "");
                format!("({name}: {shown})")
            }
        }
    }

    /// Sections of operators, and of fields.
    fn section(&mut self, params: &[Ty], result: &Ty, fuel: usize) -> Option<String> {
        let fuel = fuel.saturating_sub(1);
        match (params, result) {
            ([Ty::Prim(a)], Ty::Prim(b)) if a == b && *a != Prim::Bool => {
                let op = self.one(&["+", "-", "*"]);
                let value = self.exp(&Ty::Prim(*a), fuel);
                // A minus with one operand on the right would be another thing.
                if self.chance(50) || op == "-" {
                    Some(format!("({value} {op})"))
                } else {
                    Some(format!("({op} {value})"))
                }
            }
            ([Ty::Prim(a)], &Ty::BOOL) => {
                let op = self.one(&["<", "<=", "==", "!="]);
                let value = self.exp(&Ty::Prim(*a), fuel);
                Some(format!("({value} {op})"))
            }
            ([Ty::Prim(a)], Ty::Prim(b)) if *a != Prim::Bool && *b != Prim::Bool => {
                Some(format!("{}.{}", b.name(), a.name()))
            }
            ([Ty::Prim(a), Ty::Prim(b)], Ty::Prim(c)) if a == b && b == c && *a != Prim::Bool => {
                Some(self.one(&["(+)", "(-)", "(*)"]).to_owned())
            }
            ([Ty::Record(fields)], _) => {
                let (name, _) = fields.iter().find(|(_, ty)| ty == result)?;
                Some(format!("(.{name})"))
            }
            ([Ty::Tuple(parts)], _) => {
                let at = parts.iter().position(|ty| ty == result)?;
                Some(format!("(.{at})"))
            }
            _ => None,
        }
    }

    /// A function that has a name, perhaps with its first arguments.
    fn named(&mut self, params: &[Ty], result: &Ty, fuel: usize) -> Option<String> {
        let fits = |fun: &&Fun| {
            let extra = fun.params.len().checked_sub(params.len());
            let plain = |fun: &Fun| {
                fun.alive
                    && fun.types.is_empty()
                    && fun.sizes.is_empty()
                    && !fun.exists
                    && fun.params.iter().all(|param| !param.consumed && !param.is_size)
            };
            extra.is_some_and(|extra| {
                plain(fun)
                    && fun.result == *result
                    && fun.params[extra..].iter().map(|param| &param.ty).eq(params)
            })
        };
        let funs: Vec<Fun> = self.funs.iter().filter(fits).cloned().collect();
        if funs.is_empty() {
            return None;
        }
        let fun = self.one(&funs);
        if !self.afford(fun.cost) {
            return None;
        }
        self.pay(fun.cost);
        let extra = fun.params.len() - params.len();
        if extra == 0 {
            return Some(fun.name);
        }
        let mut words = vec![fun.name];
        for param in &fun.params[..extra] {
            words.push(self.exp(&param.ty, fuel.saturating_sub(1)));
        }
        Some(format!("({})", words.join(" ")))
    }

    /// A call of a function whose result has this type.
    pub(crate) fn call(&mut self, ty: &Ty, fuel: usize) -> Option<String> {
        let mut candidates = Vec::new();
        for fun in self.funs.iter().filter(|fun| fun.alive && !fun.exists && self.afford(fun.cost))
        {
            let mut found = Bindings::default();
            let mut sizes = fun.sizes.clone();
            sizes.extend(fun.params.iter().filter(|p| p.is_size).map(|p| p.name.clone()));
            if fun.result.matches(ty, (&fun.types, &sizes), &mut found) {
                candidates.push((fun.clone(), found));
            }
        }
        if candidates.is_empty() {
            return None;
        }
        let (fun, found) = self.one(&candidates);
        Some(self.apply(&fun, found, fuel))
    }

    /// A call of a function, where some of its parameters are known.
    pub(crate) fn apply(&mut self, fun: &Fun, mut found: Bindings, fuel: usize) -> String {
        self.pay(fun.cost);
        for name in &fun.types {
            if found.ty(name).is_none() {
                let ty = self.plain_ty(1);
                found.types.push((name.clone(), ty));
            }
        }
        let named: Vec<String> =
            fun.params.iter().filter(|p| p.is_size).map(|p| p.name.clone()).collect();
        for name in fun.sizes.iter().chain(&named) {
            if found.size(name).is_none() {
                let size: Size = self.size();
                found.sizes.push((name.clone(), size));
            }
        }
        let mut words = vec![fun.name.clone()];
        for param in &fun.params {
            let ty = param.ty.put(&found);
            words.push(match found.size(&param.name) {
                Some(size) if param.is_size => size.atom(),
                _ if param.consumed => {
                    format!("(copy {})", self.exp(&ty, fuel.saturating_sub(1)))
                }
                _ if matches!(ty, Ty::Fun(..)) => {
                    self.nested(|this| this.exp(&ty, fuel.saturating_sub(1)))
                }
                _ => self.exp(&ty, fuel.saturating_sub(1)),
            });
        }
        if words.len() == 1 { words.remove(0) } else { format!("({})", words.join(" ")) }
    }
}
