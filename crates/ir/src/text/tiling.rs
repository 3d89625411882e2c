//! The text form of tiles.

use super::cursor::{Lists, Parsed};
use super::parse::Parser;
use super::print::Printer;
use crate::{
    Atom, Axis, BinOp, Border, Distance, FoldTiling, Guard, Origin, Tiling, Window, WindowRead,
    WindowTiling,
};

impl Printer<'_> {
    pub(super) fn tiling(&mut self, tiling: &Tiling) {
        match tiling {
            Tiling::Fold(FoldTiling { dims, loops, reads }) => {
                self.put("tile ");
                self.numbers(dims);
                if *loops > 0 {
                    self.put(&format!(" in {loops}"));
                }
                self.put(" ");
                self.parens(reads, |p, read| p.numbers(read));
            }
            Tiling::Windows(WindowTiling { lengths, windows }) => {
                self.put("window ");
                self.numbers(lengths);
                self.put(" ");
                self.parens(windows, Self::window);
            }
        }
        self.put(" ");
    }

    fn numbers<T: ToString>(&mut self, numbers: &[T]) {
        self.put("[");
        self.list(numbers, |p, number| p.put(&number.to_string()));
        self.put("]");
    }

    fn window(&mut self, window: &Window) {
        self.var(window.array);
        self.put("[");
        self.list(&window.axes, Self::axis);
        self.put("]");
        if let Some(outside) = window.outside {
            self.put(" else ");
            self.atom(Atom::Const(outside));
        }
        for WindowRead { element, at } in &window.reads {
            self.put(" ");
            self.var(*element);
            self.put(" at ");
            self.atoms(at);
        }
        if let Some(room) = window.room {
            self.put(&format!(" room {room}"));
        }
        for Guard { cond, holds } in &window.guards {
            self.put(if *holds { " if " } else { " if not " });
            self.var(*cond);
        }
    }

    fn axis(&mut self, axis: &Axis) {
        match axis.from {
            Origin::Position(dim) => self.put(&format!("near {dim}")),
            Origin::Everywhere(atom) => {
                self.put("from ");
                self.atom(atom);
            }
        }
        for distance in [&axis.low, &axis.high] {
            self.put(" ");
            self.distance(distance);
        }
        self.put(" ");
        self.parens(&axis.border, |p, border| match *border {
            Border::Op(op, atom) => {
                p.put(op.name());
                p.put(" ");
                p.atom(atom);
            }
            Border::Convert(prim) => p.put(&format!("convert {}", prim.name())),
        });
    }
}

impl Printer<'_> {
    /// A constant, or `[2, -1 x]`.
    fn distance(&mut self, distance: &Distance) {
        let constant = distance.plus.to_string();
        if distance.terms.is_empty() {
            return self.put(&constant);
        }
        self.put(&format!("[{constant}"));
        for (count, atom) in &distance.terms {
            self.put(&format!(", {count} "));
            self.atom(*atom);
        }
        self.put("]");
    }
}

impl Parser<'_> {
    pub(super) fn tiling(&mut self) -> Parsed<Option<Tiling>> {
        if self.eat_word("tile") {
            let dims = self.numbers()?;
            let loops = if self.eat_word("in") { self.count()? } else { 0 };
            let reads = self.parens("dimensions", Self::numbers)?;
            return Ok(Some(Tiling::Fold(FoldTiling { dims, loops, reads })));
        }
        if self.eat_word("window") {
            self.sign("[")?;
            let lengths = self.list("]", "a number", |p| p.small("a number"))?;
            let windows = self.parens("an array", Self::window)?;
            return Ok(Some(Tiling::Windows(WindowTiling { lengths, windows })));
        }
        Ok(None)
    }

    fn numbers(&mut self) -> Parsed<Vec<usize>> {
        self.sign("[")?;
        self.list("]", "a number", |p| p.count())
    }

    fn window(&mut self) -> Parsed<Window> {
        let array = self.var()?;
        self.sign("[")?;
        let axes = self.list("]", "where elements are", Self::axis)?;
        let outside = match self.eat_word("else").then(|| self.atom()).transpose()? {
            None => None,
            Some(Atom::Const(outside)) => Some(outside),
            Some(Atom::Var(_)) => {
                return Err(self.error_before("a constant stands for what is outside".to_owned()));
            }
        };
        let (mut reads, mut guards, mut room) = (Vec::new(), Vec::new(), None);
        while !self.peek_sign(")") && !self.peek_sign(",") {
            if self.eat_word("room") {
                room = Some(self.small("a number of elements")?);
                continue;
            }
            if self.eat_word("if") {
                let holds = !self.eat_word("not");
                guards.push(Guard { cond: self.var()?, holds });
                continue;
            }
            let element = self.var()?;
            self.word("at")?;
            reads.push(WindowRead { element, at: self.atoms()? });
        }
        Ok(Window { array, axes, outside, reads, room, guards })
    }

    fn distance(&mut self) -> Parsed<Distance> {
        if !self.eat("[") {
            return Ok(self.integer("a distance")?.into());
        }
        let mut distance = Distance::from(self.integer("a distance")?);
        while self.eat(",") {
            let count = self.integer("how often")?;
            distance.terms.push((count, self.atom()?));
        }
        self.sign("]")?;
        Ok(distance)
    }

    fn axis(&mut self) -> Parsed<Axis> {
        let from = if self.eat_word("near") {
            Origin::Position(self.count()?)
        } else {
            self.word("from")?;
            Origin::Everywhere(self.atom()?)
        };
        let (low, high) = (self.distance()?, self.distance()?);
        let border = self.parens("an operation", |p| {
            if p.eat_word("convert") {
                return Ok(Border::Convert(p.prim()?));
            }
            let word = p.any_word("an operation")?;
            let Some(op) = BinOp::from_name(word) else {
                return Err(p.error_before(format!("there is no operation `{word}`")));
            };
            Ok(Border::Op(op, p.atom()?))
        })?;
        Ok(Axis { from, low, high, border })
    }
}
