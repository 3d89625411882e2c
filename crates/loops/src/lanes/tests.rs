//! Handwritten loops are executed as they are and in lanes, by a small evaluator that stops at every access to memory
//! that does not exist. Its numbers are all `i64`, booleans are 0 and 1.

use super::lanes;
use fehu_base::IdVec;
use fehu_imp::{
    Block, Exp, Fun, Kind, Message, Prim, Program, RedOp, Stm, Tasks, Ty, V, VarInfo, visit,
};
use fehu_ir::{BinOp, CmpOp, Scalar, UnOp};
use rustc_hash::FxHashMap;

/// What an array has that nobody has written to.
const GARBAGE: i64 = 0x7e7e_7e7e_7e7e;

/// The parameters of all functions here.
const N: V = V(0);
const K: V = V(1);
const XS: V = V(2);
const OUT: V = V(3);
/// The variable of the loop.
const I: V = V(4);
/// A scalar that is reduced to.
const SUM: V = V(5);

struct Source {
    vars: IdVec<V, VarInfo>,
}

impl Source {
    fn new() -> Source {
        let mut vars = IdVec::default();
        let scalar = Ty::Scalar(Prim::I64);
        let ptr = Ty::Ptr(Prim::I64);
        for (hint, ty) in [
            ("n", scalar),
            ("k", scalar),
            ("xs", ptr),
            ("out", ptr),
            ("i", scalar),
            ("sum", scalar),
        ] {
            vars.push(VarInfo { hint: hint.into(), ty });
        }
        Source { vars }
    }

    fn int(&mut self, hint: &str) -> V {
        self.vars.push(VarInfo { hint: hint.into(), ty: Ty::Scalar(Prim::I64) })
    }

    fn truth(&mut self, hint: &str) -> V {
        self.vars.push(VarInfo { hint: hint.into(), ty: Ty::Scalar(Prim::Bool) })
    }

    /// The loop as it is, and as it becomes.
    fn program(self, reductions: Vec<(V, RedOp)>, body: Block) -> [Fun; 2] {
        let kind = Kind::Independent(reductions);
        let loop_ = Stm::For { var: I, from: Exp::int(0), to: Exp::Var(N), step: 1, kind, body };
        let fun = Fun {
            name: "f".into(),
            vars: self.vars,
            params: vec![N, K, XS, OUT],
            results: vec![SUM],
            body: vec![loop_],
        };
        let mut program = Program::default();
        program.funs.push(fun.clone());
        lanes(&mut program);
        let after = program.funs.iter().next().map(|(_, fun)| fun.clone()).expect("it has one");
        [fun, after]
    }

    /// The loop becomes something else, and does the same for all sizes.
    fn check(self, reductions: Vec<(V, RedOp)>, body: Block) -> Fun {
        let [before, after] = self.program(reductions, body);
        assert_ne!(before, after, "{after}");
        for n in [0, 1, 7, 15, 16, 17, 32, 45, 64, 100] {
            for k in [0, 3, n / 2, n] {
                let found = Machine::run(&after, n, k);
                assert_eq!(found, Machine::run(&before, n, k), "{n} {k}\n{after}");
            }
        }
        after
    }
}

struct Machine {
    scalars: FxHashMap<V, i64>,
    arrays: FxHashMap<V, Vec<i64>>,
}

impl Machine {
    /// What a function makes of `k` numbers: `n` others, and one.
    fn run(fun: &Fun, n: i64, k: i64) -> (Vec<i64>, i64) {
        let xs = (0..k).map(|i| (i * 7919 + 5) % 23).collect();
        let mut machine = Machine {
            scalars: FxHashMap::from_iter([(N, n), (K, k), (SUM, 3)]),
            arrays: FxHashMap::from_iter([
                (XS, xs),
                (OUT, (0..n).map(|i| (i * 31 + 7) % 40).collect()),
            ]),
        };
        machine.block(fun, &fun.body);
        (machine.arrays[&OUT].clone(), machine.scalars[&SUM])
    }

