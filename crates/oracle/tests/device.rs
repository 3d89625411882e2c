//! Kernels that are wrong, each with one like it that is right.

use fehu_base::{IdVec, Prim};
use fehu_imp::{
    Block, Exp, From, Fun, Kernel, Kind, Lane, Message, Part, Program, RedOp, Stm, Ty, V, VarInfo,
};
use fehu_interp::{Buffer, Value};
use fehu_ir::text::parse;
use fehu_ir::{BinOp, CmpOp, FunId, Scalar};
use fehu_oracle::heap::{Fault, Limits};
use fehu_oracle::machine::{Settings, Tally, call_device};

/// The threads of a block.
const THREADS: u32 = 64;

/// A function of an array of 8 numbers, `xs`, whose result is a number: what is at the beginning of the array `out`
/// after a kernel has run. The kernel's blocks have 64 threads each.
struct Maker {
    vars: IdVec<V, VarInfo>,
    xs_mem: V,
    xs: V,
    out_mem: V,
    out: V,
    result: V,
    block: V,
    thread: V,
    blocks: i64,
    shared: Option<Exp>,
    read_only: Vec<V>,
    /// What the host does before the kernel, and after it.
    before: Block,
    after: Block,
}

impl Maker {
    fn new() -> Maker {
        let mut vars: IdVec<V, VarInfo> = IdVec::default();
        let mut var = |hint: &str, ty: Ty| vars.push(VarInfo { hint: hint.into(), ty });
        let int = Ty::Scalar(Prim::I64);
        let (_, xs_mem) = (var("n", int), var("xs_mem", Ty::Mem));
        let (xs, out_mem) = (var("xs", Ty::ptr(Prim::I64)), var("out_mem", Ty::Mem));
        let (out, result) = (var("out", Ty::ptr(Prim::I64)), var("result", int));
        let (block, thread) = (var("block", int), var("thread", int));
        let (before, after) = (Block::new(), Block::new());
        let (blocks, shared) = (1, None);
        Maker {
            vars,
            xs_mem,
            xs,
            out_mem,
            out,
            result,
            block,
            thread,
            blocks,
            shared,
            read_only: Vec::new(),
            before,
            after,
        }
    }

    fn var(&mut self, hint: &str, ty: Ty) -> V {
        self.vars.push(VarInfo { hint: hint.into(), ty })
    }

    fn scalar(&mut self, hint: &str) -> V {
        self.var(hint, Ty::Scalar(Prim::I64))
    }

    /// A shared array of numbers, one for each thread.
    fn array(&mut self) -> V {
        self.var("together", Ty::Shared(Prim::I64, THREADS))
    }

    /// Runs the kernel on the numbers from 0 to 7, by different devices.
    fn run(mut self, body: Block) -> Result<Scalar, Fault> {
        let kernel = Kernel {
            hint: "test".into(),
            place: "a.fut:1:2-3".into(),
            blocks: Exp::int(self.blocks),
            threads: THREADS,
            residents: 1,
            block: self.block,
            thread: self.thread,
            by_block: false,
            shared: self.shared,
            changes: Vec::new(),
            read_only: self.read_only.clone(),
            body,
        };
        let (xs, out) = (self.xs, self.out);
        let mut code = vec![
            Stm::Declare(xs, None),
            Stm::Point(xs, From::Mem(self.xs_mem), Exp::int(0)),
            Stm::Declare(self.out_mem, None),
            Stm::Declare(out, None),
            Stm::Alloc(self.out_mem, Prim::I64, Exp::int(256)),
            Stm::Point(out, From::Mem(self.out_mem), Exp::int(0)),
        ];
        code.append(&mut self.before);
        code.push(Stm::Launch(Box::new(kernel)));
        code.append(&mut self.after);
        code.push(Stm::Fetch(self.result, out, Exp::int(0)));
        let mut program = Program::default();
        program.funs.push(Fun {
            name: "f".into(),
            vars: self.vars,
            params: vec![V(0), self.xs_mem],
            results: vec![self.result],
            body: code,
        });
        let text = "prog arrays\nfun f (n: i64, xs: [n]i64) -> (r: i64) =\n  (n)\n";
        let prog = parse(text).expect("it is a program");
        let numbers = Value::vector(Buffer::I64((0..8).collect()));
        let args = [Value::Scalar(Scalar::I64(8)), numbers];
        let mut first = None;
        for seed in 0..12 {
            let settings = Settings::of_seed(seed);
            let mut tally = Tally::new();
            let limits = Limits::default();
            let values =
                call_device(&prog, &program, FunId(0), &args, limits, &settings, &mut tally)?;
            let found = values[0].as_scalar().expect("a number");
            assert_eq!(*first.get_or_insert(found), found, "{settings:?}");
        }
        Ok(first.expect("there were runs"))
    }

