//! Arrays of a size that is known, and of one that is found when the program runs.

use crate::env::{Fun, Gen};
use crate::ty::{Bindings, Size, Ty};

/// An array whose size nobody has named.
pub(crate) struct Any {
    pub(crate) text: String,
    pub(crate) elem: Ty,
}

impl Gen {
    pub(crate) fn array(&mut self, size: &Size, elem: &Ty, fuel: usize) -> String {
        self.pay(5);
        if !self.afford(60) || self.nest > 3 {
            return self.leaf(&Ty::array(size, elem));
        }
        if let Some(text) = self.by_size(size, elem, fuel) {
            return text;
        }
        let ty = Ty::array(size, elem);
        let choice = self.rng.below(24);
        match choice {
            0..6 => self.mapped(size, elem, fuel),
            6..8 => {
                let function = self.over_counter(elem, fuel);
                match self.rng.below(3) {
                    0 => format!("(map {function} (iota {}))", size.atom()),
                    1 => format!("(tabulate {} {function})", size.atom()),
                    _ => format!("(iota {} |> map {function})", size.atom()),
                }
            }
            8 => {
                let value = self.exp(elem, fuel - 1);
                format!("(replicate {} {value})", size.atom())
            }
            9 | 10 => match self.operator(elem) {
                Some(op) => {
                    let values = self.exp(&ty, fuel - 1);
                    let name = if self.chance(5) { "exscan" } else { "scan" };
                    format!("({name} {} {} {values})", op.text, op.neutral)
                }
                None => self.mapped(size, elem, fuel),
            },
            11 => {
                let values = self.exp(&ty, fuel - 1);
                if self.chance(50) {
                    format!("(reverse {values})")
                } else {
                    let by = self.leaf(&Ty::I64);
                    format!("(rotate {by} {values})")
                }
            }
            12 | 13 => self.scattered(size, elem, fuel),
            14 => self.histogram(size, elem, fuel),
            15 | 16 => self.updated(size, elem, fuel),
            17 => self.in_place_loop(size, elem, fuel),
            18 => self.zipped(size, elem, fuel),
            19 => {
                // Long enough for sure.
                let first = self.some_array(elem, fuel - 1);
                let second = self.exp(&ty, fuel - 1);
                format!("(take {} ({first} ++ {second}))", size.atom())
            }
            20 => {
                let values = self.exp(&ty, fuel - 1);
                format!("(({values})[::-1] :> {})", self.show(&ty))
            }
            21 => self.column(size, elem, fuel),
            22 if self.config.failing && self.chance(30) => {
                // Perhaps it has another size.
                let values = self.some_array(elem, fuel - 1);
                format!("({values} :> {})", self.show(&ty))
            }
            _ => self.mapped(size, elem, fuel),
        }
    }

    /// What the size itself suggests.
    fn by_size(&mut self, size: &Size, elem: &Ty, fuel: usize) -> Option<String> {
        if let Some(number) = size.constant()
            && number <= 5
            && number > 0
            && self.chance(25)
        {
            let items: Vec<String> = (0..number).map(|_| self.exp(elem, fuel - 1)).collect();
            return Some(format!("[{}]", items.join(", ")));
        }
        if let Some((rows, columns)) = size.parts(" * ")
            && self.chance(50)
        {
            let values = self.exp(&Ty::array(&rows, &Ty::array(&columns, elem)), fuel - 1);
            return Some(format!("(flatten {values})"));
        }
        if let Some((first, second)) = size.parts(" + ")
            && self.chance(50)
        {
            let first = self.exp(&Ty::array(&first, elem), fuel - 1);
            let second = self.exp(&Ty::array(&second, elem), fuel - 1);
            return Some(format!("({first} ++ {second})"));
        }
        if let Ty::Array(inner, item) = elem
            && self.chance(25)
        {
            if self.chance(60) {
                let values = self.exp(&Ty::array(inner, &Ty::array(size, item)), fuel - 1);
                return Some(format!("(transpose {values})"));
            }
            let plain = |size: &Size| !size.0.contains(' ') && size.constant().is_none();
            if plain(size) && plain(inner) {
                let product = Size::new(format!("{} * {}", size.0, inner.0));
                let values = self.exp(&Ty::array(&product, item), fuel - 1);
                let shown = self.show(&Ty::array(size, elem));
                return Some(format!("((unflatten {values}) : {shown})"));
            }
        }
        None
    }

