//! Blocks of statements: names for values, for sizes and for functions, and updates in place.

use crate::env::{Fun, Gen, Param, Var};
use crate::ty::{Size, Ty};

impl Gen {
    /// Some statements and a value.
    pub(crate) fn block(&mut self, ty: &Ty, fuel: usize, statements: usize) -> String {
        let (mark, lines) = self.statements(fuel, statements);
        let body = self.exp(ty, fuel);
        self.release(mark.0);
        self.block = mark.1;
        if lines.is_empty() { body } else { format!("({} in {body})", lines.join(" ")) }
    }

    /// Some statements; what they define is in scope until the mark is released.
    pub(crate) fn statements(
        &mut self,
        fuel: usize,
        count: usize,
    ) -> ((crate::env::Mark, usize), Vec<String>) {
        let mark = (self.mark(), self.block);
        self.block = self.new_block();
        let mut lines = Vec::new();
        for _ in 0..count {
            lines.extend(self.statement(fuel));
        }
        (mark, lines)
    }

    fn statement(&mut self, fuel: usize) -> Option<String> {
        if !self.afford(8) {
            return None;
        }
        match self.rng.below(22) {
            0..5 => {
                let ty = self.value_ty();
                let value = self.exp(&ty, fuel);
                Some(self.define(&ty, &value, None))
            }
            5..8 => Some(self.sized(fuel)),
            8..11 => {
                let size = self.size();
                let elem = if self.chance(70) { Ty::Prim(self.prim()) } else { self.plain_ty(1) };
                let elem = if self.chance(20) { Ty::array(&self.size(), &elem) } else { elem };
                let value = self.fresh(&size, &elem, fuel);
                let block = self.block;
                Some(self.define(&Ty::array(&size, &elem), &value, Some(block)))
            }
            11..15 => self.consumption(fuel),
            15..17 => Some(self.local_function(fuel)),
            17 => {
                let parts = vec![self.value_ty(), self.value_ty()];
                let value = self.exp(&Ty::Tuple(parts.clone()), fuel);
                let names = [self.name("a"), self.name("b")];
                for (name, ty) in names.iter().zip(&parts) {
                    self.bind(name, ty, &value);
                }
                let shown = self.show(&Ty::Tuple(parts));
                Some(format!("let ({}): {shown} = {value}", names.join(", ")))
            }
            18 => {
                let value = self.exp(&Ty::I64, fuel);
                let name = self.name("k");
                self.bind(&name, &Ty::I64, "");
                self.sizes.push(name.clone());
                Some(format!("let {name} = {value} % 6"))
            }
            19 => {
                let sizes = self.sizes.clone();
                if sizes.is_empty() {
                    return None;
                }
                let (first, second) = (self.one(&sizes), self.one(&sizes));
                let operator = self.one(&["+", "*"]);
                let size = Size::new(format!("{first} {operator} {second}"));
                let ty = Ty::array(&size, &Ty::Prim(self.prim()));
                let value = self.exp(&ty, fuel);
                Some(self.define(&ty, &value, None))
            }
            20 => Some(self.partitioned(fuel)),
            _ => {
                let ty = self.summable();
                let value = self.reduced(&ty, fuel.max(1));
                Some(self.define(&ty, &value, None))
            }
        }
    }

    fn define(&mut self, ty: &Ty, value: &str, owner: Option<usize>) -> String {
        let name = self.name("x");
        let annotated = ty.rank() > 0 || self.chance(40);
        let annotation = if annotated { format!(": {}", self.show(ty)) } else { String::new() };
        self.own(&name, ty, value, owner);
        format!("let {name}{annotation} = {value}")
    }

    /// An array whose size gets a name.
    fn sized(&mut self, fuel: usize) -> String {
        let elem = if self.chance(70) { self.plain_ty(1) } else { self.summable() };
        let value = self.some_array(&elem, fuel);
        let (size, name) = (self.name("n"), self.name("xs"));
        self.bind(&size, &Ty::I64, "");
        self.sizes.push(size.clone());
        let ty = Ty::array(&Size::new(size.clone()), &elem);
        self.bind(&name, &ty, &value);
        format!("let [{size}] ({name}: {}) = {value}", self.show(&ty))
    }

    fn partitioned(&mut self, fuel: usize) -> String {
        let elem = self.plain_ty(1);
        let array = self.some_array(&elem, fuel);
        let test = self.nested(|this| {
            this.function(std::slice::from_ref(&elem), &Ty::BOOL, fuel.saturating_sub(1))
        });
        let (sizes, names) = ([self.name("n"), self.name("n")], [self.name("xs"), self.name("xs")]);
        // What the test has captured counts as shared, too, if the test is composed of others.
        let shared = format!("{test} {array}");
        let mut parts = Vec::new();
        for (size, name) in sizes.iter().zip(&names) {
            self.bind(size, &Ty::I64, "");
            self.sizes.push(size.clone());
            let ty = Ty::array(&Size::new(size.clone()), &elem);
            self.bind(name, &ty, &shared);
            parts.push(format!("{name}: {}", self.show(&ty)));
        }
        format!("let [{}] [{}] ({}) = partition {shared}", sizes[0], sizes[1], parts.join(", "))
    }