    fn block(&mut self, fun: &Fun, block: &Block) {
        for stm in block {
            match stm {
                Stm::Declare(v, e) => match fun.vars[*v].ty {
                    Ty::Local(_, n) => {
                        self.arrays.insert(*v, vec![GARBAGE; n as usize]);
                    }
                    _ => {
                        let value = e.as_ref().map_or(GARBAGE, |e| self.exp(e));
                        self.scalars.insert(*v, value);
                    }
                },
                Stm::Assign(v, e) => {
                    let value = self.exp(e);
                    self.scalars.insert(*v, value);
                }
                Stm::Store(p, index, e) => {
                    let (index, value) = (self.exp(index), self.exp(e));
                    let array = self.arrays.get_mut(p).expect("it is declared");
                    let index = usize::try_from(index).expect("it is not negative");
                    array[index] = value;
                }
                Stm::If(cond, yes, no) => {
                    let side = if self.exp(cond) != 0 { yes } else { no };
                    self.block(fun, side);
                }
                Stm::While(cond, body) => {
                    while self.exp(cond) != 0 {
                        self.block(fun, body);
                    }
                }
                Stm::For { var, from, to, step, body, .. } => {
                    let (mut i, to) = (self.exp(from), self.exp(to));
                    while i < to {
                        self.scalars.insert(*var, i);
                        self.block(fun, body);
                        i += step;
                    }
                }
                other => panic!("not expected: {other:?}"),
            }
        }
    }

    fn exp(&self, e: &Exp) -> i64 {
        match e {
            Exp::Const(Scalar::I32(value)) => i64::from(*value),
            Exp::Const(value) => value.bits().cast_signed(),
            Exp::Var(v) => self.scalars[v],
            Exp::Un(UnOp::Not, Prim::Bool, a) => i64::from(self.exp(a) == 0),
            Exp::Bin(op, _, a, b) => {
                let a = self.exp(a);
                match op {
                    BinOp::And if a == 0 => 0,
                    BinOp::And => a & self.exp(b),
                    BinOp::Or => a | self.exp(b),
                    BinOp::Add => a.wrapping_add(self.exp(b)),
                    BinOp::Sub => a.wrapping_sub(self.exp(b)),
                    BinOp::Mul => a.wrapping_mul(self.exp(b)),
                    BinOp::Min => a.min(self.exp(b)),
                    BinOp::Max => a.max(self.exp(b)),
                    other => panic!("not expected: {other:?}"),
                }
            }
            Exp::Cmp(op, _, a, b) => {
                let (a, b) = (self.exp(a), self.exp(b));
                i64::from(match op {
                    CmpOp::Eq => a == b,
                    CmpOp::Lt => a < b,
                    CmpOp::Le => a <= b,
                })
            }
            Exp::Convert(_, _, a) => self.exp(a),
            Exp::Index(terms) => terms.iter().fold(0, |sum: i64, (factor, vars)| {
                let product = vars.iter().try_fold(*factor, |p, v| p.checked_mul(self.scalars[v]));
                sum.checked_add(product.expect("it is in range")).expect("it is in range")
            }),
            Exp::Load(p, index) => {
                let index = usize::try_from(self.exp(index)).expect("it is not negative");
                self.arrays[p][index]
            }
            Exp::Select(parts) => {
                let [cond, yes, no] = &**parts;
                self.exp(if self.exp(cond) != 0 { yes } else { no })
            }
            other => panic!("not expected: {other:?}"),
        }
    }
}

fn var(v: V) -> Exp {
    Exp::Var(v)
}

fn bin(op: BinOp, a: Exp, b: Exp) -> Exp {
    Exp::Bin(op, Prim::I64, Box::new(a), Box::new(b))
}

fn add(a: Exp, b: Exp) -> Exp {
    bin(BinOp::Add, a, b)
}

fn less(a: Exp, b: Exp) -> Exp {
    Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(a), Box::new(b))
}

fn load(p: V, index: Exp) -> Exp {
    Exp::Load(p, Box::new(index))
}