    /// A map over one to three arrays.
    fn mapped(&mut self, size: &Size, elem: &Ty, fuel: usize) -> String {
        let count = 1 + usize::from(self.chance(40)) + usize::from(self.chance(15));
        let mut items = Vec::new();
        let mut arrays = Vec::new();
        for _ in 0..count {
            let known: Vec<(String, Ty)> = self
                .vars
                .iter()
                .filter(|var| var.alive)
                .filter_map(|var| match &var.ty {
                    Ty::Array(other, item) if other == size => {
                        Some((var.name.clone(), (**item).clone()))
                    }
                    _ => None,
                })
                .collect();
            if !known.is_empty() && self.chance(70) {
                let (name, item) = self.one(&known);
                items.push(item);
                arrays.push(name);
            } else {
                let item = if self.chance(85) { self.plain_ty(1) } else { self.value_ty() };
                arrays.push(self.exp(&Ty::array(size, &item), fuel - 1));
                items.push(item);
            }
        }
        let function = self.nested(|this| this.function(&items, elem, fuel - 1));
        let attribute = if self.chance(4) { "#[sequential] " } else { "" };
        match (&arrays[..], self.rng.below(4)) {
            ([array], 0) => format!("({array} |> {attribute}map {function})"),
            ([array], _) => format!("({attribute}map {function} {array})"),
            (_, _) => format!("({attribute}map{count} {function} {})", arrays.join(" ")),
        }
    }

    /// A function of a counter, which may be a size inside.
    fn over_counter(&mut self, elem: &Ty, fuel: usize) -> String {
        let mark = self.mark();
        let name = self.name("ix");
        self.bind(&name, &Ty::I64, "");
        self.sizes.push(name.clone());
        let body = self.nested(|this| this.exp(elem, fuel - 1));
        self.release(mark);
        if elem.rank() > 0 {
            format!("(\\({name}: i64) : {} -> {body})", self.show(elem))
        } else {
            format!("(\\{name} -> {body})")
        }
    }

    /// An array that nobody else has.
    pub(crate) fn fresh(&mut self, size: &Size, elem: &Ty, fuel: usize) -> String {
        let ty = Ty::array(size, elem);
        match self.rng.below(4) {
            0 => {
                let value = self.leaf(elem);
                format!("(replicate {} {value})", size.atom())
            }
            1 if elem.is_plain() => {
                let function = self.over_counter(elem, fuel.max(1));
                format!("(tabulate {} {function})", size.atom())
            }
            _ => format!("(copy {})", self.exp(&ty, fuel.saturating_sub(1))),
        }
    }

    /// Indices, some of which may be the same or out of bounds.
    fn indices(&mut self, count: &Size, size: &Size, fuel: usize) -> String {
        if self.chance(30) {
            return self.exp(&Ty::array(count, &Ty::I64), fuel);
        }
        let (step, start) = (self.rng.range(-3, 4), self.rng.range(-2, 3));
        let modulus = match self.rng.below(3) {
            0 => String::new(),
            1 => format!(" % ({} + 1)", size.value()),
            _ => " % 4".to_owned(),
        };
        format!("(map (\\j -> (j * ({step}) + ({start})){modulus}) (iota {}))", count.atom())
    }