    /// A statement that consumes an array of this block.
    fn consumption(&mut self, fuel: usize) -> Option<String> {
        let block = self.block;
        let owned: Vec<Var> = self
            .vars
            .iter()
            .filter(|var| var.alive && var.owner == Some(block) && matches!(var.ty, Ty::Array(..)))
            .cloned()
            .collect();
        if owned.is_empty() {
            return None;
        }
        let var = self.one(&owned);
        let Ty::Array(size, elem) = &var.ty else { return None };
        let name = &var.name;
        let value = self.exp(elem, fuel);
        let value = if elem.is_plain() { value } else { format!("(copy {value})") };
        let (condition, index) = self.index(size);
        let form = self.rng.below(4);
        if form == 0 && condition.is_none() {
            self.consume(name);
            self.own(name, &var.ty, "", Some(block));
            return Some(format!("let {name}[{index}] = {value}"));
        }
        // From here on, no argument may be what the same call consumes.
        self.consume(name);
        let text = match (form, condition) {
            (2, _) if elem.is_plain() => {
                let value = self.exp(elem, fuel);
                let count = self.size();
                let is = self.exp(&Ty::array(&count, &Ty::I64), fuel);
                format!("scatter {name} {is} (replicate {} {value})", count.atom())
            }
            (3, _) if self.operator(elem).is_some_and(|op| op.commutes) => {
                let op = self.operator(elem).filter(|op| op.commutes)?;
                let count = self.size();
                let is = self.exp(&Ty::array(&count, &Ty::I64), fuel);
                let values = self.exp(&Ty::array(&count, elem), fuel);
                format!("reduce_by_index {name} {} {} {is} {values}", op.text, op.neutral)
            }
            (_, None) => format!("{name} with [{index}] = {value}"),
            (_, Some(condition)) => {
                format!("if {condition} then {name} with [{index}] = {value} else {name}")
            }
        };
        Some(self.define(&var.ty, &text, Some(block)))
    }

    /// A function with what is in scope.
    fn local_function(&mut self, fuel: usize) -> String {
        let name = self.name("g");
        let mut params = Vec::new();
        let mark = self.mark();
        let mut sizes = Vec::new();
        if self.chance(30) {
            let size = self.name("m");
            self.bind(&size, &Ty::I64, "");
            self.sizes.push(size.clone());
            let ty = Ty::array(&Size::new(size.clone()), &self.plain_ty(1));
            params.push(self.param(ty, false));
            sizes.push(size);
        }
        for _ in 0..=self.rng.below(2) {
            let ty = if self.chance(12) {
                let (from, to) = (self.plain_ty(0), self.plain_ty(0));
                Ty::Fun(vec![from], Box::new(to))
            } else {
                self.plain_ty(1)
            };
            params.push(self.param(ty, false));
        }
        let result = match &params[0].ty {
            Ty::Array(size, _) if !sizes.is_empty() && self.chance(50) => {
                Ty::array(size, &self.plain_ty(1))
            }
            _ => self.plain_ty(1),
        };
        let before = std::mem::take(&mut self.cost);
        let nest = std::mem::take(&mut self.nest);
        let body = self.exp(&result, fuel);
        let cost = std::mem::replace(&mut self.cost, before);
        self.nest = nest;
        self.release(mark);
        let shown: Vec<String> = params.iter().map(|param| self.show_param(param)).collect();
        let bound: Vec<String> = sizes.iter().map(|size| format!(" [{size}]")).collect();
        let result_text = self.show(&result);
        let text =
            format!("let {name}{} {} : {result_text} = {body}", bound.concat(), shown.join(" "));
        self.funs.push(Fun {
            name,
            types: Vec::new(),
            sizes,
            params,
            result,
            exists: false,
            cost,
            text: body,
            alive: true,
        });
        text
    }

    /// A parameter, which comes into scope.
    pub(crate) fn param(&mut self, ty: Ty, consumed: bool) -> Param {
        let name = self.name("p");
        let owner = consumed.then_some(self.block);
        if let Ty::Fun(params, result) = &ty {
            let params = params.iter().map(|ty| Param {
                name: String::new(),
                ty: ty.clone(),
                consumed: false,
                is_size: false,
            });
            self.funs.push(Fun {
                name: name.clone(),
                types: Vec::new(),
                sizes: Vec::new(),
                params: params.collect(),
                result: (**result).clone(),
                exists: false,
                cost: 20,
                text: String::new(),
                alive: true,
            });
        } else {
            self.own(&name, &ty, "", owner);
        }
        Param { name, ty, consumed, is_size: false }
    }

    pub(crate) fn show_param(&mut self, param: &Param) -> String {
        let star = if param.consumed { "*" } else { "" };
        format!("({}: {star}{})", param.name, self.show(&param.ty))
    }
}