    fn complaint(self, body: Block) -> String {
        match self.run(body) {
            Err(Fault::Memory(message)) => message,
            other => panic!("{other:?}"),
        }
    }
}

fn plus(a: Exp, b: Exp) -> Exp {
    Exp::Bin(BinOp::Add, Prim::I64, Box::new(a), Box::new(b))
}

fn less(a: Exp, b: Exp) -> Exp {
    Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(a), Box::new(b))
}

fn is(a: Exp, b: Exp) -> Exp {
    Exp::Cmp(CmpOp::Eq, Prim::I64, Box::new(a), Box::new(b))
}

fn load(p: V, at: Exp) -> Exp {
    Exp::Load(p, Box::new(at))
}

fn when(cond: Exp, body: Block) -> Stm {
    Stm::If(cond, body, Block::new())
}

/// The thread that this is, from the other end.
fn opposite(thread: V) -> Exp {
    Exp::Bin(
        BinOp::Sub,
        Prim::I64,
        Box::new(Exp::int(i64::from(THREADS) - 1)),
        Box::new(Exp::Var(thread)),
    )
}

/// Each thread writes its number to a shared array; the first one adds some of them.
fn exchange(maker: &mut Maker, between: Stm) -> Block {
    let (array, out, thread) = (maker.array(), maker.out, Exp::Var(maker.thread));
    vec![
        Stm::Declare(array, None),
        Stm::Store(array, thread.clone(), thread.clone()),
        between,
        when(is(thread, Exp::int(0)), vec![Stm::Store(out, Exp::int(0), load(array, Exp::int(5)))]),
    ]
}

#[test]
fn a_barrier_orders_the_threads_of_a_block() {
    let mut maker = Maker::new();
    let body = exchange(&mut maker, Stm::Barrier);
    assert_eq!(maker.run(body), Ok(Scalar::I64(5)));
    let mut maker = Maker::new();
    let body = exchange(&mut maker, Stm::Comment("nothing".into()));
    // Which of the two comes first depends on the schedule.
    let message = maker.complaint(body);
    assert!(
        message.contains("a race") && message.contains("\"together\"")
            || message.contains("nobody wrote it"),
        "{message}"
    );
}

#[test]
fn races_name_kernel_place_variable_index_and_threads() {
    let maker = Maker::new();
    let (out, thread) = (maker.out, maker.thread);
    let message = maker.complaint(vec![Stm::Store(out, Exp::int(3), Exp::Var(thread))]);
    let parts = ["\"test\" (a.fut:1:2-3)", "\"out\" (variable 2)[3]", "it writes", "wrote"];
    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    assert_eq!(message.matches(" of block 0").count(), 2, "{message}");
}

#[test]
fn a_warp_orders_its_threads_only() {
    let near = |maker: &mut Maker, from: i64| {
        let (array, out, thread) = (maker.array(), maker.out, Exp::Var(maker.thread));
        vec![
            Stm::Declare(array, None),
            Stm::Store(array, thread.clone(), thread.clone()),
            Stm::WarpBarrier,
            Stm::Warp(vec![
                Stm::WarpBarrier,
                when(
                    is(thread, Exp::int(0)),
                    vec![Stm::Store(out, Exp::int(0), load(array, Exp::int(from)))],
                ),
            ]),
        ]
    };
    let mut maker = Maker::new();
    let body = near(&mut maker, 31);
    assert_eq!(maker.run(body), Ok(Scalar::I64(31)));
    let mut maker = Maker::new();
    let body = near(&mut maker, 32);
    let message = maker.complaint(body);
    assert!(message.contains("a race") || message.contains("nobody wrote it"), "{message}");
}

