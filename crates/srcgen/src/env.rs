//! What a generator knows: variables and functions in scope, sizes, names of types, and how much it may still do.

use crate::Config;
use crate::ty::{Bindings, Size, Ty};
use fehu_base::Prim;
use fehu_irgen::rng::Rng;

/// How often a function of an array is assumed to run.
const WIDTH: u64 = 5;
/// Instructions, roughly, that a program may take.
const MOST: u64 = 4000;

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    /// The block in which it may be consumed, if it shares memory with nothing that is older.
    pub(crate) owner: Option<usize>,
    /// What it was defined by, to find what it may share memory with.
    pub(crate) text: String,
    /// Whether it has not been consumed.
    pub(crate) alive: bool,
}

/// A function that can be called by its name.
#[derive(Clone, Debug)]
pub(crate) struct Fun {
    pub(crate) name: String,
    pub(crate) types: Vec<String>,
    /// Sizes that are read off arguments.
    pub(crate) sizes: Vec<String>,
    pub(crate) params: Vec<Param>,
    pub(crate) result: Ty,
    /// Whether the first size of the result is found by the function.
    pub(crate) exists: bool,
    pub(crate) cost: u64,
    /// What it was defined by.
    pub(crate) text: String,
    pub(crate) alive: bool,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    pub(crate) consumed: bool,
    /// Whether it is a size, which types of later parameters and of the result mention.
    pub(crate) is_size: bool,
}

/// A name for types.
#[derive(Clone, Debug)]
pub(crate) struct Alias {
    pub(crate) name: String,
    pub(crate) types: Vec<String>,
    pub(crate) sizes: Vec<String>,
    pub(crate) body: Ty,
}

/// How long the lists were when a scope began.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    vars: usize,
    funs: usize,
    sizes: usize,
}

pub(crate) struct Gen {
    pub(crate) rng: Rng,
    pub(crate) config: Config,
    /// What the names of declarations begin with.
    pub(crate) prefix: String,
    pub(crate) vars: Vec<Var>,
    pub(crate) funs: Vec<Fun>,
    /// Variables that are small sizes.
    pub(crate) sizes: Vec<String>,
    pub(crate) aliases: Vec<Alias>,
    /// How many functions of arrays and loops are around.
    pub(crate) nest: u32,
    /// The block that is written.
    pub(crate) block: usize,
    /// What has been written so far costs.
    pub(crate) cost: u64,
    counter: usize,
    blocks: usize,
}

impl Gen {
    pub(crate) fn new(seed: u64, config: Config) -> Gen {
        let mut rng = Rng::new(seed ^ 0x5eed_0f50_u64.wrapping_mul(0x1_0000_0001));
        rng.bits();
        Gen {
            rng,
            config,
            prefix: format!("p{seed}"),
            vars: Vec::new(),
            funs: Vec::new(),
            sizes: Vec::new(),
            aliases: Vec::new(),
            nest: 0,
            block: 0,
            cost: 0,
            counter: 0,
            blocks: 0,
        }
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.rng.chance(percent)
    }

