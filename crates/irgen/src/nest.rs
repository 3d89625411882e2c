//! Nests of maps with views of their results: transposed, flattened, sliced, and read by operators of rows, of vectors,
//! and of elements.

use crate::state::Gen;
use fehu_base::Prim;
use fehu_ir::{Atom, BinOp, Exp, Red, Scan, Screma, Type, Var};

impl Gen<'_> {
    /// A matrix that a nest or a flat map makes, a view of it, and one or two operators that read it.
    pub(crate) fn nest_chain(&mut self) {
        let prim = self.integer();
        let (n, m) = (self.size(), self.size());
        let ty = Type::Array(prim.into(), vec![n, m]);
        if !self.affordable(self.elements(&ty).saturating_mul(40)) {
            return;
        }
        let mut array = self.array_of(&ty);
        for _ in 0..1 + self.rng.below(2) {
            let made = self.producer(array, prim);
            if self.rng.chance(15) {
                self.element(made);
            }
            array = self.view_of(made);
        }
        for _ in 0..1 + self.rng.below(2) {
            match self.vars[array].ty.shape().to_vec()[..] {
                [rows, columns] => match self.rng.below(4) {
                    0 => self.row_sums(array, prim, rows, columns),
                    1 => self.vectors(array, prim, rows, columns, false),
                    2 => self.vectors(array, prim, rows, columns, true),
                    _ => array = self.producer(array, prim),
                },
                [width] => self.fold(array, prim, width),
                _ => return,
            }
        }
    }

    /// A map of the elements of a matrix, or of a vector.
    fn producer(&mut self, array: Var, prim: Prim) -> Var {
        let ty = self.vars[array].ty.clone();
        let (elem, shape) = (Type::prim(prim), ty.shape().to_vec());
        let (rows, columns) = match shape[..] {
            [rows, columns] => (rows, columns),
            [width] => return self.map_elements(&[array], &[], width, prim),
            _ => return array,
        };
        let outside = self.rng.chance(30).then(|| {
            let row = Type::Array(prim.into(), vec![columns]);
            self.array_of(&row)
        });
        let scalars = self.rng.chance(30).then(|| {
            let column = Type::Array(prim.into(), vec![rows]);
            self.array_of(&column)
        });
        let mut inputs = vec![array];
        let mut params = vec![Type::Array(prim.into(), vec![columns])];
        if let Some(scalars) = scalars {
            inputs.push(scalars);
            params.push(elem);
        }
        let ret = vec![params[0].clone()];
        let map = self.lambda(self.bound(rows), &params, ret, |g, params| {
            let mut inner = vec![params[0]];
            inner.extend(outside);
            let free: Vec<Atom> = params[1..].iter().map(|var| Atom::Var(*var)).collect();
            vec![g.map_elements(&inner, &free, columns, prim).into()]
        });
        self.operator_on(rows, inputs, map, (Vec::new(), Vec::new()), ty)
    }

    fn map_elements(&mut self, inputs: &[Var], free: &[Atom], width: Atom, prim: Prim) -> Var {
        let elem = Type::prim(prim);
        let params: Vec<Type> = inputs.iter().map(|_| elem.clone()).collect();
        let failing = self.config.failing && self.rng.chance(10);
        let map = self.lambda(self.bound(width), &params, vec![elem], |g, params| {
            if failing {
                g.assertion_about(params[0].into(), prim);
            }
            let mut value = Atom::Var(params[0]);
            let others: Vec<Atom> = params[1..].iter().map(|var| Atom::Var(*var)).collect();
            let more = g.scalar(prim);
            for other in others.iter().chain(free).chain([&more]) {
                let op = [BinOp::Add, BinOp::Mul, BinOp::Sub, BinOp::Xor][g.rng.below(4)];
                value = g.exp("e", Exp::BinOp(op, value, *other)).into();
            }
            vec![value]
        });
        let ty = Type::Array(prim.into(), vec![width]);
        self.operator_on(width, inputs.to_vec(), map, (Vec::new(), Vec::new()), ty)
    }

    /// The array, or a view of it.
    fn view_of(&mut self, array: Var) -> Var {
        let shape = self.vars[array].ty.shape().to_vec();
        let choice = self.rng.below(10);
        if choice > 0 {
            self.shared(array);
        }
        match choice {
            0 => array,
            1 | 2 => self.flatten(array),
            3 => {
                let dims = self.slice(&shape[..1]);
                self.exp("part", Exp::Index(array, dims))
            }
            _ if shape.len() == 2 => self.exp("tr", Exp::Rearrange(array, vec![1, 0])),
            _ => {
                // Two dimensions again, one of them trivial.
                let mut new = vec![Atom::i64(1), shape[0]];
                if self.rng.chance(50) {
                    new.reverse();
                }
                self.exp("wide", Exp::Reshape(array, new))
            }
        }
    }

    fn row_sums(&mut self, array: Var, prim: Prim, rows: Atom, columns: Atom) {
        let elem = Type::prim(prim);
        let row = Type::Array(prim.into(), vec![columns]);
        let (op, neutral) = self.exact_op(prim);
        let map = self.lambda(self.bound(rows), &[row], vec![elem.clone()], |g, params| {
            let (op, neutral) = g.operator(&elem, op, neutral, 0);
            let red = Red { op, neutral: vec![neutral], commutative: false };
            let one = g.lambda(1, std::slice::from_ref(&elem), vec![elem.clone()], |_, params| {
                vec![params[0].into()]
            });
            let folds = (Vec::new(), vec![red]);
            vec![g.operator_on(columns, params.to_vec(), one, folds, elem.clone()).into()]
        });
        let ty = Type::Array(prim.into(), vec![rows]);
        self.operator_on(rows, vec![array], map, (Vec::new(), Vec::new()), ty);
    }

    /// A reduction or scan whose elements are rows, sometimes read transposed.
    fn vectors(&mut self, array: Var, prim: Prim, rows: Atom, columns: Atom, scan: bool) {
        let row = Type::Array(prim.into(), vec![columns]);
        let (op, neutral) = self.exact_op(prim);
        let (op, neutral) = self.operator(&row, op, neutral, 0);
        let neutral = vec![neutral];
        let map = self.lambda(1, std::slice::from_ref(&row), vec![row.clone()], |_, params| {
            vec![params[0].into()]
        });
        if !scan {
            let red = Red { op, neutral, commutative: self.rng.chance(50) };
            self.operator_on(rows, vec![array], map, (Vec::new(), vec![red]), row);
            return;
        }
        let ty = Type::Array(prim.into(), vec![rows, columns]);
        let folds = (vec![Scan { op, neutral }], Vec::new());
        let scanned = self.operator_on(rows, vec![array], map, folds, ty);
        if self.rng.chance(50) {
            self.shared(scanned);
            let back = self.exp("tr", Exp::Rearrange(scanned, vec![1, 0]));
            self.row_sums(back, prim, columns, rows);
        }
    }

    fn fold(&mut self, array: Var, prim: Prim, width: Atom) {
        let elem = Type::prim(prim);
        let (op, neutral) = self.exact_op(prim);
        let (op, neutral) = self.operator(&elem, op, neutral, 0);
        let red = Red { op, neutral: vec![neutral], commutative: true };
        let map = self.lambda(1, std::slice::from_ref(&elem), vec![elem.clone()], |_, params| {
            vec![params[0].into()]
        });
        self.operator_on(width, vec![array], map, (Vec::new(), vec![red]), elem);
    }

    fn operator_on(
        &mut self,
        width: Atom,
        inputs: Vec<Var>,
        map: fehu_ir::Lambda,
        (scans, reds): (Vec<Scan>, Vec<Red>),
        ty: Type,
    ) -> Var {
        let screma = Screma { width, inputs, map, scans, reds };
        let var = self.typed("op", ty, Exp::Screma(Box::new(screma)));
        self.set_fresh(var);
        var
    }
}