/// What a thread gets from another lane, which has ten times its number.
fn told(thread: i64, lane: Lane, by: i64) -> Result<Scalar, Fault> {
    let mut maker = Maker::new();
    let (to, out, own) = (maker.scalar("to"), maker.out, Exp::Var(maker.thread));
    let of = Exp::Index(vec![(10, vec![maker.thread])]);
    maker.run(vec![
        Stm::Declare(to, None),
        Stm::Shuffle { to, lane, by: Exp::int(by), of },
        when(is(own, Exp::int(thread)), vec![Stm::Store(out, Exp::int(0), Exp::Var(to))]),
    ])
}

#[test]
fn lanes_tell_each_other_their_values() {
    let cases = [
        (5, Lane::Down, 2, 70),
        (30, Lane::Down, 2, 300),
        (40, Lane::Down, 16, 560),
        (40, Lane::Up, 8, 320),
        (40, Lane::Up, 9, 400),
        (3, Lane::At, 31, 310),
        (40, Lane::At, 31, 630),
    ];
    for (thread, lane, by, value) in cases {
        assert_eq!(told(thread, lane, by), Ok(Scalar::I64(value)), "{thread} {lane:?} {by}");
    }
    let Err(Fault::Memory(message)) = told(0, Lane::At, 32) else { panic!("there is none") };
    assert!(message.contains("there is no lane at 32"), "{message}");
}

#[test]
fn a_shuffle_does_not_order_what_is_written() {
    let body = |maker: &mut Maker, between: Stm| {
        let (array, to, out) = (maker.array(), maker.scalar("to"), maker.out);
        let thread = Exp::Var(maker.thread);
        let by = Exp::int(1);
        vec![
            Stm::Declare(array, None),
            Stm::Declare(to, None),
            Stm::Store(array, thread.clone(), thread.clone()),
            Stm::Shuffle { to, lane: Lane::Down, by, of: thread.clone() },
            between,
            when(
                is(thread, Exp::int(0)),
                vec![Stm::Store(out, Exp::int(0), load(array, Exp::Var(to)))],
            ),
        ]
    };
    let mut maker = Maker::new();
    let ordered = body(&mut maker, Stm::WarpBarrier);
    assert_eq!(maker.run(ordered), Ok(Scalar::I64(1)));
    let mut maker = Maker::new();
    let apart = body(&mut maker, Stm::Comment("nothing".into()));
    let message = maker.complaint(apart);
    assert!(message.contains("a race"), "{message}");
    // Not all lanes come.
    let mut maker = Maker::new();
    let (to, cond) = (maker.scalar("to"), less(Exp::Var(maker.thread), Exp::int(20)));
    let shuffle = Stm::Shuffle { to, lane: Lane::At, by: Exp::int(0), of: Exp::int(1) };
    let message = maker.complaint(vec![Stm::Declare(to, None), when(cond, vec![shuffle])]);
    assert!(message.contains("waits for its"), "{message}");
}

#[test]
fn blocks_are_not_ordered() {
    let write = |shift: i64| {
        let mut maker = Maker::new();
        maker.blocks = 2;
        let (out, block, thread) = (maker.out, maker.block, maker.thread);
        let at = Exp::Index(vec![(shift, vec![block]), (1, vec![thread])]);
        maker.run(vec![Stm::Store(out, at, Exp::Var(block))])
    };
    assert_eq!(write(64), Ok(Scalar::I64(0)));
    let Err(Fault::Memory(message)) = write(63) else { panic!("they meet") };
    assert!(message.contains("a race") && message.contains("of block"), "{message}");
}

#[test]
fn launches_are_ordered() {
    let mut maker = Maker::new();
    let (out, thread) = (maker.out, maker.thread);
    let [block, other] = ["block", "thread"].map(|hint| maker.scalar(hint));
    let kernel = Kernel {
        hint: "before".into(),
        place: "".into(),
        blocks: Exp::int(1),
        threads: THREADS,
        residents: 1,
        block,
        thread: other,
        by_block: false,
        shared: None,
        changes: Vec::new(),
        read_only: Vec::new(),
        body: vec![Stm::Store(out, Exp::Var(other), plus(Exp::Var(other), Exp::int(1)))],
    };
    maker.before.push(Stm::Launch(Box::new(kernel)));
    let next = plus(load(out, opposite(thread)), Exp::int(0));
    let code =
        vec![when(is(Exp::Var(thread), Exp::int(0)), vec![Stm::Store(out, Exp::int(0), next)])];
    assert_eq!(maker.run(code), Ok(Scalar::I64(64)));
}

