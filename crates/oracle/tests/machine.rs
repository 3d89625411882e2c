//! Deliberately wrong code: the machine reports what is wrong with it.

use fehu_base::{IdVec, Prim};
use fehu_imp::{Block, Exp, From, Fun, Kind, Program, RedOp, Stm, Tasks, Ty, V, VarInfo};
use fehu_interp::{Buffer, Value};
use fehu_ir::text::parse;
use fehu_ir::{BinOp, FunId, Prog, Scalar};
use fehu_oracle::heap::{Fault, Limits};
use fehu_oracle::machine::call;

/// A function of an array of n numbers, whose result is a number.
struct Maker {
    vars: IdVec<V, VarInfo>,
    n: V,
    mem: V,
    result: V,
    /// A pointer to the array, which the code begins with.
    xs: V,
    body: Block,
}

impl Maker {
    fn new() -> Maker {
        let mut vars: IdVec<V, VarInfo> = IdVec::default();
        let mut var = |hint: &str, ty: Ty| vars.push(VarInfo { hint: hint.into(), ty });
        let (n, mem) = (var("n", Ty::Scalar(Prim::I64)), var("xs_mem", Ty::Mem));
        let (result, xs) = (var("result", Ty::Scalar(Prim::I64)), var("xs", Ty::ptr(Prim::I64)));
        let body = vec![Stm::Declare(xs, None), Stm::Point(xs, From::Mem(mem), Exp::int(0))];
        Maker { vars, n, mem, result, xs, body }
    }

    fn var(&mut self, hint: &str, ty: Ty) -> V {
        self.vars.push(VarInfo { hint: hint.into(), ty })
    }

    fn scalar(&mut self, hint: &str) -> V {
        self.var(hint, Ty::Scalar(Prim::I64))
    }

    /// Runs the code on the numbers from 0 to 7.
    fn run(mut self, more: Vec<Stm>, result: Exp) -> Result<Scalar, Fault> {
        self.body.extend(more);
        self.body.push(Stm::Assign(self.result, result));
        let fun = Fun {
            name: "f".into(),
            vars: self.vars,
            params: vec![self.n, self.mem],
            results: vec![self.result],
            body: self.body,
        };
        let mut program = Program::default();
        program.funs.push(fun);
        let numbers = Value::vector(Buffer::I64((0..8).collect()));
        let args = [Value::Scalar(Scalar::I64(8)), numbers];
        let values = call(&signature(), &program, FunId(0), &args, Limits::default(), 7)?;
        Ok(values[0].as_scalar().expect("a number"))
    }

    fn complaint(self, more: Vec<Stm>, result: Exp) -> String {
        match self.run(more, result) {
            Err(Fault::Memory(message)) => message,
            other => panic!("{other:?}"),
        }
    }
}

/// The program that the code is of.
fn signature() -> Prog {
    let text = "prog arrays\nfun f (n: i64, xs: [n]i64) -> (r: i64) =\n  (n)\n";
    parse(text).expect("it is a program")
}

fn plus(a: Exp, b: Exp) -> Exp {
    Exp::Bin(BinOp::Add, Prim::I64, Box::new(a), Box::new(b))
}

fn load(p: V, at: Exp) -> Exp {
    Exp::Load(p, Box::new(at))
}

fn each(var: V, to: Exp, kind: Kind, body: Block) -> Stm {
    Stm::For { var, from: Exp::int(0), to, step: 1, kind, body }
}

#[test]
fn sums_of_independent_iterations_are_right() {
    let mut maker = Maker::new();
    let (i, sum) = (maker.scalar("i"), maker.scalar("sum"));
    let (xs, n) = (maker.xs, maker.n);
    let add = Stm::Assign(sum, plus(Exp::Var(sum), load(xs, Exp::Var(i))));
    let kind = Kind::Independent(vec![(sum, RedOp::Add)]);
    let code = vec![Stm::Declare(sum, Some(Exp::int(0))), each(i, Exp::Var(n), kind, vec![add])];
    assert_eq!(maker.run(code, Exp::Var(sum)), Ok(Scalar::I64(28)));
}

#[test]
fn independent_iterations_do_not_assign_to_what_is_around() {
    let mut maker = Maker::new();
    let (i, sum) = (maker.scalar("i"), maker.scalar("sum"));
    let (xs, n) = (maker.xs, maker.n);
    let add = Stm::Assign(sum, plus(Exp::Var(sum), load(xs, Exp::Var(i))));
    let kind = Kind::Independent(Vec::new());
    let code = vec![Stm::Declare(sum, Some(Exp::int(0))), each(i, Exp::Var(n), kind, vec![add])];
    assert!(maker.complaint(code, Exp::Var(sum)).contains("\"sum\""));
}

#[test]
fn independent_iterations_do_not_use_what_others_write() {
    let mut maker = Maker::new();
    let i = maker.scalar("i");
    let xs = maker.xs;
    let shift = Stm::Store(xs, Exp::Var(i), load(xs, plus(Exp::Var(i), Exp::int(1))));
    let code = |kind| vec![each(i, Exp::int(7), kind, vec![shift])];
    let message = maker.complaint(code(Kind::Independent(Vec::new())), Exp::int(0));
    assert!(message.contains("a race"), "{message}");
}

#[test]
fn one_after_the_other_they_may() {
    let mut maker = Maker::new();
    let i = maker.scalar("i");
    let xs = maker.xs;
    let shift = Stm::Store(xs, Exp::Var(i), load(xs, plus(Exp::Var(i), Exp::int(1))));
    let code = vec![each(i, Exp::int(7), Kind::Sequential, vec![shift])];
    assert_eq!(maker.run(code, load(xs, Exp::int(0))), Ok(Scalar::I64(1)));
}