    /// One of the items.
    pub(crate) fn one<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.rng.below(items.len())].clone()
    }

    /// A new name for something local.
    pub(crate) fn name(&mut self, hint: &str) -> String {
        self.counter += 1;
        format!("{hint}{}", self.counter)
    }

    /// A new name for a declaration.
    pub(crate) fn global(&mut self, hint: &str) -> String {
        self.counter += 1;
        format!("{}_{hint}{}", self.prefix, self.counter)
    }

    /// A block that is not around any other.
    pub(crate) fn new_block(&mut self) -> usize {
        self.blocks += 1;
        self.blocks
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { vars: self.vars.len(), funs: self.funs.len(), sizes: self.sizes.len() }
    }

    /// Ends a scope.
    pub(crate) fn release(&mut self, mark: Mark) {
        self.vars.truncate(mark.vars);
        self.funs.truncate(mark.funs);
        self.sizes.truncate(mark.sizes);
    }

    /// Adds a variable that may not be consumed.
    pub(crate) fn bind(&mut self, name: &str, ty: &Ty, text: &str) {
        self.own(name, ty, text, None);
    }

    /// Adds a variable that may be consumed in a block.
    pub(crate) fn own(&mut self, name: &str, ty: &Ty, text: &str, owner: Option<usize>) {
        let (name, ty, text) = (name.to_owned(), ty.clone(), text.to_owned());
        self.vars.push(Var { name, ty, owner, text, alive: true });
    }

    /// What is inside a function of an array or a loop runs more than once.
    pub(crate) fn nested<T>(&mut self, work: impl FnOnce(&mut Gen) -> T) -> T {
        self.nest += 1;
        let result = work(self);
        self.nest -= 1;
        result
    }

    pub(crate) fn factor(&self) -> u64 {
        WIDTH.saturating_pow(self.nest)
    }

    /// Counts something that costs so much each time.
    pub(crate) fn pay(&mut self, cost: u64) {
        self.cost = self.cost.saturating_add(cost.saturating_mul(self.factor()));
    }

    /// Whether something that costs so much each time is too much.
    pub(crate) fn afford(&self, cost: u64) -> bool {
        self.cost.saturating_add(cost.saturating_mul(self.factor())) < MOST
    }

    /// A variable is consumed: neither it nor what may share memory with it is used any more.
    pub(crate) fn consume(&mut self, name: &str) {
        let mut gone = vec![name.to_owned()];
        for at in 0..self.vars.len() {
            let var = &self.vars[at];
            if var.name == name || (!var.ty.is_plain() && mentions_any(&var.text, &gone)) {
                gone.push(var.name.clone());
                self.vars[at].alive = false;
            }
        }
        for fun in &mut self.funs {
            if mentions_any(&fun.text, &gone) {
                gone.push(fun.name.clone());
                fun.alive = false;
            }
        }
        // Functions may be mentioned by variables, too.
        for var in &mut self.vars {
            if !var.ty.is_plain() && mentions_any(&var.text, &gone) {
                var.alive = false;
            }
        }
    }

    /// A size: a variable or a small number.
    pub(crate) fn size(&mut self) -> Size {
        if !self.sizes.is_empty() && self.chance(70) {
            let sizes = self.sizes.clone();
            return Size::new(self.one(&sizes));
        }
        let number = self.one(&[0, 1, 2, 2, 3, 3, 4, 5, 7]);
        Size::new(number.to_string())
    }

    /// A type as it is written.
    pub(crate) fn show(&mut self, ty: &Ty) -> String {
        if self.chance(70)
            && let Some(text) = self.alias(ty)
        {
            return text;
        }
        match ty {
            Ty::Prim(prim) => prim.name().to_owned(),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|ty| self.show(ty)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, ty)| format!("{name}: {}", self.show(ty))).collect();
                format!("{{{}}}", fields.join(", "))
            }
            Ty::Sum(ctors) => {
                let ctor = |(name, tys): &(String, Vec<Ty>)| {
                    let mut words = vec![format!("#{name}")];
                    words.extend(tys.iter().map(|ty| self.show_argument(ty)));
                    words.join(" ")
                };
                let ctors: Vec<String> = ctors.iter().map(ctor).collect();
                format!("({})", ctors.join(" | "))
            }
            Ty::Array(size, elem) => format!("[{}]{}", size.0, self.show_atom(elem)),
            Ty::Param(name) => name.clone(),
            Ty::Fun(params, result) => {
                let mut parts: Vec<String> = params.iter().map(|ty| self.show(ty)).collect();
                parts.push(self.show(result));
                format!("({})", parts.join(" -> "))
            }
        }
    }

    /// Likewise, where an application of a type needs parentheses.
    fn show_atom(&mut self, ty: &Ty) -> String {
        let text = self.show(ty);
        if text.contains(' ') && text.starts_with(char::is_alphabetic) {
            format!("({text})")
        } else {
            text
        }
    }

    /// Likewise, as an argument of a type, where the size of an array would be one, too.
    fn show_argument(&mut self, ty: &Ty) -> String {
        let text = self.show_atom(ty);
        if text.starts_with('[') { format!("({text})") } else { text }
    }

    /// The type of arrays of any size.
    pub(crate) fn show_anonymous(&mut self, elem: &Ty) -> String {
        format!("[]{}", self.show_atom(elem))
    }

    fn alias(&mut self, ty: &Ty) -> Option<String> {
        let aliases = self.aliases.clone();
        let fitting = aliases.iter().filter_map(|alias| {
            let mut found = Bindings::default();
            let fits = alias.body.matches(ty, (&alias.types, &alias.sizes), &mut found);
            (fits && found.types.len() == alias.types.len()).then_some((alias, found))
        });
        let fitting: Vec<_> = fitting.collect();
        let (alias, found) = fitting.get(self.rng.below(fitting.len()))?;
        let mut words = vec![alias.name.clone()];
        for size in &alias.sizes {
            words.push(format!("[{}]", found.size(size)?.0));
        }
        for name in &alias.types {
            let ty = found.ty(name)?.clone();
            words.push(self.show_argument(&ty));
        }
        Some(words.join(" "))
    }

    /// A primitive type; those that programs have most more often.
    pub(crate) fn prim(&mut self) -> Prim {
        if self.chance(40) {
            return self.one(&[Prim::I32, Prim::I64, Prim::F32, Prim::Bool]);
        }
        self.one(&Prim::ALL)
    }

    /// A type without arrays and functions.
    pub(crate) fn plain_ty(&mut self, depth: usize) -> Ty {
        if depth == 0 || self.chance(60) {
            return Ty::Prim(self.prim());
        }
        let inside: Vec<Ty> = self
            .aliases
            .iter()
            .filter(|alias| alias.types.is_empty() && alias.sizes.is_empty())
            .map(|alias| alias.body.clone())
            .filter(Ty::is_plain)
            .collect();
        if !inside.is_empty() && self.chance(50) {
            return self.one(&inside);
        }
        let count = 2 + self.rng.below(2);
        let mut parts = Vec::new();
        for _ in 0..count {
            parts.push(self.plain_ty(depth - 1));
        }
        match self.rng.below(5) {
            0 | 1 => Ty::Tuple(parts),
            2 => {
                let names = ["a", "b", "c"].iter().map(|name| (*name).to_owned());
                Ty::Record(names.zip(parts).collect())
            }
            3 => option(&parts[0]),
            _ => {
                let names = ["red", "green", "blue"].iter().map(|name| (*name).to_owned());
                let mut ctors: Vec<(String, Vec<Ty>)> =
                    names.zip(parts.into_iter().map(|ty| vec![ty])).collect();
                if self.chance(50) {
                    let more = self.plain_ty(0);
                    ctors[0].1.push(more);
                }
                if self.chance(30) {
                    ctors[1].1.clear();
                }
                // Sums are equal whatever the order of their constructors is; here they have one.
                ctors.sort_by(|(a, _), (b, _)| a.cmp(b));
                Ty::Sum(ctors)
            }
        }
    }

    /// A type of values, arrays included.
    pub(crate) fn value_ty(&mut self) -> Ty {
        match self.rng.below(10) {
            0..4 => self.plain_ty(1),
            4..7 => {
                let (size, elem) = (self.size(), self.plain_ty(1));
                Ty::array(&size, &elem)
            }
            7 | 8 if self.nest < 2 => {
                let (outer, inner) = (self.size(), self.size());
                let elem = Ty::Prim(self.prim());
                Ty::array(&outer, &Ty::array(&inner, &elem))
            }
            7 | 8 => Ty::Prim(self.prim()),
            _ => {
                let (size, elem) = (self.size(), Ty::Prim(self.prim()));
                let plain = self.plain_ty(0);
                let array = Ty::array(&size, &elem);
                if self.chance(50) {
                    Ty::Tuple(vec![array, plain])
                } else {
                    Ty::Record(vec![("k".to_owned(), plain), ("vs".to_owned(), array)])
                }
            }
        }
    }
}

/// A value or none.
pub(crate) fn option(ty: &Ty) -> Ty {
    Ty::Sum(vec![("none".to_owned(), Vec::new()), ("some".to_owned(), vec![ty.clone()])])
}

/// Whether a text mentions one of these names.
fn mentions_any(text: &str, names: &[String]) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    text.split(|c| !word(c)).any(|found| names.iter().any(|name| name == found))
}