#[test]
fn what_is_read_only_does_not_change() {
    for (reads, writes) in [(0, 1), (1, 1), (1, 0)] {
        let mut maker = Maker::new();
        let (xs, out, thread) = (maker.xs, maker.out, Exp::Var(maker.thread));
        let other = maker.var("other", Ty::ptr(Prim::I64));
        maker.read_only.push(other);
        maker
            .before
            .extend([Stm::Declare(other, None), Stm::Point(other, From::Ptr(xs), Exp::int(0))]);
        let read = Stm::Store(out, Exp::int(0), load(other, Exp::int(reads)));
        let write = Stm::Store(xs, Exp::int(writes), Exp::int(5));
        let code = vec![when(is(thread, Exp::int(0)), vec![read, write])];
        if reads == writes {
            let message = maker.complaint(code);
            assert!(message.contains("read-only"), "{message}");
        } else {
            assert_eq!(maker.run(code), Ok(Scalar::I64(reads)));
        }
    }
}

#[test]
fn several_threads_add_by_atomic_operations_exchanges_and_locks() {
    type Work = fn(&mut Maker, V) -> Stm;
    let works: [Work; 4] = [
        |_, out| Stm::Atomic(RedOp::Add, out, Exp::int(0), Exp::int(1)),
        |maker, out| {
            let old = maker.scalar("old");
            let new = plus(Exp::Var(old), Exp::int(1));
            Stm::Exchange { ptr: out, index: Exp::int(0), old, body: Block::new(), new }
        },
        |_, out| {
            let add = Stm::Store(out, Exp::int(0), plus(load(out, Exp::int(0)), Exp::int(1)));
            Stm::Locked(Exp::int(7), vec![add])
        },
        |_, out| Stm::Store(out, Exp::int(0), plus(load(out, Exp::int(0)), Exp::int(1))),
    ];
    let results = works.map(|work| {
        let mut maker = Maker::new();
        maker.blocks = 3;
        let out = maker.out;
        let clear = cleared(&mut maker, out);
        maker.before.push(clear);
        let body = vec![work(&mut maker, out)];
        maker.run(body)
    });
    let sum = Ok(Scalar::I64(3 * 64));
    assert_eq!(results[..3], [sum.clone(), sum.clone(), sum]);
    assert!(matches!(&results[3], Err(Fault::Memory(why)) if why.contains("a race")));
}

/// A kernel that stores a zero.
fn cleared(maker: &mut Maker, p: V) -> Stm {
    let [block, thread] = ["block", "thread"].map(|hint| maker.scalar(hint));
    let Ty::Ptr(_, prim) = maker.vars[p].ty else { panic!("no pointer") };
    Stm::Launch(Box::new(Kernel {
        hint: "clear".into(),
        place: "".into(),
        blocks: Exp::int(1),
        threads: 1,
        residents: 1,
        block,
        thread,
        by_block: false,
        shared: None,
        changes: Vec::new(),
        read_only: Vec::new(),
        body: vec![Stm::Store(p, Exp::int(0), Exp::Const(Scalar::zero(prim)))],
    }))
}

#[test]
fn guards_are_for_the_threads_of_a_block() {
    let guarded = |global: bool| {
        let mut maker = Maker::new();
        maker.blocks = 2;
        let (out, thread) = (maker.out, Exp::Var(maker.thread));
        let guard = maker.var("guard", Ty::Shared(Prim::I32, 1));
        let sum = maker.var("sum", Ty::Shared(Prim::I64, 1));
        let to = if global { out } else { sum };
        let add = Stm::Store(to, Exp::int(0), plus(load(to, Exp::int(0)), Exp::int(1)));
        let zero = Exp::Const(Scalar::I32(0));
        let clear =
            vec![Stm::Store(guard, Exp::int(0), zero), Stm::Store(sum, Exp::int(0), Exp::int(0))];
        let first = cleared(&mut maker, out);
        maker.before.push(first);
        let result = Stm::Atomic(RedOp::Add, out, Exp::int(0), load(sum, Exp::int(0)));
        maker.run(vec![
            Stm::Declare(guard, None),
            Stm::Declare(sum, None),
            when(is(thread.clone(), Exp::int(0)), clear),
            Stm::Barrier,
            Stm::Guarded(guard, Exp::int(0), vec![add]),
            Stm::Barrier,
            when(is(thread, Exp::int(0)), vec![result]),
        ])
    };
    assert_eq!(guarded(false), Ok(Scalar::I64(2 * 64)));
    assert!(matches!(guarded(true), Err(Fault::Memory(why)) if why.contains("a race")));
}

