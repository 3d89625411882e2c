//! Modules: a module type with an abstract type, modules that implement it, and modules that are made of others.

use crate::env::{Fun, Gen, Param};
use crate::ty::{Bindings, Ty};

impl Gen {
    /// A module type, modules of it, a parametric module, and what it yields.
    pub(crate) fn modules(&mut self) -> Vec<String> {
        let signature = self.global("mt");
        let mut decs = vec![format!(
            "module type {signature} = {{\n  type t\n  val zero : t\n  val op : t -> t -> t\n  \
             val make : i64 -> t\n  val get : t -> i64\n}}"
        )];
        let mut modules = Vec::new();
        for _ in 0..=self.rng.below(2) {
            let (text, name, ty) = self.implementation(&signature);
            decs.push(text);
            modules.push((name, ty));
        }
        let functor = self.global("mf");
        let mark = self.mark();
        let inside = Ty::Param("M.t".to_owned());
        self.members("M", &inside);
        let mut texts = Vec::new();
        let mut made = Vec::new();
        for _ in 0..=self.rng.below(2) {
            let name = self.name("h");
            let (text, fun) = self.function_named(&name, std::slice::from_ref(&inside));
            texts.push(text);
            self.funs.push(fun.clone());
            made.push(fun);
        }
        self.release(mark);
        let body: Vec<String> = texts.iter().map(|text| text.replace('\n', "\n  ")).collect();
        decs.push(format!("module {functor} (M: {signature}) = {{\n  {}\n}}", body.join("\n  ")));
        for (module, ty) in modules {
            let name = self.global("mi");
            decs.push(format!("module {name} = {functor} {module}"));
            let bindings = Bindings { types: vec![("M.t".to_owned(), ty)], sizes: Vec::new() };
            for fun in &made {
                let params = fun
                    .params
                    .iter()
                    .map(|param| Param { ty: param.ty.put(&bindings), ..param.clone() });
                let params = params.collect();
                let result = fun.result.put(&bindings);
                let name = format!("{name}.{}", fun.name);
                self.funs.push(Fun { name, params, result, ..fun.clone() });
            }
        }
        decs
    }

    /// A module of the module type; its name, and its type as others see it.
    fn implementation(&mut self, signature: &str) -> (String, String, Ty) {
        let name = self.global("m");
        let ty = self.plain_ty(2);
        let sealed = self.chance(60);
        let fuel = self.config.fuel - 1;
        let zero = self.constant_value(&ty);
        let mut defs =
            vec![format!("type t = {}", self.show(&ty)), format!("def zero : t = {zero}")];
        let mut define = |this: &mut Gen, name: &str, params: &[&Ty], result: &Ty, shown: &str| {
            let mark = this.mark();
            let mut words = vec![format!("def {name}")];
            for ty in params {
                let param = this.param((*ty).clone(), false);
                words.push(this.show_param(&param));
            }
            let body = this.exp(result, fuel);
            this.release(mark);
            defs.push(format!("{} : {shown} = {body}", words.join(" ")));
        };
        self.cost = 0;
        define(self, "op", &[&ty, &ty], &ty, "t");
        define(self, "make", &[&Ty::I64], &ty, "t");
        define(self, "get", &[&ty], &Ty::I64, "i64");
        self.cost = 0;
        let outside = if sealed { Ty::Param(format!("{name}.t")) } else { ty };
        self.members(&name, &outside);
        let ascription = if sealed { format!(" : {signature}") } else { String::new() };
        let text = format!("module {name}{ascription} = {{\n  {}\n}}", defs.join("\n  "));
        (text, name, outside)
    }

    /// What a module has, for those who use it.
    fn members(&mut self, module: &str, ty: &Ty) {
        self.bind(&format!("{module}.zero"), ty, "");
        let functions = [
            ("op", vec![ty.clone(), ty.clone()], ty.clone()),
            ("make", vec![Ty::I64], ty.clone()),
            ("get", vec![ty.clone()], Ty::I64),
        ];
        for (name, params, result) in functions {
            let params = params.into_iter().map(|ty| Param {
                name: String::new(),
                ty,
                consumed: false,
                is_size: false,
            });
            self.funs.push(Fun {
                name: format!("{module}.{name}"),
                types: Vec::new(),
                sizes: Vec::new(),
                params: params.collect(),
                result,
                exists: false,
                cost: 100,
                text: String::new(),
                alive: true,
            });
        }
    }
}