fn for_(var: V, to: Exp, body: Block) -> Stm {
    Stm::For { var, from: Exp::int(0), to, step: 1, kind: Kind::Sequential, body }
}

/// `x = out[i]; go = x < 100; while (go) { inside; x = x + x + 1; go = x < 100 }; out[i] = x`
fn doubling(source: &mut Source, inside: impl FnOnce(&mut Source, V) -> Block) -> Block {
    let (x, next) = (source.int("x"), source.int("next"));
    let go = source.truth("go");
    let mut body = inside(source, x);
    body.extend([
        Stm::Declare(next, Some(add(var(x), add(var(x), Exp::int(1))))),
        Stm::Assign(go, less(var(next), Exp::int(100))),
        Stm::Assign(x, var(next)),
    ]);
    vec![
        Stm::Declare(x, Some(load(OUT, var(I)))),
        Stm::Declare(go, Some(less(var(x), Exp::int(100)))),
        Stm::While(var(go), body),
        Stm::Store(OUT, var(I), var(x)),
    ]
}

/// How many loops over lanes there are in a `while` loop of a function.
fn lane_loops_in_while(fun: &Fun) -> Vec<usize> {
    let mut counts = Vec::new();
    visit::each_stm(&fun.body, &mut |stm| {
        if let Stm::While(cond, body) = stm
            && matches!(cond, Exp::Un(UnOp::Not, ..))
        {
            counts.push(body.iter().filter(|stm| matches!(stm, Stm::For { .. })).count());
        }
    });
    counts
}

#[test]
fn a_while_loop_is_one_loop_over_lanes() {
    let mut source = Source::new();
    let body = doubling(&mut source, |_, _| Block::new());
    let after = source.check(Vec::new(), body);
    assert_eq!(lane_loops_in_while(&after), [1], "{after}");
    // The condition's own variable needs no array: the mask says it all.
    assert_eq!(lane_arrays(&after), 2, "{after}");
}

fn lane_arrays(fun: &Fun) -> usize {
    let mut count = 0;
    visit::each_stm(&fun.body, &mut |stm| {
        count += usize::from(
            matches!(stm, Stm::Declare(v, _) if matches!(fun.vars[*v].ty, Ty::Local(..))),
        );
    });
    count
}

#[test]
fn branches_select_and_guard_what_they_read() {
    let mut source = Source::new();
    let body = doubling(&mut source, |source, x| {
        let (y, z) = (source.int("y"), source.int("z"));
        vec![
            Stm::Declare(y, None),
            Stm::If(
                less(var(I), var(K)),
                vec![Stm::Declare(z, Some(load(XS, var(I)))), Stm::Assign(y, add(var(z), var(x)))],
                vec![Stm::Assign(y, var(x))],
            ),
            Stm::Assign(x, var(y)),
        ]
    });
    let after = source.check(Vec::new(), body);
    assert_eq!(lane_loops_in_while(&after), [1], "{after}");
}

#[test]
fn stores_happen_in_the_lanes_that_are_on() {
    let mut source = Source::new();
    let body = doubling(&mut source, |_, x| {
        let store = Stm::Store(OUT, var(I), add(var(x), Exp::int(1)));
        vec![
            Stm::If(less(var(x), Exp::int(50)), vec![store], vec![Stm::Store(OUT, var(I), var(x))]),
            Stm::Assign(x, load(OUT, var(I))),
        ]
    });
    source.check(Vec::new(), body);
}