    fn scattered(&mut self, size: &Size, elem: &Ty, fuel: usize) -> String {
        let dest = self.fresh(size, elem, fuel - 1);
        let count = self.size();
        let is = self.indices(&count, size, fuel - 1);
        let name = self.name("is");
        let mark = self.mark();
        self.bind(&name, &Ty::array(&count, &Ty::I64), "");
        // Equal indices have equal values, so that it does not matter which is the last.
        let at = self.name("j");
        self.bind(&at, &Ty::I64, "");
        let value = self.nested(|this| this.exp(elem, fuel - 1));
        self.release(mark);
        let annotation =
            if elem.rank() > 0 { format!(" : {}", self.show(elem)) } else { String::new() };
        format!(
            "(let {name}: [{}]i64 = {is} in scatter {dest} {name} (map (\\({at}: i64){annotation} -> {value}) {name}))",
            count.0
        )
    }

    fn histogram(&mut self, size: &Size, elem: &Ty, fuel: usize) -> String {
        let Some(op) = self.operator(elem).filter(|op| op.commutes) else {
            return self.mapped(size, elem, fuel);
        };
        let count = self.size();
        let is = self.indices(&count, size, fuel - 1);
        let values = self.exp(&Ty::array(&count, elem), fuel - 1);
        if self.chance(30) {
            return format!("(hist {} {} {} {is} {values})", op.text, op.neutral, size.atom());
        }
        let dest = self.fresh(size, elem, fuel - 1);
        format!("(reduce_by_index {dest} {} {} {is} {values})", op.text, op.neutral)
    }

    /// An array with another element or another slice.
    fn updated(&mut self, size: &Size, elem: &Ty, fuel: usize) -> String {
        let dest = self.fresh(size, elem, fuel - 1);
        if let Some(number) = size.constant()
            && number >= 2
            && self.chance(40)
        {
            let from = self.rng.below(number as usize - 1);
            let items = self.exp(&Ty::array(&Size::new("2"), elem), fuel - 1);
            let slice = if self.chance(60) {
                format!("{from}:{}", from + 2)
            } else if from > 0 {
                format!("{}:{}:-1", from + 1, from - 1)
            } else {
                "1::-1".to_owned()
            };
            return format!("({dest} with [{slice}] = {items})");
        }
        let value = self.exp(elem, fuel - 1);
        match self.index(size) {
            (None, index) => format!("({dest} with [{index}] = {value})"),
            (Some(condition), index) => {
                let name = self.name("up");
                format!(
                    "(let {name} = {dest} in if {condition} then {name} with [{index}] = {value} else {name})"
                )
            }
        }
    }

    /// A loop that updates an array, reading it.
    fn in_place_loop(&mut self, size: &Size, elem: &Ty, fuel: usize) -> String {
        let dest = self.fresh(size, elem, fuel - 1);
        let ty = Ty::array(size, elem);
        let (acc, counter, value) = (self.name("acc"), self.name("ix"), self.name("v"));
        let mark = self.mark();
        self.bind(&acc, &ty, "");
        self.bind(&counter, &Ty::I64, "");
        self.sizes.push(counter.clone());
        let new = self.nested(|this| this.exp(elem, fuel - 1));
        let (condition, index) = self.index(size);
        self.release(mark);
        let copy = if elem.is_plain() { "" } else { "copy " };
        let update = format!("{acc} with [{index}] = {value}");
        let update = match condition {
            None => update,
            Some(condition) => format!("if {condition} then {update} else {acc}"),
        };
        let (bound, shown) = (self.size().value(), self.show(&ty));
        format!(
            "(loop ({acc}: *{shown}) = {dest} for {counter} < {bound} do let {value} = {copy}{new} in {update})"
        )
    }

