//! Random chains of views, copies and updates mean the same after simplification.
//!
//! The programs of `random.rs` contain everything, and so rarely a slice of a slice of something transposed. These
//! consist of nothing else. All sizes are constants; positions are, or are made of an argument.

use fehu_base::{IdVec, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::{Atom, BinOp, Dim, Exp, Fun, Param, Prog, Scalar, Stage, Type, Var, VarInfo};
use fehu_irgen::rng::Rng;
use fehu_irtest::oracle::Oracle;
use fehu_irtest::passes::examine;
use fehu_irtest::reduce::reduce;
use fehu_opt::SIMPLIFY;

/// The most elements of an array.
const MAX_ELEMENTS: i64 = 150;

#[test]
fn simplification_keeps_what_random_views_mean() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (first, count) = (number("FEHU_RANDOM_SEED", 0), number("FEHU_RANDOM_PROGRAMS", 300));
    for seed in first..first + count {
        let prog = random_views(seed);
        let oracle = Oracle { seed, ..Oracle::default() };
        let kind = match examine(&prog, &[SIMPLIFY], &oracle) {
            Ok(runs) => {
                assert_ne!(runs.succeeded, 0, "seed {seed}: nothing was run\n{prog}");
                continue;
            }
            Err(failure) => failure.kind(),
        };
        let fails = |prog: &Prog| match examine(prog, &[SIMPLIFY], &oracle) {
            Ok(_) => None,
            Err(failure) => (failure.kind() == kind).then_some(failure),
        };
        let small = reduce(&prog, 3000, &mut |prog| fails(prog).is_some());
        let what = fails(&small).map(|failure| failure.to_string()).unwrap_or_default();
        panic!("seed {seed}:\n-- pass simplify\n{small}\n{what}");
    }
}

struct Gen<'a, 'b> {
    b: &'a mut Builder<'b>,
    rng: &'a mut Rng,
    /// The arrays that may be used.
    arrays: Vec<Var>,
    /// Any number.
    any: Var,
}

fn random_views(seed: u64) -> Prog {
    let mut rng = Rng::new(seed);
    let mut vars: IdVec<Var, VarInfo> = IdVec::new();
    let mut b = Builder::new(&mut vars);
    let any = b.param("any", Type::I64);
    let shapes = [&[4, 3, 2][..], &[6, 4], &[12], &[1, 5]];
    let shape = shapes[rng.range(0, 3) as usize];
    let xs = b.param("xs", array_type(shape));
    let arrays = vec![xs];
    let mut g = Gen { b: &mut b, rng: &mut rng, arrays, any };
    for _ in 0..g.rng.range(2, 9) {
        g.step();
    }
    let mut results: Vec<Atom> = (0..4).map(|_| g.read()).collect();
    results.push(g.read_in_loop());
    let last = g.array();
    results.push(g.b.exp("last", Exp::Copy(last)).into());
    let types: Vec<Type> = results.iter().map(|atom| b.atom_ty(*atom)).collect();
    let body = b.finish(results);
    let results = types.into_iter().map(|ty| vars.push(VarInfo { hint: "r".into(), ty })).collect();
    let param = |var| Param { var, consumed: false };
    let params = vec![param(any), param(xs)];
    let (attrs, foreign) = (Vec::new(), None);
    let fun = Fun { name: "f".into(), vars, params, results, body, attrs, foreign };
    let mut funs = IdVec::new();
    funs.push(fun);
    Prog { stage: Stage::Arrays, consts: IdVec::new(), funs, entries: Vec::new() }
}

fn array_type(shape: &[i64]) -> Type {
    Type::array(Prim::I32.into(), sizes(shape))
}

fn sizes(shape: &[i64]) -> Vec<Atom> {
    shape.iter().map(|size| Atom::i64(*size)).collect()
}

fn number(value: i64) -> Atom {
    Atom::Const(Scalar::I32(value as i32))
}

impl Gen<'_, '_> {
    fn array(&mut self) -> Var {
        // Rather a late one, so that chains become long.
        let back = self.rng.range(0, 3).min(self.rng.range(0, 3)) as usize;
        self.arrays[self.arrays.len().saturating_sub(1 + back)]
    }

    fn shape(&self, array: Var) -> Vec<i64> {
        let size = |atom: &Atom| match atom {
            Atom::Const(Scalar::I64(size)) => *size,
            _ => panic!("all sizes are constants"),
        };
        self.b.ty(array).shape().iter().map(size).collect()
    }

    fn add(&mut self, exp: Exp) {
        let var = self.b.exp("v", exp);
        let elements: i64 = self.shape(var).iter().product();
        if (1..=MAX_ELEMENTS).contains(&elements) {
            self.arrays.push(var);
        }
    }

    fn step(&mut self) {
        let array = self.array();
        let shape = self.shape(array);
        match self.rng.range(0, 12) {
            0..=2 => {
                let dims = self.slices(&shape);
                self.add(Exp::Index(array, dims));
            }
            3 | 4 => {
                let mut perm: Vec<usize> = (0..shape.len()).collect();
                for at in 1..perm.len() {
                    perm.swap(at, self.rng.range(0, at as i64) as usize);
                }
                self.add(Exp::Rearrange(array, perm));
            }
            5 => {
                let shape = self.other_shape(&shape);
                self.add(Exp::Reshape(array, sizes(&shape)));
            }
            6 if shape[0] >= 4 => {
                let dims = vec![(Atom::i64(2), Atom::i64(2)), (Atom::i64(2), Atom::i64(1))];
                let offset = Atom::i64(self.rng.range(0, shape[0] - 4));
                self.add(Exp::FlatIndex(array, offset, dims));
            }
            6 => {
                let (start, len) = (self.rng.range(0, 5), self.rng.range(1, 9));
                let step = self.rng.range(-3, 3);
                let (start, step) = (number(start), number(step));
                self.add(Exp::Iota(Prim::I32, Atom::i64(len), start, step));
            }
            7 => self.add(Exp::Copy(array)),
            8 => self.add(Exp::Manifest(array)),
            9 => self.add(Exp::Replicate(sizes(&[2]), array.into())),
            10 => self.concat(array, &shape),
            11 => {
                let value = self.read();
                self.add(Exp::Array(Prim::I32.into(), vec![value, number(7), value]));
            }
            _ => self.change(array, &shape),
        }
    }