#[test]
fn loops_have_their_own_ends() {
    let mut source = Source::new();
    let (x, a, j, l) = (source.int("x"), source.int("a"), source.int("j"), source.int("l"));
    // The inner one ends where the outer one says, but for half of the lanes.
    let inner = for_(l, var(j), vec![Stm::Assign(a, add(var(a), bin(BinOp::Mul, var(l), var(x))))]);
    let odd = less(bin(BinOp::And, var(x), Exp::int(1)), Exp::int(1));
    let outer = for_(
        j,
        bin(BinOp::Sub, bin(BinOp::And, var(x), Exp::int(15)), Exp::int(3)),
        vec![Stm::If(odd, vec![inner], vec![Stm::Assign(a, add(var(a), Exp::int(1)))])],
    );
    let body = vec![
        Stm::Declare(x, Some(load(OUT, var(I)))),
        Stm::Declare(a, Some(Exp::int(0))),
        outer,
        Stm::Store(OUT, var(I), var(a)),
    ];
    source.check(Vec::new(), body);
}

#[test]
fn loops_may_begin_elsewhere_and_choose_among_many() {
    let mut source = Source::new();
    let (x, a, j) = (source.int("x"), source.int("a"), source.int("j"));
    let case = |value, k| (Scalar::I64(value), vec![Stm::Assign(a, add(var(a), Exp::int(k)))]);
    let default = vec![Stm::Assign(a, add(var(a), var(a)))];
    let on = bin(BinOp::And, var(j), Exp::int(3));
    let body = vec![
        Stm::Declare(x, Some(load(OUT, var(I)))),
        Stm::Declare(a, Some(Exp::int(1))),
        Stm::For {
            var: j,
            from: bin(BinOp::And, var(x), Exp::int(7)),
            to: var(x),
            step: 2,
            kind: Kind::Sequential,
            body: vec![Stm::Switch(on, vec![case(0, 5), case(2, 7)], default)],
        },
        Stm::Store(OUT, var(I), var(a)),
    ];
    // The evaluator has no `switch`, so here only the result counts: that it is in lanes, and has none.
    let [_, after] = source.program(Vec::new(), body);
    assert_eq!(lane_loops_in_while(&after), [1], "{after}");
}

#[test]
fn what_is_the_same_for_all_stays_a_scalar() {
    let mut source = Source::new();
    let (a, j, y) = (source.int("a"), source.int("j"), source.int("y"));
    let body = vec![
        Stm::Declare(a, Some(load(OUT, var(I)))),
        for_(
            j,
            var(K),
            vec![Stm::Declare(y, Some(load(XS, var(j)))), Stm::Assign(a, add(var(a), var(y)))],
        ),
        Stm::Store(OUT, var(I), var(a)),
    ];
    let after = source.check(Vec::new(), body);
    // Only the sum has a value for each lane.
    assert_eq!(lane_arrays(&after), 1, "{after}");
}

#[test]
fn small_arrays_have_lanes_too() {
    let mut source = Source::new();
    let (j, l) = (source.int("j"), source.int("l"));
    let array = source.vars.push(VarInfo { hint: "a".into(), ty: Ty::Local(Prim::I64, 2) });
    let step = vec![Stm::Store(
        array,
        Exp::int(1),
        add(load(array, Exp::int(1)), load(array, Exp::int(0))),
    )];
    let body = vec![
        Stm::Declare(array, None),
        for_(l, Exp::int(2), vec![Stm::Store(array, var(l), add(var(l), var(I)))]),
        for_(j, load(OUT, var(I)), step),
        Stm::Copy { to: (OUT, var(I)), from: (array, Exp::int(1)), count: Exp::int(1) },
    ];
    let [before, after] = source.program(Vec::new(), body);
    assert_ne!(before, after);
    // A copy of one element is a store, which is what the evaluator knows.
    let mut plain = before.clone();
    if let Some(Stm::For { body, .. }) = plain.body.first_mut() {
        body.pop();
        body.push(Stm::Store(OUT, var(I), load(array, Exp::int(1))));
    }
    assert_eq!(Machine::run(&after, 32, 0), Machine::run(&plain, 32, 0), "{after}");
}

#[test]
fn reductions_have_a_part_for_each_lane() {
    for op in [RedOp::Add, RedOp::Min, RedOp::Max, RedOp::Mul] {
        let mut source = Source::new();
        let mut body = doubling(&mut source, |_, _| Block::new());
        let (part, all) = (source.int("part"), source.int("all"));
        body.push(Stm::Declare(part, Some(load(OUT, var(I)))));
        body.push(Stm::Declare(all, Some(bin(op.bin_op(), var(SUM), var(part)))));
        body.push(Stm::Assign(SUM, var(all)));
        source.check(vec![(SUM, op)], body);
    }
}

