//! Declarations: types, constants, functions of all kinds, and the entry point.

use crate::env::{Alias, Fun, Gen, Param, option};
use crate::ty::{Size, Ty};
use fehu_base::Prim;

/// Functions whose last bits differ between machines.
const INEXACT: [&str; 8] = ["sin", "cos", "exp", "atan", "tanh", "log", "erf", "cbrt"];

impl Gen {
    /// A whole program.
    pub(crate) fn program(&mut self) -> String {
        let mut decs = Vec::new();
        for _ in 0..self.rng.below(3) {
            decs.push(self.type_dec());
        }
        for _ in 0..self.rng.below(2) {
            decs.push(self.constant_dec());
        }
        if self.chance(25) {
            decs.extend(self.modules());
        }
        for _ in 0..self.rng.below(self.config.functions + 1) {
            decs.push(self.function_dec());
        }
        decs.push(self.entry());
        decs.join("\n\n") + "\n"
    }

    fn type_dec(&mut self) -> String {
        let name = self.global("t");
        let param = |name: &str| Ty::Param(name.to_owned());
        let (types, sizes, body) = match self.rng.below(6) {
            0 => {
                let ty = param("a");
                let fields = vec![("cnt".to_owned(), Ty::I64), ("value".to_owned(), ty)];
                (vec!["a"], vec![], Ty::Record(fields))
            }
            1 => (vec!["a"], vec![], option(&param("a"))),
            2 => (vec!["a"], vec!["n"], Ty::array(&Size::new("n"), &param("a"))),
            _ => (vec![], vec![], self.plain_compound()),
        };
        let mut words = vec![format!("type {name}")];
        words.extend(sizes.iter().map(|size| format!("[{size}]")));
        words.extend(types.iter().map(|ty| format!("'{ty}")));
        let shown = self.show(&body);
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        self.aliases.push(Alias { name, types: owned(&types), sizes: owned(&sizes), body });
        format!("{} = {shown}", words.join(" "))
    }

    fn plain_compound(&mut self) -> Ty {
        loop {
            let ty = self.plain_ty(2);
            if !matches!(ty, Ty::Prim(_)) {
                return ty;
            }
        }
    }

    fn constant_dec(&mut self) -> String {
        let name = self.global("c");
        let ty = self.value_ty();
        let value = self.constant_value(&ty);
        self.cost = 0;
        let shown = self.show(&ty);
        // The result of a function may not share memory with a constant.
        let place = if ty.is_plain() { name.clone() } else { format!("(copy {name})") };
        self.bind(&place, &ty, "");
        format!("def {name} : {shown} = {value}")
    }

    /// The value of a constant, which must not fail: a server would not even start. If functions may fail, it calls
    /// none of those that were declared.
    pub(crate) fn constant_value(&mut self, ty: &Ty) -> String {
        let failing = std::mem::take(&mut self.config.failing);
        let hidden = if failing { std::mem::take(&mut self.funs) } else { Vec::new() };
        let value = self.exp(ty, self.config.fuel - 1);
        self.config.failing = failing;
        if failing {
            self.funs = hidden;
        }
        value
    }

    fn function_dec(&mut self) -> String {
        let name = self.global("f");
        let (text, fun) = self.function_named(&name, &[]);
        self.funs.push(fun);
        text
    }