#[test]
fn what_nobody_wrote_is_not_read() {
    let mut maker = Maker::new();
    let (array, out, thread) = (maker.array(), maker.out, maker.thread);
    let body = vec![
        Stm::Declare(array, None),
        Stm::Store(out, Exp::Var(thread), plus(load(array, Exp::Var(thread)), Exp::int(1))),
    ];
    let message = maker.complaint(body);
    assert!(message.contains("\"together\"") && message.contains("nobody wrote"), "{message}");
    let maker = Maker::new();
    let (out, thread) = (maker.out, Exp::Var(maker.thread));
    let there = load(out, plus(thread.clone(), Exp::int(64)));
    let body = vec![Stm::Store(out, thread.clone(), plus(there.clone(), Exp::int(1)))];
    assert!(maker.complaint(body).contains("nobody wrote it"));
    // To move it is not to read it; the host, which does, gets no value.
    let maker = Maker::new();
    let message = maker.complaint(vec![Stm::Store(out, thread, there)]);
    assert!(message.contains("the host reads element 0"), "{message}");
    // Nor by the host.
    let maker = Maker::new();
    assert!(maker.complaint(Block::new()).contains("the host reads element 0"));
}

#[test]
fn accesses_are_inside_of_memory_and_of_shared_arrays() {
    let maker = Maker::new();
    let (out, xs) = (maker.out, maker.xs);
    let message = maker.complaint(vec![Stm::Store(out, Exp::int(0), load(xs, Exp::int(8)))]);
    assert!(message.contains("[8] is outside of the 64 bytes"), "{message}");
    let mut maker = Maker::new();
    let (array, thread) = (maker.array(), Exp::Var(maker.thread));
    let body =
        vec![Stm::Declare(array, None), Stm::Store(array, plus(thread, Exp::int(1)), Exp::int(0))];
    assert!(maker.complaint(body).contains("[64] is outside of the 512 bytes"));
    let mut maker = Maker::new();
    let local = maker.var("own", Ty::Local(Prim::I64, 2));
    let body = vec![Stm::Declare(local, None), Stm::Store(local, Exp::int(-1), Exp::int(0))];
    assert!(maker.complaint(body).contains("[-1] is outside of the 16 bytes"));
}

#[test]
fn all_threads_of_a_block_come_to_a_barrier() {
    let maker = Maker::new();
    let thread = Exp::Var(maker.thread);
    let message = maker.complaint(vec![when(less(thread, Exp::int(40)), vec![Stm::Barrier])]);
    assert!(message.contains("thread 0 waits for its block; thread 40 has ended"), "{message}");
    // Equally many barriers are not enough.
    let maker = Maker::new();
    let cond = less(Exp::Var(maker.thread), Exp::int(40));
    let message = maker.complaint(vec![Stm::If(cond, vec![Stm::Barrier], vec![Stm::Barrier])]);
    assert!(message.contains("waits at another one"), "{message}");
    let maker = Maker::new();
    let cond = less(Exp::Var(maker.thread), Exp::int(20));
    let message = maker.complaint(vec![when(cond, vec![Stm::WarpBarrier])]);
    assert!(message.contains("waits for its"), "{message}");
    // Whole blocks may go where they want.
    let mut maker = Maker::new();
    maker.blocks = 2;
    let (out, block, thread) = (maker.out, maker.block, maker.thread);
    let body = vec![
        when(is(Exp::Var(block), Exp::int(0)), vec![Stm::Barrier, Stm::WarpBarrier]),
        Stm::Store(out, Exp::Index(vec![(64, vec![block]), (1, vec![thread])]), Exp::int(9)),
    ];
    assert_eq!(maker.run(body), Ok(Scalar::I64(9)));
}