    /// Arrays of tuples from tuples of arrays, and the other way around.
    fn zipped(&mut self, size: &Size, elem: &Ty, fuel: usize) -> String {
        if let Ty::Tuple(parts) = elem
            && parts.len() <= 3
        {
            let arrays: Vec<String> =
                parts.iter().map(|ty| self.exp(&Ty::array(size, ty), fuel - 1)).collect();
            let name = if parts.len() == 2 { "zip" } else { "zip3" };
            return format!("({name} {})", arrays.join(" "));
        }
        let other = self.plain_ty(1);
        let (pair, at) = if self.chance(50) {
            (vec![elem.clone(), other], 0)
        } else {
            (vec![other, elem.clone()], 1)
        };
        let pairs = self.exp(&Ty::array(size, &Ty::Tuple(pair)), fuel - 1);
        format!("((unzip {pairs}).{at})")
    }

    /// A column or a row of a larger array.
    fn column(&mut self, size: &Size, elem: &Ty, fuel: usize) -> String {
        let ty = Ty::array(size, elem);
        let other = self.size();
        let whole = Ty::array(size, &Ty::array(&other, elem));
        let values = self.exp(&whole, fuel - 1);
        let shown = self.show(&ty);
        let name = self.name("c");
        match self.index(&other) {
            (None, index) => format!("(let {name} = {values} in {name}[:, {index}] :> {shown})"),
            (Some(condition), index) => {
                let rest = self.leaf(&ty);
                format!(
                    "(let {name} = {values} in if {condition} then {name}[:, {index}] :> {shown} else {rest})"
                )
            }
        }
    }

    /// An array of any elements and of any size.
    pub(crate) fn any_array(&mut self, fuel: usize) -> Any {
        let elem = if self.chance(50) { self.summable() } else { self.plain_ty(1) };
        let text = self.some_array(&elem, fuel);
        Any { text, elem }
    }

    /// An array of any size.
    pub(crate) fn some_array(&mut self, elem: &Ty, fuel: usize) -> String {
        if fuel == 0 || !self.afford(60) || self.nest > 3 {
            let size = self.size();
            return self.exp(&Ty::array(&size, elem), 0);
        }
        let size = self.size();
        let ty = Ty::array(&size, elem);
        match self.rng.below(16) {
            0..3 => self.exp(&ty, fuel),
            3 | 4 => {
                let array = self.some_array(elem, fuel - 1);
                let test = self
                    .nested(|this| this.function(std::slice::from_ref(elem), &Ty::BOOL, fuel - 1));
                match self.rng.below(3) {
                    0 => format!("((partition {test} {array}).{})", self.rng.below(2)),
                    _ => format!("(filter {test} {array})"),
                }
            }
            5..7 => {
                let array = self.exp(&ty, fuel - 1);
                let slice = self.slice(&size);
                format!("({array})[{slice}]")
            }
            7 => {
                let (first, second) =
                    (self.some_array(elem, fuel - 1), self.some_array(elem, fuel - 1));
                format!("({first} ++ {second})")
            }
            8 => {
                let count = self.exp(&Ty::I64, fuel - 1);
                let function = self.over_counter(elem, fuel);
                let least = if self.config.failing && self.chance(20) { " - 1" } else { "" };
                format!("(tabulate ({count} % 6{least}) {function})")
            }
            9 => {
                let function = self.nested(|this| this.function(&[Ty::I64], elem, fuel - 1));
                let range = self.range();
                format!("(map {function} ({range}))")
            }
            10 | 11 => self.growing(elem, fuel),
            12 => {
                let inner = self.size();
                let values = self.exp(&Ty::array(&size, &Ty::array(&inner, elem)), fuel - 1);
                format!("(flatten {values})")
            }
            13 => match self.operator(elem) {
                Some(op) => {
                    let array = self.some_array(elem, fuel - 1);
                    format!("(scan {} {} {array})", op.text, op.neutral)
                }
                None => self.exp(&ty, fuel),
            },
            _ => {
                let mut candidates = Vec::new();
                for fun in self.funs.iter().filter(|f| f.alive && f.exists && self.afford(f.cost)) {
                    let mut found = Bindings::default();
                    if let Ty::Array(_, result) = &fun.result
                        && result.matches(elem, (&fun.types, &fun.sizes), &mut found)
                    {
                        candidates.push((fun.clone(), found));
                    }
                }
                if candidates.is_empty() {
                    return self.exp(&ty, fuel);
                }
                let (fun, found): (Fun, Bindings) = self.one(&candidates);
                self.apply(&fun, found, fuel)
            }
        }
    }