    fn concat(&mut self, array: Var, shape: &[i64]) {
        let (before, after) = (self.rng.range(0, shape[0]), self.rng.range(0, shape[0]));
        let part = |start: i64, len: i64| Dim::Slice {
            start: Atom::i64(start),
            len: Atom::i64(len),
            stride: Atom::i64(1),
        };
        let (first, second) = (part(0, before), part(after, shape[0] - after));
        let first = self.b.exp("first", Exp::Index(array, vec![first]));
        let second = self.b.exp("second", Exp::Index(array, vec![second]));
        let total = Atom::i64(before + shape[0] - after);
        self.add(Exp::Concat(total, vec![first, second]));
    }

    /// Makes something of an array that changes then.
    fn change(&mut self, array: Var, shape: &[i64]) {
        let own = self.b.exp("own", Exp::Copy(array));
        match self.rng.range(0, 4) {
            0 => self.add(Exp::Copy(own)),
            1 => self.add(Exp::Replicate(sizes(&[2]), own.into())),
            2 => self.add(Exp::Concat(Atom::i64(2 * shape[0]), vec![own, own])),
            3 => self.add(Exp::Array(Prim::I32.into(), vec![array.into(), own.into()])),
            _ => {}
        }
        let dims: Vec<Dim> = shape.iter().map(|size| Dim::Fix(self.position(*size))).collect();
        let value = self.read();
        let once = self.b.exp("once", Exp::Update(own, dims.clone(), value));
        if self.rng.chance(50) {
            self.arrays.push(once);
        } else {
            let value = self.read();
            self.add(Exp::Update(once, dims, value));
        }
    }

    fn position(&mut self, size: i64) -> Atom {
        if self.rng.chance(60) {
            return Atom::i64(self.rng.range(0, size - 1));
        }
        // The greatest power of two up to the size, less one.
        let mask = (1 << (63 - size.leading_zeros())) - 1;
        let exp = Exp::BinOp(BinOp::And, self.any.into(), Atom::i64(mask));
        self.b.exp("at", exp).into()
    }

    /// Some dimensions of an index; one dimension at least is left.
    fn slices(&mut self, shape: &[i64]) -> Vec<Dim> {
        let mut left = shape.len();
        let count = self.rng.range(1, shape.len() as i64) as usize;
        let mut dims = Vec::new();
        for size in &shape[..count] {
            if left > 1 && self.rng.chance(40) {
                left -= 1;
                dims.push(Dim::Fix(self.position(*size)));
                continue;
            }
            let stride = [1, 1, 2, -1, -2][self.rng.range(0, 4) as usize];
            let start =
                if self.rng.chance(40) && stride > 0 { 0 } else { self.rng.range(0, size - 1) };
            let room = if stride > 0 { (size - 1 - start) / stride } else { start / -stride };
            let len = if self.rng.chance(50) { room + 1 } else { self.rng.range(1, room + 1) };
            let [start, len, stride] = [start, len, stride].map(Atom::i64);
            dims.push(Dim::Slice { start, len, stride });
        }
        dims
    }

    fn other_shape(&mut self, shape: &[i64]) -> Vec<i64> {
        let mut shape = shape.to_vec();
        let at = self.rng.range(0, shape.len() as i64 - 1) as usize;
        match self.rng.range(0, 3) {
            0 => vec![shape.iter().product()],
            1 if at + 1 < shape.len() => {
                let inner = shape.remove(at + 1);
                shape[at] *= inner;
                shape
            }
            2 if shape[at] % 2 == 0 => {
                shape[at] /= 2;
                shape.insert(at + 1, 2);
                shape
            }
            _ => {
                shape.insert(at, 1);
                shape
            }
        }
    }

    fn read(&mut self) -> Atom {
        let array = self.array();
        let dims = self.shape(array).iter().map(|size| Dim::Fix(self.position(*size))).collect();
        self.b.exp("e", Exp::Index(array, dims)).into()
    }

    /// The elements of a row, in a loop with a counter that is known to be less than the size.
    fn read_in_loop(&mut self) -> Atom {
        let array = self.array();
        let shape = self.shape(array);
        let rest: Vec<Dim> = shape[1..].iter().map(|size| Dim::Fix(self.position(*size))).collect();
        let sum = self.b.param("sum", Type::prim(Prim::I32));
        let at = self.b.param("at", Type::I64);
        let body = self.b.body(|b| {
            let mut dims = vec![Dim::Fix(at.into())];
            dims.extend(rest);
            let e = b.exp("e", Exp::Index(array, dims));
            let times = b.exp("times", Exp::BinOp(BinOp::Mul, sum.into(), number(31)));
            vec![b.exp("next", Exp::BinOp(BinOp::Add, times.into(), e.into())).into()]
        });
        let params = vec![fehu_ir::LoopParam { var: sum, init: number(1) }];
        let form = fehu_ir::LoopForm::For(at, Atom::i64(shape[0]));
        let exp = Exp::Loop(params, form, Box::new(body));
        self.b.typed("all", Type::prim(Prim::I32), exp).into()
    }
}