#[test]
fn extrema_of_floats_have_lanes_without_loops() {
    for (prim, expected) in [(Prim::F32, true), (Prim::I64, false)] {
        let mut source = Source::new();
        source.vars[SUM].ty = Ty::Scalar(prim);
        source.vars[OUT].ty = Ty::Ptr(prim);
        let least = Exp::Bin(BinOp::Min, prim, Box::new(var(SUM)), Box::new(load(OUT, var(I))));
        let [before, after] =
            source.program(vec![(SUM, RedOp::Min)], vec![Stm::Assign(SUM, least)]);
        assert_eq!(before != after, expected, "{after}");
    }
}

/// `a = 0; for (j < k) independently, a += f(...)`, and `out[i] = a`
fn inner_sum(source: &mut Source, term: impl FnOnce(&mut Source, V) -> (Block, Exp)) -> Block {
    let (a, j) = (source.int("a"), source.int("j"));
    let (mut body, term) = term(source, j);
    body.push(Stm::Assign(a, add(var(a), term)));
    let kind = Kind::Independent(vec![(a, RedOp::Add)]);
    vec![
        Stm::Declare(a, Some(Exp::int(0))),
        Stm::For { var: j, from: Exp::int(0), to: var(K), step: 1, kind, body },
        Stm::Store(OUT, var(I), var(a)),
    ]
}

#[test]
fn a_sum_that_loads_nothing_is_one_of_lanes() {
    let mut source = Source::new();
    let body = inner_sum(&mut source, |_, j| (Block::new(), bin(BinOp::Mul, var(I), var(j))));
    let after = source.check(Vec::new(), body);
    // The loop inside is not over lanes, but has a loop over lanes inside.
    let mut found = false;
    visit::each_stm(&after.body, &mut |stm| {
        if let Stm::For { to, kind: Kind::Sequential, body, .. } = stm {
            found |= *to == var(K) && body.iter().any(|stm| matches!(stm, Stm::For { .. }));
        }
    });
    assert!(found, "{after}");
}

#[test]
fn a_sum_of_elements_is_vectorised_itself_unless_lanes_save_something() {
    for saves in [false, true] {
        let mut source = Source::new();
        let body = inner_sum(&mut source, |source, j| {
            let (x, y) = (source.int("x"), source.int("y"));
            let mut body = vec![Stm::Declare(x, Some(load(XS, var(j))))];
            if saves {
                let sine = Exp::Math(fehu_ir::MathFn::Sin, Prim::F64, vec![var(x)]);
                body.push(Stm::Declare(y, Some(sine)));
            }
            (body, add(var(if saves { y } else { x }), var(I)))
        });
        let [before, after] = source.program(Vec::new(), body);
        assert_eq!(before != after, saves, "{after}");
    }
}

#[test]
fn arrays_from_outside_are_the_same_for_all_lanes() {
    let mut source = Source::new();
    let table = source.vars.push(VarInfo { hint: "table".into(), ty: Ty::Local(Prim::I64, 4) });
    let body = doubling(&mut source, |source, x| {
        let (j, y) = (source.int("j"), source.int("y"));
        let body =
            vec![Stm::Declare(y, Some(load(table, var(j)))), Stm::Assign(x, add(var(x), var(y)))];
        vec![for_(j, Exp::int(4), body)]
    });
    let [_, after] = source.program(Vec::new(), body);
    // It is loaded outside the loops over lanes.
    let mut inside = 0;
    visit::each_stm(&after.body, &mut |stm| {
        if let Stm::For { to, body, kind: Kind::Independent(_), .. } = stm
            && matches!(to, Exp::Const(_))
        {
            visit::each_stm(body, &mut |stm| {
                stm.each_exp(&mut |e| inside += usize::from(e.mentions(table)));
            });
        }
    });
    assert_eq!(inside, 0, "{after}");
    assert!(lane_arrays(&after) > 0, "{after}");
}