#[test]
fn blocks_that_wait_for_others_that_have_begun_get_what_they_wait_for() {
    // Blocks take numbers; each but the first waits for the one before, or for the one after.
    let chain = |next: bool| {
        let mut maker = Maker::new();
        maker.blocks = 4;
        let (out, thread) = (maker.out, maker.thread);
        let (mem, counter) =
            (maker.var("counter_mem", Ty::Mem), maker.var("counter", Ty::ptr(Prim::I32)));
        let (taken, number) = (maker.var("taken", Ty::Scalar(Prim::I32)), maker.scalar("number"));
        let found = maker.scalar("found");
        let (all, i) = (plus(Exp::int(4), Exp::int(0)), maker.scalar("i"));
        let [b, t] = ["block", "thread"].map(|hint| maker.scalar(hint));
        let mut zero = cleared(&mut maker, counter);
        if let Stm::Launch(kernel) = &mut zero {
            (kernel.block, kernel.thread) = (b, t);
            kernel.body.push(Stm::For {
                var: i,
                from: Exp::int(0),
                to: all,
                step: 1,
                kind: Kind::Sequential,
                body: vec![Stm::Store(out, Exp::Var(i), Exp::int(0))],
            });
        }
        maker.before = vec![
            Stm::Declare(mem, None),
            Stm::Declare(counter, None),
            Stm::Alloc(mem, Prim::I32, Exp::int(1)),
            Stm::Point(counter, From::Mem(mem), Exp::int(0)),
            zero,
        ];
        let other = plus(Exp::Var(number), Exp::int(if next { 1 } else { -1 }));
        let waits = match next {
            true => less(Exp::Var(number), Exp::int(3)),
            false => less(Exp::int(0), Exp::Var(number)),
        };
        let wait = vec![
            Stm::Declare(found, Some(Exp::int(0))),
            Stm::While(is(Exp::Var(found), Exp::int(0)), vec![Stm::Poll(found, out, other)]),
        ];
        let leader = vec![
            Stm::Declare(taken, None),
            Stm::Count(taken, counter, Exp::int(0)),
            Stm::Declare(
                number,
                Some(Exp::Convert(Prim::I32, Prim::I64, Box::new(Exp::Var(taken)))),
            ),
            when(waits, wait),
            Stm::Store(out, Exp::Var(number), Exp::int(1)),
        ];
        maker.run(vec![when(is(Exp::Var(thread), Exp::int(0)), leader)])
    };
    assert_eq!(chain(false), Ok(Scalar::I64(1)));
    // If only one block runs at a time, the one after has not begun.
    assert!(matches!(chain(true), Err(Fault::Memory(why)) if why.contains("a deadlock")));
}

/// Blocks write their numbers and are counted; then some of them add all numbers.
fn counted(of: i64, who: impl FnOnce(V) -> Exp) -> Result<Scalar, Fault> {
    let mut maker = Maker::new();
    maker.blocks = 5;
    let (out, thread, block) = (maker.out, maker.thread, Exp::Var(maker.block));
    let (last, i) = (maker.var("last", Ty::Scalar(Prim::Bool)), maker.scalar("i"));
    let sum = maker.scalar("sum");
    let first = is(Exp::Var(thread), Exp::int(0));
    let add = vec![Stm::Assign(sum, plus(Exp::Var(sum), load(out, Exp::Var(i))))];
    let (from, to, kind) = (Exp::int(1), Exp::int(6), Kind::Sequential);
    let all = vec![
        Stm::Declare(sum, Some(Exp::int(0))),
        Stm::For { var: i, from, to, step: 1, kind, body: add },
        Stm::Store(out, Exp::int(0), Exp::Var(sum)),
    ];
    maker.run(vec![
        when(first.clone(), vec![Stm::Store(out, plus(block.clone(), Exp::int(1)), block)]),
        Stm::Declare(last, None),
        Stm::Arrive { last, counter: Exp::int(7), of: Exp::int(of) },
        when(who(last), vec![when(first, all)]),
    ])
}

#[test]
fn the_last_block_sees_what_all_have_written() {
    assert_eq!(counted(5, Exp::Var), Ok(Scalar::I64(10)));
    // The others do not, even if they run last.
    let every = |_| Exp::Const(Scalar::Bool(true));
    assert!(matches!(counted(5, every), Err(Fault::Memory(_))));
    // All counters are zero after a kernel.
    let found = counted(6, Exp::Var);
    assert!(matches!(found, Err(Fault::Memory(why)) if why.contains("fewer blocks")));
}