    /// A function with a name; `abstracts` are types that its parameters should have.
    pub(crate) fn function_named(&mut self, name: &str, abstracts: &[Ty]) -> (String, Fun) {
        let mark = self.mark();
        self.block = self.new_block();
        self.cost = 0;
        let mut types = Vec::new();
        let mut params: Vec<Param> = Vec::new();
        // Each type parameter has a value, so that there always is one.
        if self.chance(35) {
            for hint in ["a", "b"].iter().take(1 + self.rng.below(2)) {
                types.push((*hint).to_owned());
                let ty = Ty::Param((*hint).to_owned());
                params.push(self.param(ty, false));
            }
        }
        let mut elems: Vec<Ty> = types.iter().map(|name| Ty::Param(name.clone())).collect();
        elems.extend(abstracts.iter().cloned());
        let names = [self.name("n"), self.name("m")];
        for _ in 0..=self.rng.below(3) {
            let elem = if !elems.is_empty() && self.chance(60) {
                self.one(&elems)
            } else {
                self.plain_ty(1)
            };
            let size = Size::new(self.one(&names));
            let (ty, consumed) = match self.rng.below(10) {
                0..3 => (elem, false),
                3..6 => (Ty::array(&size, &elem), self.chance(25)),
                6 => (Ty::array(&size, &Ty::array(&Size::new(self.one(&names)), &elem)), false),
                7 => (Ty::array(&Size::new("3"), &elem), false),
                _ => {
                    let to = if elems.is_empty() { self.plain_ty(1) } else { self.one(&elems) };
                    (Ty::Fun(vec![elem], Box::new(to)), false)
                }
            };
            params.push(self.param(ty, consumed));
        }
        let mut used = Vec::new();
        params.iter().filter(|p| !matches!(p.ty, Ty::Fun(..))).for_each(|p| p.ty.sizes(&mut used));
        used.retain(|name| names.contains(name));
        // A size that is no size of an array is a parameter of its own.
        if self.chance(20) {
            let name = self.name("k");
            let ty = Ty::I64;
            params.insert(0, Param { name: name.clone(), ty, consumed: false, is_size: true });
            self.sizes.push(name.clone());
            self.bind(&name, &Ty::I64, "");
        }
        for name in &used {
            self.bind(name, &Ty::I64, "");
            self.sizes.push(name.clone());
        }
        let elem =
            if elems.is_empty() || self.chance(40) { self.plain_ty(1) } else { self.one(&elems) };
        let fuel = self.config.fuel;
        let (result, exists, shown, body) = match self.rng.below(10) {
            0 | 1 => {
                let (mark, lines) = self.statements(fuel - 1, 1);
                let value = self.some_array(&elem, fuel - 1);
                self.release(mark.0);
                let ty = Ty::array(&Size::new("?"), &elem);
                (ty, true, self.show_anonymous(&elem), self.joined(&lines, &value))
            }
            2 => {
                // A function that returns one.
                let param = self.plain_ty(0);
                let ty = Ty::Fun(vec![param.clone()], Box::new(elem.clone()));
                let (mark, lines) = self.statements(fuel - 1, 1);
                let value = self.lambda(&[param], &elem, fuel - 1);
                self.release(mark.0);
                (ty.clone(), false, self.show(&ty), self.joined(&lines, &value))
            }
            _ => {
                let ty = match self.rng.below(3) {
                    0 if !self.sizes.is_empty() => Ty::array(&self.size(), &elem),
                    _ => elem,
                };
                let count = self.rng.below(self.config.statements);
                let (mark, lines) = self.statements(fuel - 1, count);
                let value = self.exp(&ty, fuel - 1);
                self.release(mark.0);
                (ty.clone(), false, self.show(&ty), self.joined(&lines, &value))
            }
        };
        let cost = std::mem::take(&mut self.cost).max(5);
        self.release(mark);
        let mut words = vec![format!("def {name}")];
        words.extend(types.iter().map(|name| format!("'{name}")));
        words.extend(used.iter().map(|name| format!("[{name}]")));
        for param in &params {
            words.push(self.show_param(param));
        }
        let attribute = self.one(&["", "", "", "#[noinline]\n", "#[inline]\n"]);
        let text = format!("{attribute}{} : {shown} =\n  {body}", words.join(" "));
        let (name, sizes) = (name.to_owned(), used);
        let fun = Fun {
            name,
            types,
            sizes,
            params,
            result,
            exists,
            cost,
            text: String::new(),
            alive: true,
        };
        (text, fun)
    }

    fn joined(&self, lines: &[String], value: &str) -> String {
        if lines.is_empty() {
            return value.to_owned();
        }
        format!("{}\n  in {value}", lines.join("\n  "))
    }

    /// The function that is called from outside. Its values are numbers and arrays of them.
    fn entry(&mut self) -> String {
        self.cost = 0;
        let mark = self.mark();
        let names = [self.name("n"), self.name("m")];
        let mut params = Vec::new();
        for _ in 0..=self.rng.below(4) {
            let elem = Ty::Prim(self.prim());
            let (first, second) = (Size::new(self.one(&names)), Size::new(self.one(&names)));
            let ty = match self.rng.below(8) {
                0..3 => elem,
                3..6 => Ty::array(&first, &elem),
                6 => Ty::array(&first, &Ty::array(&second, &elem)),
                _ => Ty::array(&second, &Ty::array(&first, &Ty::array(&Size::new("2"), &elem))),
            };
            params.push(self.param(ty, false));
        }
        let mut used = Vec::new();
        params.iter().for_each(|param| param.ty.sizes(&mut used));
        for name in &used {
            self.bind(name, &Ty::I64, "");
            self.sizes.push(name.clone());
        }
        let fuel = self.config.fuel;
        let count = 1 + self.rng.below(self.config.statements);
        let (inner, lines) = self.statements(fuel, count);
        let mut results = Vec::new();
        for _ in 0..=self.rng.below(3) {
            results.push(self.result(fuel));
        }
        self.release(inner.0);
        self.release(mark);
        let mut words = vec![format!("entry {}", self.prefix)];
        words.extend(used.iter().map(|name| format!("[{name}]")));
        for param in &params {
            words.push(self.show_param(param));
        }
        let value = match &results[..] {
            [result] => result.clone(),
            _ => format!("({})", results.join(", ")),
        };
        format!("{} =\n  {}", words.join(" "), self.joined(&lines, &value))
    }

    /// A result of the entry point.
    fn result(&mut self, fuel: usize) -> String {
        let prim = self.prim();
        let elem = Ty::Prim(prim);
        if prim.is_float() && self.chance(15) {
            let function = self.one(&INEXACT);
            let value = self.some_array(&elem, fuel - 1);
            return format!("(map {}.{function} {value})", prim.name());
        }
        match self.rng.below(8) {
            0..3 => self.exp(&elem, fuel),
            3 => self.some_array(&elem, fuel),
            4 if prim != Prim::Bool => {
                let ty = self.summable();
                let value = self.reduced(&ty, fuel);
                self.seen(&ty, &value)
            }
            5 => {
                let (outer, inner) = (self.size(), self.size());
                self.exp(&Ty::array(&outer, &Ty::array(&inner, &elem)), fuel)
            }
            _ => {
                let size = self.size();
                self.exp(&Ty::array(&size, &elem), fuel)
            }
        }
    }

    /// A value of any type as a number.
    fn seen(&mut self, ty: &Ty, value: &str) -> String {
        let mark = self.mark();
        let name = self.name("r");
        self.bind(&name, ty, "");
        let text = self.exp(&Ty::I64, 2);
        self.release(mark);
        format!("(let {name}: {} = {value} in {text})", self.show(ty))
    }
}