#[test]
fn truth_values_are_chosen_by_logic() {
    let mut source = Source::new();
    let body = doubling(&mut source, |source, x| {
        let (small, first) = (source.truth("small"), source.truth("first"));
        let assign = |e: Exp| vec![Stm::Assign(first, e)];
        vec![
            Stm::Declare(small, Some(less(var(x), Exp::int(20)))),
            Stm::Declare(first, None),
            Stm::If(
                less(var(I), var(K)),
                assign(Exp::Const(Scalar::Bool(true))),
                assign(var(small)),
            ),
            Stm::If(var(first), vec![Stm::Assign(x, add(var(x), Exp::int(1)))], Block::new()),
        ]
    });
    let after = source.check(Vec::new(), body);
    visit::each_stm(&after.body, &mut |stm| {
        if let Stm::Declare(v, Some(Exp::Select(_))) = stm {
            assert_ne!(after.vars[*v].ty, Ty::Scalar(Prim::Bool), "{after}");
        }
    });
}

#[test]
fn some_loops_stay_as_they_are() {
    let unchanged = |source: Source, body: Block| {
        let [before, after] = source.program(Vec::new(), body);
        assert_eq!(before, after);
    };
    // Straight code.
    unchanged(Source::new(), vec![Stm::Store(OUT, var(I), load(XS, var(I)))]);
    // Elements at different places.
    let mut source = Source::new();
    let body = doubling(&mut source, |_, x| vec![Stm::Assign(x, load(XS, var(x)))]);
    unchanged(source, body);
    // Checks.
    let mut source = Source::new();
    let message = Message { parts: Vec::new(), trace: Vec::new() };
    let body = doubling(&mut source, |_, x| vec![Stm::Assert(less(var(x), var(K)), message)]);
    unchanged(source, body);
    // Divisions that vector units do not have.
    let mut source = Source::new();
    let body = doubling(&mut source, |_, x| {
        vec![Stm::Assign(x, bin(BinOp::Quot, var(x), add(var(x), Exp::int(1))))]
    });
    unchanged(source, body);
    // Something that is assigned from all iterations, but is no reduction.
    let mut source = Source::new();
    let body = doubling(&mut source, |_, x| vec![Stm::Assign(SUM, var(x))]);
    unchanged(source, body);
}

/// The tasks of a function.
fn tasks(fun: &Fun) -> &Tasks {
    let found = fun.body.iter().find_map(|stm| match stm {
        Stm::Tasks(tasks) => Some(tasks),
        _ => None,
    });
    found.expect("it has some")
}

#[test]
fn ranges_consist_of_whole_blocks() {
    for chunked in [false, true] {
        let mut source = Source::new();
        let body = doubling(&mut source, |_, _| Block::new());
        let [low, high, chunk, chunks] =
            ["low", "high", "chunk", "chunks"].map(|hint| source.int(hint));
        let kind = Kind::Independent(Vec::new());
        let loop_ = Stm::For { var: I, from: var(low), to: var(high), step: 1, kind, body };
        let count = Stm::Chunks(chunks, 0, var(N));
        let (chunks, body) = (chunked.then_some(chunks), vec![loop_]);
        let work = Tasks { site: 0, total: var(N), chunks, grain: 1, chunk, low, high, body };
        let mut program = Program::default();
        program.funs.push(Fun {
            name: "f".into(),
            vars: source.vars,
            params: vec![N, K, XS, OUT],
            results: Vec::new(),
            body: vec![count.clone(), Stm::Tasks(Box::new(work))],
        });
        lanes(&mut program);
        let fun = program.funs.values_mut().next().expect("it has one");
        assert_eq!(tasks(fun).grain, 16);
        assert_eq!(fun.body[0] != count, chunked, "chunks are counted in blocks");
    }
}