#[test]
fn locks_that_nobody_gives_back_are_told() {
    let maker = Maker::new();
    let inside = Stm::Locked(Exp::int(3), Block::new());
    assert!(maker.complaint(vec![Stm::Locked(Exp::int(3), vec![inside])]).contains("a deadlock"));
}

#[test]
fn memory_ends_with_its_last_handle() {
    let mut maker = Maker::new();
    let (mem, p) = (maker.var("a_mem", Ty::Mem), maker.var("a", Ty::ptr(Prim::I64)));
    let (out, thread) = (maker.out, maker.thread);
    let mut before = vec![
        Stm::Declare(mem, None),
        Stm::Declare(p, None),
        Stm::Alloc(mem, Prim::I64, Exp::int(64)),
        Stm::Point(p, From::Mem(mem), Exp::int(0)),
    ];
    before.push(Stm::Free(mem));
    maker.before = before;
    let body = vec![
        Stm::Store(p, Exp::Var(thread), Exp::int(1)),
        Stm::Store(out, Exp::int(0), Exp::int(1)),
    ];
    assert!(maker.complaint(body).contains("memory that has been freed"));
}

#[test]
fn blocks_that_are_never_released_are_told() {
    let mut maker = Maker::new();
    let (kept, mem) = (maker.var("kept", Ty::Mem), maker.xs_mem);
    maker.after.push(Stm::Share(kept, mem));
    let body = vec![Stm::Store(maker.out, Exp::int(0), Exp::int(1))];
    assert!(maker.complaint(body).contains("never released"));
}

/// A kernel whose thread 3 fails: in a section, or by itself.
fn failing(section: bool) -> Result<Scalar, Fault> {
    let mut maker = Maker::new();
    let (array, out, thread) = (maker.array(), maker.out, Exp::Var(maker.thread));
    let message = Message {
        parts: vec![Part::Text("three: ".into()), Part::Value(thread.clone(), Prim::I64)],
        trace: Vec::new(),
    };
    let fine = Exp::Un(fehu_ir::UnOp::Not, Prim::Bool, Box::new(is(thread.clone(), Exp::int(3))));
    let check = vec![Stm::Assert(fine, message), Stm::Store(array, thread.clone(), thread.clone())];
    let check = if section { vec![Stm::Section(check)] } else { check };
    let mut body = vec![Stm::Declare(array, None)];
    body.extend(check);
    body.push(Stm::Barrier);
    body.push(Stm::Store(out, thread.clone(), load(array, thread)));
    maker.run(body)
}

#[test]
fn checks_fail_in_kernels_and_threads_go_on_behind_the_section() {
    assert_eq!(failing(true), Err(Fault::Check("three: 3".to_owned(), Vec::new())));
    assert!(matches!(failing(false), Err(Fault::Memory(why)) if why.contains("barrier")));
}

#[test]
fn shared_memory_is_granted_or_not() {
    let mut maker = Maker::new();
    maker.shared = Some(Exp::int(8 * i64::from(THREADS)));
    let (out, thread) = (maker.out, Exp::Var(maker.thread));
    let (base, p) = (maker.var("base", Ty::ptr(Prim::U8)), maker.var("p", Ty::ptr(Prim::I64)));
    // Without it, memory behind the results is used.
    let body = vec![
        Stm::Declare(base, None),
        Stm::Point(base, From::Ptr(out), Exp::int(8 * i64::from(THREADS))),
        Stm::Point(base, From::Shared, Exp::int(0)),
        Stm::Declare(p, None),
        Stm::Point(p, From::Ptr(base), Exp::int(0)),
        Stm::Store(p, thread.clone(), thread.clone()),
        Stm::Barrier,
        when(is(thread, Exp::int(0)), vec![Stm::Store(out, Exp::int(0), load(p, Exp::int(63)))]),
    ];
    assert_eq!(maker.run(body), Ok(Scalar::I64(63)));
}

#[test]
fn the_host_does_not_touch_the_memory_of_the_device() {
    let mut maker = Maker::new();
    let (out, x) = (maker.out, maker.scalar("x"));
    maker.after = vec![Stm::Declare(x, Some(load(out, Exp::int(0))))];
    let body = vec![Stm::Store(out, Exp::int(0), Exp::int(1))];
    assert!(maker.complaint(body).contains("the host loads"));
}