    /// A slice of an array, within its bounds unless it may fail.
    fn slice(&mut self, size: &Size) -> String {
        let n = size.value();
        if self.config.failing && self.chance(20) {
            let (a, b) = (self.rng.range(-1, 5), self.rng.range(-1, 5));
            return self.one(&[
                format!("({a}):({b})"),
                format!("({a}):{n}"),
                format!("({b}):({a}):-1"),
                format!("{n}::-1"),
            ]);
        }
        let step = 1 + self.rng.below(3);
        self.one(&[
            ":".to_owned(),
            format!(":{n} / 2"),
            format!("{n} / 3:"),
            format!("{n} / 3:{n} - {n} / 4"),
            format!("::{step}"),
            format!("::-{step}"),
            format!("{n} / 2::{step}"),
            format!("{n} / 3:{n} - {n} / 4:{step}"),
        ])
    }

    fn range(&mut self) -> String {
        let (a, b) = (self.rng.range(-3, 6), self.rng.below(6) as i64);
        let step = 1 + self.rng.below(3) as i64;
        let number = |value: i64| format!("({value}i64)");
        let (low, high) = (number(a), number(a + b));
        self.one(&[
            format!("{low}..<{high}"),
            format!("{low}...{high}"),
            format!("{high}..>{low}"),
            format!("{low}..{}..<{high}", number(a + step)),
            format!("{high}..{}...{low}", number(a + b - step)),
        ])
    }

    /// A loop in which the size of an array changes.
    fn growing(&mut self, elem: &Ty, fuel: usize) -> String {
        let init = self.some_array(elem, fuel - 1);
        let (size, acc, counter) = (self.name("n"), self.name("acc"), self.name("ix"));
        let mark = self.mark();
        self.bind(&size, &Ty::I64, "");
        self.sizes.push(size.clone());
        self.bind(&counter, &Ty::I64, "");
        let ty = Ty::array(&Size::new(size.clone()), elem);
        self.bind(&acc, &ty, "");
        let body = self.nested(|this| match this.rng.below(4) {
            0 => {
                let item = this.exp(elem, fuel - 1);
                format!("{acc} ++ [{item}]")
            }
            1 => {
                let test = this
                    .nested(|this| this.function(std::slice::from_ref(elem), &Ty::BOOL, fuel - 1));
                format!("filter {test} {acc}")
            }
            2 => format!("{acc}[{size} / 2:]"),
            _ => {
                let value = this.exp(&ty, fuel - 1);
                let item = this.exp(elem, fuel - 1);
                format!("if {counter} % 2 == 0 then {value} else {acc} ++ [{item}]")
            }
        });
        self.release(mark);
        let shown = self.show(&ty);
        let bound = 1 + self.rng.below(4);
        if self.chance(10) {
            return format!(
                "(loop [{size}] ({acc}: {shown}) = {init} for {counter} < {bound}i64 do {body})"
            );
        }
        let whole = self.name("acc");
        let anonymous = self.show_anonymous(elem);
        format!(
            "(loop ({whole}: {anonymous}) = {init} for {counter} < {bound}i64 do \
             let [{size}] ({acc}: {shown}) = {whole} in {body})"
        )
    }

    /// A reduction to a value of this type, or an element if there is no operator.
    pub(crate) fn reduced(&mut self, ty: &Ty, fuel: usize) -> String {
        let Some(op) = self.operator(ty) else { return self.leaf(ty) };
        let array = self.some_array(ty, fuel - 1);
        let name = if op.commutes && self.chance(30) { "reduce_comm" } else { "reduce" };
        format!("({name} {} {} {array})", op.text, op.neutral)
    }
}