/// Tasks that all do this to the same element of the array.
fn all_at_once(work: impl FnOnce(&mut Maker, V) -> Stm) -> Result<Scalar, Fault> {
    let mut maker = Maker::new();
    let [chunk, low, high] = ["chunk", "low", "high"].map(|hint| maker.scalar(hint));
    let i = maker.scalar("i");
    let (xs, total) = (maker.xs, Exp::Var(maker.n));
    let body = vec![Stm::For {
        var: i,
        from: Exp::Var(low),
        to: Exp::Var(high),
        step: 1,
        kind: Kind::Sequential,
        body: vec![work(&mut maker, xs)],
    }];
    let tasks = Tasks { site: 0, total, chunks: None, grain: 1, chunk, low, high, body };
    maker.run(vec![Stm::Tasks(Box::new(tasks))], load(xs, Exp::int(0)))
}

#[test]
fn tasks_meet_only_in_steps_that_cannot_be_interrupted() {
    let added = all_at_once(|_, xs| Stm::Atomic(RedOp::Add, xs, Exp::int(0), Exp::int(1)));
    assert_eq!(added, Ok(Scalar::I64(8)));
    let store = |xs| Stm::Store(xs, Exp::int(0), plus(load(xs, Exp::int(0)), Exp::int(1)));
    assert_eq!(all_at_once(|_, xs| Stm::Locked(Exp::int(0), vec![store(xs)])), Ok(Scalar::I64(8)));
    let Err(Fault::Memory(message)) = all_at_once(|_, xs| store(xs)) else {
        panic!("there is a race")
    };
    assert!(message.contains("a race"), "{message}");
}

#[test]
fn exchanges_cannot_be_interrupted() {
    // What is new depends on a variable of the body, and on what the element is.
    let added = all_at_once(|maker, xs| {
        let (old, more) = (maker.scalar("old"), maker.scalar("more"));
        let body = vec![Stm::Declare(more, Some(plus(Exp::Var(old), Exp::int(1))))];
        Stm::Exchange { ptr: xs, index: Exp::int(0), old, body, new: Exp::Var(more) }
    });
    assert_eq!(added, Ok(Scalar::I64(8)));
}

#[test]
fn guarded_blocks_do_not_disturb_each_other() {
    let store = |xs| Stm::Store(xs, Exp::int(0), plus(load(xs, Exp::int(0)), Exp::int(1)));
    let guarded = |first: i32| {
        all_at_once(|maker, xs| {
            let guards = maker.var("guards", Ty::Local(Prim::I32, 1));
            let set = Stm::Store(guards, Exp::int(0), Exp::Const(Scalar::I32(first)));
            let code = vec![
                Stm::Declare(guards, None),
                set,
                Stm::Guarded(guards, Exp::int(0), vec![store(xs)]),
            ];
            Stm::If(Exp::Const(Scalar::Bool(true)), code, Vec::new())
        })
    };
    assert_eq!(guarded(0), Ok(Scalar::I64(8)));
    let Err(Fault::Memory(message)) = guarded(1) else { panic!("nobody gives the guard back") };
    assert!(message.contains("not zero at first"), "{message}");
}

#[test]
fn memory_ends_with_its_last_handle() {
    let mut maker = Maker::new();
    let (mem, p) = (maker.var("a_mem", Ty::Mem), maker.var("a", Ty::ptr(Prim::I64)));
    let code = vec![
        Stm::Declare(mem, None),
        Stm::Declare(p, None),
        Stm::Alloc(mem, Prim::I64, Exp::int(1)),
        Stm::Point(p, From::Mem(mem), Exp::int(0)),
        Stm::Store(p, Exp::int(0), Exp::int(5)),
        Stm::Free(mem),
    ];
    assert!(maker.complaint(code, load(p, Exp::int(0))).contains("after its end"));
}

#[test]
fn local_arrays_end_with_their_block() {
    let mut maker = Maker::new();
    let (local, p) = (maker.var("a", Ty::Local(Prim::I64, 2)), maker.var("p", Ty::ptr(Prim::I64)));
    let inside = vec![
        Stm::Declare(local, None),
        Stm::Store(local, Exp::int(1), Exp::int(5)),
        Stm::Point(p, From::Ptr(local), Exp::int(1)),
    ];
    let yes = Exp::Const(Scalar::Bool(true));
    let code = vec![Stm::Declare(p, None), Stm::If(yes, inside, Vec::new())];
    assert!(maker.complaint(code, load(p, Exp::int(0))).contains("after its end"));
}

#[test]
fn loads_outside_and_unset_variables_are_told() {
    let maker = Maker::new();
    let xs = maker.xs;
    assert!(maker.complaint(Vec::new(), load(xs, Exp::int(8))).contains("outside"));
    let mut maker = Maker::new();
    let x = maker.scalar("x");
    assert!(maker.complaint(vec![Stm::Declare(x, None)], Exp::Var(x)).contains("Unset"));
}

#[test]
fn overlapping_copies_are_told() {
    let maker = Maker::new();
    let xs = maker.xs;
    let copy =
        |to| Stm::Copy { to: (xs, Exp::int(to)), from: (xs, Exp::int(0)), count: Exp::int(4) };
    assert!(maker.complaint(vec![copy(3)], Exp::int(0)).contains("overlap"));
    assert_eq!(Maker::new().run(vec![copy(4)], load(xs, Exp::int(7))), Ok(Scalar::I64(3)));
}

#[test]
fn what_is_never_released_is_told() {
    // The code keeps a block that belongs to its caller.
    let mut maker = Maker::new();
    let (kept, mem) = (maker.var("kept", Ty::Mem), maker.mem);
    maker.body.push(Stm::Share(kept, mem));
    assert!(maker.complaint(Vec::new(), Exp::int(0)).contains("never released"));
}
