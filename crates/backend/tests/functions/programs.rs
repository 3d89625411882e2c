//! The programs of the tests: imp, a `main` in C that calls it, and what that prints.

use super::build::*;
use fehu_imp::{
    Arg, Constant, Exp, From, Fun, FunId, Kind, Part, Prim, Program, RedOp, Stm, Tasks, Ty, V,
};
use fehu_ir::{BinOp, CmpOp, MathFn, Scalar, UnOp};

/// A test.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) program: Program,
    /// The statements of `main`, after `ctx` is there.
    pub(crate) main: &'static str,
    /// What is printed on standard output.
    pub(crate) output: &'static str,
    /// What is printed on standard error.
    pub(crate) errors: &'static str,
}

pub(crate) fn all() -> Vec<Case> {
    vec![
        // The numbers of functions in calls stay right when it comes first.
        calls_and_constants(),
        sum(),
        wrapping_sum(),
        exponentials(),
        nested_loops(),
        allocation_in_a_loop(),
        exports(),
        failing_check(),
        messages(),
        parallel_map(),
        chunked_reduction(),
        nested_tasks(),
        histogram(),
        locked_updates(),
        operators(),
        control(),
        traces(),
    ]
}

/// All programs in one.
pub(crate) fn together() -> Program {
    let mut whole = Program::default();
    for case in all() {
        case.program.funs.iter().for_each(|(_, fun)| {
            whole.funs.push(fun.clone());
        });
        whole.consts.extend(case.program.consts);
        whole.sites = whole.sites.max(case.program.sites);
    }
    whole
}

fn program(funs: impl IntoIterator<Item = Fun>, consts: &[u32], sites: usize) -> Program {
    let mut program = Program { sites, ..Program::default() };
    for fun in funs {
        program.funs.push(fun);
    }
    program.consts = consts.iter().map(|&fun| Constant { fun: FunId(fun) }).collect();
    program
}

fn sum() -> Case {
    let mut b = Build::new("sum");
    let total = b.result("total", F64);
    let (n, mem) = (b.param("n", I64), b.param("xs", Ty::Mem));
    let (xs, i) = (b.var("xs", Ty::ptr(Prim::F64)), b.var("i", I64));
    let fun = b.body(vec![
        declare(xs),
        Stm::Point(xs, From::Mem(mem), int(0)),
        Stm::Assign(total, f64(0.0)),
        for_loop(
            i,
            var(n),
            independent(&[(total, RedOp::Add)]),
            vec![Stm::Assign(total, add(Prim::F64, var(total), load(xs, var(i))))],
        ),
    ]);
    Case {
        name: "sum",
        program: program([fun], &[], 0),
        main: "double numbers[] = {1, 2, 3.5};
  struct fe_mem xs = {(unsigned char *)numbers, NULL};
  double total = 0;
  report(ctx, fe_fun_sum(ctx, &total, 3, xs));
  printf(\"%g\\n\", total);
  report(ctx, fe_fun_sum(ctx, &total, 0, (struct fe_mem){0}));
  printf(\"%g\\n\", total);",
        output: "6.5\n0\n",
        errors: "",
    }
}

/// A function alone, and in a loop that is to be vectorised.
fn exponentials() -> Case {
    let mut b = Build::new("exponentials");
    let total = b.result("total", Ty::Scalar(Prim::F32));
    let (n, mem) = (b.param("n", I64), b.param("xs", Ty::Mem));
    let (xs, i) = (b.var("xs", Ty::ptr(Prim::F32)), b.var("i", I64));
    let exp = |e: Exp| Exp::Math(MathFn::Exp, Prim::F32, vec![e]);
    let fun = b.body(vec![
        declare(xs),
        Stm::Point(xs, From::Mem(mem), int(0)),
        Stm::Assign(total, exp(Exp::Const(Scalar::F32(0.0)))),
        for_loop(
            i,
            var(n),
            independent(&[(total, RedOp::Add)]),
            vec![Stm::Assign(total, add(Prim::F32, var(total), exp(load(xs, var(i)))))],
        ),
    ]);
    Case {
        name: "exponentials",
        program: program([fun], &[], 0),
        main: "float numbers[] = {0, 0, 0};
  struct fe_mem xs = {(unsigned char *)numbers, NULL};
  float total = 0;
  report(ctx, fe_fun_exponentials(ctx, &total, 3, xs));
  printf(\"%g\\n\", total);",
        output: "4\n",
        errors: "",
    }
}

/// Signed numbers wrap around, so that this reduction is none that OpenMP knows.
fn wrapping_sum() -> Case {
    let mut b = Build::new("wrapping_sum");
    let total = b.result("total", I32);
    let (n, mem) = (b.param("n", I64), b.param("xs", Ty::Mem));
    let (xs, i) = (b.var("xs", Ty::ptr(Prim::I32)), b.var("i", I64));
    let fun = b.body(vec![
        declare(xs),
        Stm::Point(xs, From::Mem(mem), int(0)),
        for_loop(
            i,
            var(n),
            independent(&[(total, RedOp::Add)]),
            vec![Stm::Assign(total, add(Prim::I32, var(total), load(xs, var(i))))],
        ),
    ]);
    Case {
        name: "wrapping_sum",
        program: program([fun], &[], 0),
        main: "int32_t numbers[] = {INT32_MAX, 1, 1};
  struct fe_mem xs = {(unsigned char *)numbers, NULL};
  int32_t total = 0;
  report(ctx, fe_fun_wrapping_sum(ctx, &total, 3, xs));
  printf(\"%d\\n\", (int)total);",
        output: "-2147483647\n",
        errors: "",
    }
}

/// The sums of the rows of a matrix, starting at the second column.
fn nested_loops() -> Case {
    let mut b = Build::new("rows");
    let out = b.result("sums", Ty::Mem);
    let (n, m) = (b.param("n", I64), b.param("m", I64));
    let mem = b.param("matrix", Ty::Mem);
    let (a, sums) = (b.var("a", Ty::ptr(Prim::I64)), b.var("sums", Ty::ptr(Prim::I64)));
    let (i, j, acc) = (b.var("i", I64), b.var("j", I64), b.var("acc", I64));
    let fun = b.body(vec![
        declare(a),
        Stm::Point(a, From::Mem(mem), int(0)),
        Stm::Alloc(out, Prim::I64, var(n)),
        declare(sums),
        Stm::Point(sums, From::Mem(out), int(0)),
        for_loop(
            i,
            var(n),
            independent(&[]),
            vec![
                Stm::Declare(acc, Some(int(0))),
                for_loop(
                    j,
                    Exp::Index(vec![(1, vec![m]), (-1, vec![])]),
                    Kind::Sequential,
                    vec![Stm::Assign(
                        acc,
                        add(
                            Prim::I64,
                            var(acc),
                            load(a, Exp::Index(vec![(1, vec![i, m]), (1, vec![j]), (1, vec![])])),
                        ),
                    )],
                ),
                Stm::Store(sums, var(i), var(acc)),
            ],
        ),
    ]);
    Case {
        name: "nested_loops",
        program: program([fun], &[], 0),
        main: "int64_t numbers[] = {1, 2, 3, 4, 5, 6};
  struct fe_mem matrix = {(unsigned char *)numbers, NULL}, sums = {0};
  report(ctx, fe_fun_rows(ctx, &sums, 2, 3, matrix));
  int64_t *s = (int64_t *)sums.data;
  printf(\"%d %d\\n\", (int)s[0], (int)s[1]);
  fe_free(ctx, &sums);",
        output: "5 11\n",
        errors: "",
    }
}

/// In each iteration a buffer of another size; a handle keeps its block if it can. Two results, one of them shared.
fn allocation_in_a_loop() -> Case {
    let mut b = Build::new("buffers");
    let (out, same) = (b.result("out", Ty::Mem), b.result("same", Ty::Mem));
    let n = b.param("n", I64);
    let (buffer, p, sums) = (
        b.var("buffer", Ty::Mem),
        b.var("p", Ty::ptr(Prim::I64)),
        b.var("sums", Ty::ptr(Prim::I64)),
    );
    let (i, j, acc) = (b.var("i", I64), b.var("j", I64), b.var("acc", I64));
    let fun = b.body(vec![
        Stm::Alloc(out, Prim::I64, var(n)),
        declare(sums),
        Stm::Point(sums, From::Mem(out), int(0)),
        for_loop(
            i,
            var(n),
            Kind::Sequential,
            vec![
                declare(buffer),
                Stm::Alloc(buffer, Prim::I64, Exp::Index(vec![(100, vec![i]), (1, vec![])])),
                declare(p),
                Stm::Point(p, From::Mem(buffer), var(i)),
                for_loop(j, var(i), Kind::Sequential, vec![Stm::Store(p, var(j), var(j))]),
                Stm::Declare(acc, Some(int(0))),
                for_loop(
                    j,
                    var(i),
                    Kind::Sequential,
                    vec![Stm::Assign(acc, add(Prim::I64, var(acc), load(p, var(j))))],
                ),
                Stm::Store(sums, var(i), var(acc)),
            ],
        ),
        Stm::Free(buffer),
        Stm::Share(same, out),
    ]);
    Case {
        name: "allocation_in_a_loop",
        program: program([fun], &[], 0),
        main: "struct fe_mem out = {0}, same = {0};
  report(ctx, fe_fun_buffers(ctx, &out, &same, 5));
  int64_t *s = (int64_t *)out.data;
  printf(\"%d %d %d\\n\", (int)s[0], (int)s[3], (int)s[4]);
  printf(\"%d\\n\", out.data == same.data);
  fe_free(ctx, &out);
  printf(\"%d\\n\", (int)((int64_t *)same.data)[4]);
  fe_free(ctx, &same);",
        output: "0 3 6\n1\n6\n",
        errors: "",
    }
}

/// Everything but the first elements: of new memory, and of the caller's.
fn exports() -> Case {
    let mut b = Build::new("tails");
    let (new, old) = (b.result("new", Ty::Mem), b.result("old", Ty::Mem));
    let (n, mem) = (b.param("n", I64), b.param("xs", Ty::Mem));
    let (block, p, xs) =
        (b.var("block", Ty::Mem), b.var("p", Ty::ptr(Prim::I32)), b.var("xs", Ty::ptr(Prim::I32)));
    let i = b.var("i", I64);
    let fun = b.body(vec![
        declare(block),
        Stm::Alloc(block, Prim::I32, var(n)),
        declare(p),
        Stm::Point(p, From::Mem(block), int(0)),
        declare(xs),
        Stm::Point(xs, From::Mem(mem), int(0)),
        for_loop(
            i,
            var(n),
            independent(&[]),
            vec![Stm::Store(p, var(i), mul(Prim::I32, load(xs, var(i)), load(xs, var(i))))],
        ),
        Stm::Export { to: new, block: Some(block), ptr: p, index: int(1) },
        Stm::Export {
            to: old,
            block: None,
            ptr: xs,
            index: Exp::Index(vec![(1, vec![n]), (-1, vec![])]),
        },
    ]);
    Case {
        name: "exports",
        program: program([fun], &[], 0),
        main: "int32_t numbers[] = {1, 2, 3};
  struct fe_mem xs = {(unsigned char *)numbers, NULL}, new = {0}, old = {0};
  report(ctx, fe_fun_tails(ctx, &new, &old, 3, xs));
  printf(\"%d %d %d\\n\", (int)((int32_t *)new.data)[0], (int)((int32_t *)new.data)[1], (int)((int32_t *)old.data)[0]);
  fe_free(ctx, &new);
  fe_free(ctx, &old);",
        output: "4 9 3\n",
        errors: "",
    }
}

/// An element, checked, of a copy; the copy and the result are released when the check fails. So is it when there is no
/// memory.
fn failing_check() -> Case {
    let mut b = Build::new("element");
    let (out, result) = (b.result("x", F64), b.result("copy", Ty::Mem));
    let (n, mem, i) = (b.param("n", I64), b.param("xs", Ty::Mem), b.param("i", I64));
    let (copy, from, to) = (
        b.var("copy", Ty::Mem),
        b.var("from", Ty::ptr(Prim::F64)),
        b.var("to", Ty::ptr(Prim::F64)),
    );
    let fun = b.body(vec![
        declare(copy),
        Stm::Alloc(copy, Prim::F64, var(n)),
        Stm::Alloc(result, Prim::U8, int(10)),
        declare(from),
        Stm::Point(from, From::Mem(mem), int(0)),
        declare(to),
        Stm::Point(to, From::Mem(copy), int(0)),
        Stm::Copy { to: (to, int(0)), from: (from, int(0)), count: var(n) },
        Stm::Assert(
            in_bounds(var(i), var(n)),
            message(
                vec![
                    text("index ["),
                    Part::Value(var(i), Prim::I64),
                    text("] is 100% outside of \"["),
                    Part::Value(var(n), Prim::I64),
                    text("]\""),
                ],
                &["a.fut:1:2", "b.fut:3:4"],
            ),
        ),
        Stm::Assign(out, load(to, var(i))),
    ]);
    Case {
        name: "failing_check",
        program: program([fun], &[], 0),
        main: "double numbers[] = {1, 2};
  struct fe_mem xs = {(unsigned char *)numbers, NULL}, copy = {0};
  double x = 0;
  report(ctx, fe_fun_element(ctx, &x, &copy, 2, xs, 1));
  printf(\"%g\\n\", x);
  report(ctx, fe_fun_element(ctx, &x, &copy, 2, xs, -1));
  report(ctx, fe_fun_element(ctx, &x, &copy, INT64_MAX / 2, xs, 0));
  fe_free(ctx, &copy);",
        output: "2
code 2: Error: index [-1] is 100% outside of \"[2]\"
Backtrace:
-> #0  a.fut:1:2
   #1  b.fut:3:4
code 3: Error: out of memory: an array is larger than any memory
",
        errors: "",
    }
}

/// Values of all types in a message.
fn messages() -> Case {
    let mut b = Build::new("say");
    let c = b.param("c", BOOL);
    let constants = [
        Scalar::I8(-8),
        Scalar::I16(-16),
        Scalar::I32(i32::MIN),
        Scalar::I64(i64::MIN),
        Scalar::U8(255),
        Scalar::U16(65535),
        Scalar::U32(u32::MAX),
        Scalar::U64(u64::MAX),
        Scalar::from_bits(Prim::F16, 0x3e00),
        Scalar::F32(-0.1),
        Scalar::F64(-f64::NAN),
        Scalar::F64(f64::NEG_INFINITY),
        Scalar::Bool(true),
    ];
    let mut parts = Vec::new();
    for value in constants {
        let fehu_ir::Elem::Prim(prim) = value.elem() else { continue };
        parts.push(text(" "));
        parts.push(Part::Value(Exp::Const(value), prim));
    }
    let fun = b.body(vec![Stm::Assert(var(c), message(parts, &[]))]);
    Case {
        name: "messages",
        program: program([fun], &[], 0),
        main: "report(ctx, fe_fun_say(ctx, true));
  report(ctx, fe_fun_say(ctx, false));",
        output: "code 2: Error:  -8 -16 -2147483648 -9223372036854775808 255 65535 4294967295 \
                 18446744073709551615 1.500000 -0.100000 nan -inf true\n",
        errors: "",
    }
}

fn tasks(site: usize, total: Exp, chunks: Option<V>, own: [V; 3], body: Vec<Stm>) -> Stm {
    let [chunk, low, high] = own;
    Stm::Tasks(Box::new(Tasks { site, total, chunks, grain: 1, chunk, low, high, body }))
}

fn own(b: &mut Build) -> [V; 3] {
    [b.var("chunk", I64), b.var("lo", I64), b.var("hi", I64)]
}

fn range(i: V, low: V, high: V, kind: Kind, body: Vec<Stm>) -> Stm {
    Stm::For { var: i, from: var(low), to: var(high), step: 1, kind, body }
}

/// `map (* k) xs`
fn parallel_map() -> Case {
    let mut b = Build::new("scale");
    let out = b.result("ys", Ty::Mem);
    let (k, n, mem) = (b.param("k", F64), b.param("n", I64), b.param("xs", Ty::Mem));
    let (xs, ys) = (b.var("xs", Ty::ptr(Prim::F64)), b.var("ys", Ty::ptr(Prim::F64)));
    let (own, i) = (own(&mut b), b.var("i", I64));
    let fun = b.body(vec![
        Stm::Alloc(out, Prim::F64, var(n)),
        declare(xs),
        Stm::Point(xs, From::Mem(mem), int(0)),
        declare(ys),
        Stm::Point(ys, From::Mem(out), int(0)),
        tasks(
            0,
            var(n),
            None,
            own,
            vec![range(
                i,
                own[1],
                own[2],
                independent(&[]),
                vec![Stm::Store(ys, var(i), mul(Prim::F64, var(k), load(xs, var(i))))],
            )],
        ),
    ]);
    Case {
        name: "parallel_map",
        program: program([fun], &[], 1),
        main: "double numbers[] = {1, 2, 3, 4, 5};
  struct fe_mem xs = {(unsigned char *)numbers, NULL}, ys = {0};
  report(ctx, fe_fun_scale(ctx, &ys, 2, 5, xs));
  for (int i = 0; i < 5; i++) {
    printf(\"%g \", ((double *)ys.data)[i]);
  }
  fe_free(ctx, &ys);",
        output: "2 4 6 8 10 ",
        errors: "",
    }
}

/// Each chunk has a partial sum; one of the tasks fails if there is a negative number, and has memory of its own then.
fn chunked_reduction() -> Case {
    let mut b = Build::new("total");
    let total = b.result("total", F64);
    let (n, mem) = (b.param("n", I64), b.param("xs", Ty::Mem));
    let (chunks, partial_mem) = (b.var("chunks", I64), b.var("partials", Ty::Mem));
    let partials = b.var("partials", Ty::ptr(Prim::F64));
    let own = own(&mut b);
    let (own_mem, xs) = (b.var("scratch", Ty::Mem), b.var("xs", Ty::ptr(Prim::F64)));
    let (i, j, acc) = (b.var("i", I64), b.var("j", I64), b.var("acc", F64));
    let fun = b.body(vec![
        declare(chunks),
        Stm::Chunks(chunks, 0, var(n)),
        declare(partial_mem),
        Stm::Alloc(partial_mem, Prim::F64, var(chunks)),
        declare(partials),
        Stm::Point(partials, From::Mem(partial_mem), int(0)),
        tasks(
            0,
            var(n),
            Some(chunks),
            own,
            vec![
                declare(own_mem),
                Stm::Alloc(own_mem, Prim::F64, int(8)),
                // A borrowed handle may be shared, but not counted.
                Stm::Share(own_mem, mem),
                declare(xs),
                Stm::Point(xs, From::Mem(own_mem), int(0)),
                Stm::Declare(acc, Some(f64(0.0))),
                range(
                    i,
                    own[1],
                    own[2],
                    independent(&[(acc, RedOp::Add)]),
                    vec![
                        Stm::Assert(
                            cmp(CmpOp::Le, Prim::F64, f64(0.0), load(xs, var(i))),
                            message(vec![text("negative: "), Part::Value(var(i), Prim::I64)], &[]),
                        ),
                        Stm::Assign(acc, add(Prim::F64, var(acc), load(xs, var(i)))),
                    ],
                ),
                Stm::Store(partials, var(own[0]), var(acc)),
            ],
        ),
        for_loop(
            j,
            var(chunks),
            Kind::Sequential,
            vec![Stm::Assign(total, add(Prim::F64, var(total), load(partials, var(j))))],
        ),
    ]);
    Case {
        name: "chunked_reduction",
        program: program([fun], &[], 1),
        main: "double numbers[] = {1, 2, 3, 4, 5};
  struct fe_mem xs = {(unsigned char *)numbers, NULL};
  double total = 0;
  report(ctx, fe_fun_total(ctx, &total, 5, xs));
  printf(\"%g\\n\", total);
  numbers[3] = -1;
  report(ctx, fe_fun_total(ctx, &total, 5, xs));",
        output: "15\ncode 2: Error: negative: 3\n",
        errors: "",
    }
}

/// A table of products, rows in parallel, and their elements too. A small array from outside is used inside.
fn nested_tasks() -> Case {
    let mut b = Build::new("products");
    let out = b.result("table", Ty::Mem);
    let n = b.param("n", I64);
    let (table, factors) =
        (b.var("table", Ty::ptr(Prim::I64)), b.var("factors", Ty::Local(Prim::I64, 2)));
    let (outer, inner) = (own(&mut b), own(&mut b));
    let (i, j, row) = (b.var("i", I64), b.var("j", I64), b.var("row", Ty::ptr(Prim::I64)));
    let fun = b.body(vec![
        Stm::Alloc(out, Prim::I64, Exp::Index(vec![(1, vec![n, n])])),
        declare(table),
        Stm::Point(table, From::Mem(out), int(0)),
        declare(factors),
        Stm::Store(factors, int(0), int(1)),
        Stm::Store(factors, int(1), int(-1)),
        tasks(
            0,
            var(n),
            None,
            outer,
            vec![range(
                i,
                outer[1],
                outer[2],
                independent(&[]),
                vec![
                    declare(row),
                    Stm::Point(row, From::Ptr(table), Exp::Index(vec![(1, vec![i, n])])),
                    tasks(
                        1,
                        var(n),
                        None,
                        inner,
                        vec![range(
                            j,
                            inner[1],
                            inner[2],
                            independent(&[]),
                            vec![Stm::Store(
                                row,
                                var(j),
                                mul(
                                    Prim::I64,
                                    Exp::Index(vec![(1, vec![i, j])]),
                                    load(factors, bin(BinOp::And, Prim::I64, var(j), int(1))),
                                ),
                            )],
                        )],
                    ),
                ],
            )],
        ),
    ]);
    Case {
        name: "nested_tasks",
        program: program([fun], &[], 2),
        main: "struct fe_mem table = {0};
  report(ctx, fe_fun_products(ctx, &table, 3));
  for (int i = 0; i < 9; i++) {
    printf(\"%d \", (int)((int64_t *)table.data)[i]);
  }
  fe_free(ctx, &table);",
        output: "0 0 0 0 -1 2 0 -2 4 ",
        errors: "",
    }
}

/// Atomic updates of all kinds, in tasks.
fn histogram() -> Case {
    let mut b = Build::new("histogram");
    let (n, ints, floats, bools) = (
        b.param("n", I64),
        b.param("ints", Ty::Mem),
        b.param("floats", Ty::Mem),
        b.param("bools", Ty::Mem),
    );
    let (p, q, r) = (
        b.var("p", Ty::ptr(Prim::I32)),
        b.var("q", Ty::ptr(Prim::F32)),
        b.var("r", Ty::ptr(Prim::Bool)),
    );
    let (own, i) = (own(&mut b), b.var("i", I64));
    let small = Exp::Convert(Prim::I64, Prim::I32, Box::new(var(i)));
    let single = Exp::Convert(Prim::I64, Prim::F32, Box::new(var(i)));
    let fun = b.body(vec![
        declare(p),
        Stm::Point(p, From::Mem(ints), int(0)),
        declare(q),
        Stm::Point(q, From::Mem(floats), int(0)),
        declare(r),
        Stm::Point(r, From::Mem(bools), int(0)),
        tasks(
            0,
            var(n),
            None,
            own,
            vec![range(
                i,
                own[1],
                own[2],
                independent(&[]),
                vec![
                    Stm::Atomic(RedOp::Add, p, int(0), small.clone()),
                    Stm::Atomic(RedOp::Max, p, int(1), small.clone()),
                    // An index that is worth a name.
                    Stm::Atomic(RedOp::Xor, p, bin(BinOp::Max, Prim::I64, int(2), int(1)), small),
                    Stm::Atomic(RedOp::Add, q, int(0), single.clone()),
                    Stm::Atomic(RedOp::Min, q, int(1), single),
                    Stm::Atomic(RedOp::Or, r, int(0), cmp(CmpOp::Eq, Prim::I64, var(i), int(3))),
                ],
            )],
        ),
    ]);
    Case {
        name: "histogram",
        program: program([fun], &[], 1),
        main: "int32_t ints[] = {0, 0, 0};
  float floats[] = {0.5f, 7};
  bool bools[] = {false};
  struct fe_mem i = {(unsigned char *)ints, NULL}, f = {(unsigned char *)floats, NULL};
  struct fe_mem b = {(unsigned char *)bools, NULL};
  report(ctx, fe_fun_histogram(ctx, 6, i, f, b));
  printf(\"%d %d %d %g %g %d\\n\", (int)ints[0], (int)ints[1], (int)ints[2], floats[0], floats[1], bools[0]);",
        output: "15 5 1 15.5 0 1\n",
        errors: "",
    }
}

/// A lock is given back when something fails while it is held.
fn locked_updates() -> Case {
    let mut b = Build::new("update");
    let (n, mem) = (b.param("n", I64), b.param("xs", Ty::Mem));
    let (p, own, i) = (b.var("p", Ty::ptr(Prim::I64)), own(&mut b), b.var("i", I64));
    let fun = b.body(vec![
        declare(p),
        Stm::Point(p, From::Mem(mem), int(0)),
        tasks(
            0,
            var(n),
            None,
            own,
            vec![range(
                i,
                own[1],
                own[2],
                Kind::Sequential,
                vec![Stm::Locked(
                    var(i),
                    vec![
                        Stm::Assert(
                            cmp(CmpOp::Lt, Prim::I64, load(p, int(0)), int(10)),
                            message(vec![text("full")], &[]),
                        ),
                        Stm::Store(p, int(0), add(Prim::I64, load(p, int(0)), var(i))),
                    ],
                )],
            )],
        ),
    ]);
    Case {
        name: "locked_updates",
        program: program([fun], &[], 1),
        main: "int64_t numbers[] = {0};
  struct fe_mem xs = {(unsigned char *)numbers, NULL};
  report(ctx, fe_fun_update(ctx, 3, xs));
  printf(\"%d\\n\", (int)numbers[0]);
  numbers[0] = 10;
  report(ctx, fe_fun_update(ctx, 3, xs));
  numbers[0] = 0;
  report(ctx, fe_fun_update(ctx, 3, xs));
  printf(\"%d\\n\", (int)numbers[0]);",
        output: "3\ncode 2: Error: full\n3\n",
        errors: "",
    }
}

/// Constants of two results; a loop whose array is argument and result of a call; a callee that stands later.
fn calls_and_constants() -> Case {
    let mut b = Build::new("table");
    let (size, out) = (b.result("size", I64), b.result("table", Ty::Mem));
    let (p, i) = (b.var("p", Ty::ptr(Prim::I64)), b.var("i", I64));
    let table = b.body(vec![
        Stm::Assign(size, int(4)),
        Stm::Alloc(out, Prim::I64, var(size)),
        declare(p),
        Stm::Point(p, From::Mem(out), int(0)),
        for_loop(i, var(size), independent(&[]), vec![Stm::Store(p, var(i), var(i))]),
    ]);
    let mut b = Build::new("powers");
    let (n, out) = (b.result("n", I64), b.result("xs", Ty::Mem));
    let (steps, i) = (b.param("steps", I64), b.var("i", I64));
    let p = b.var("p", Ty::ptr(Prim::I64));
    let argument = Arg::Mem { block: Some(out), ptr: p, index: int(0) };
    let powers = b.body(vec![
        Stm::Const(0, vec![(0, n), (1, out)]),
        for_loop(
            i,
            var(steps),
            Kind::Sequential,
            vec![
                declare(p),
                Stm::Point(p, From::Mem(out), int(0)),
                Stm::Call(FunId(2), vec![out], vec![Arg::Scalar(var(n)), argument]),
            ],
        ),
    ]);
    let mut b = Build::new("twice");
    let out = b.result("ys", Ty::Mem);
    let (n, mem) = (b.param("n", I64), b.param("xs", Ty::Mem));
    let (p, q, i) =
        (b.var("p", Ty::ptr(Prim::I64)), b.var("q", Ty::ptr(Prim::I64)), b.var("i", I64));
    let twice = b.body(vec![
        Stm::Alloc(out, Prim::I64, var(n)),
        declare(p),
        Stm::Point(p, From::Mem(mem), int(0)),
        declare(q),
        Stm::Point(q, From::Mem(out), int(0)),
        for_loop(
            i,
            var(n),
            independent(&[]),
            vec![Stm::Store(
                q,
                var(i),
                mul(
                    Prim::I64,
                    int(2),
                    load(p, Exp::Index(vec![(1, vec![n]), (-1, vec![i]), (-1, vec![])])),
                ),
            )],
        ),
    ]);
    Case {
        name: "calls_and_constants",
        program: program([table, powers, twice], &[0], 0),
        main: "for (int steps = 0; steps < 4; steps++) {
    int64_t n = 0;
    struct fe_mem xs = {0};
    report(ctx, fe_fun_powers(ctx, &n, &xs, steps));
    for (int i = 0; i < n; i++) {
      printf(\"%d \", (int)((int64_t *)xs.data)[i]);
    }
    fe_free(ctx, &xs);
  }",
        output: "0 1 2 3 6 4 2 0 0 4 8 12 24 16 8 0 ",
        errors: "",
    }
}

/// Parentheses where they are needed, and functions where C's operators would be wrong.
fn operators() -> Case {
    let mut b = Build::new("operators");
    let out = b.result("results", Ty::Mem);
    let (x, y) = (b.param("x", F64), b.param("y", F64));
    let (i, u) = (b.param("i", I64), b.param("u", Ty::Scalar(Prim::U32)));
    let (s, c) = (b.param("s", Ty::Scalar(Prim::I8)), b.param("c", BOOL));
    let p = b.var("p", Ty::ptr(Prim::F64));
    let lt = |a, b| cmp(CmpOp::Lt, Prim::I64, a, b);
    let le = |a, b| cmp(CmpOp::Le, Prim::I64, a, b);
    let not = |a| Exp::Un(UnOp::Not, Prim::Bool, Box::new(a));
    let or = |a, b| bin(BinOp::Or, Prim::Bool, a, b);
    let sub = |a, b| bin(BinOp::Sub, Prim::F64, a, b);
    let select = |a, b, c| Exp::Select(Box::new([a, b, c]));
    let number = |a| select(a, f64(1.0), f64(0.0));
    let from = |prim, a| Exp::Convert(prim, Prim::F64, Box::new(a));
    let values = vec![
        sub(var(x), sub(var(y), f64(-1.0))),
        sub(sub(var(x), var(y)), mul(Prim::F64, sub(var(x), var(y)), f64(0.5))),
        Exp::Un(UnOp::Neg, Prim::F64, Box::new(Exp::Un(UnOp::Neg, Prim::F64, Box::new(f64(-2.0))))),
        Exp::Math(MathFn::Sqrt, Prim::F64, vec![bin(BinOp::Max, Prim::F64, var(x), f64(f64::NAN))]),
        number(and(or(var(c), lt(var(i), int(0))), not(lt(var(i), int(5))))),
        number(or(and(var(c), var(c)), or(not(le(var(i), int(i64::MIN))), var(c)))),
        number(not(cmp(CmpOp::Lt, Prim::F64, var(x), f64(f64::NAN)))),
        // Nothing is less than the least number; compilers would say so.
        number(cmp(CmpOp::Lt, Prim::U32, var(u), Exp::Const(Scalar::U32(0)))),
        number(cmp(CmpOp::Le, Prim::Bool, var(c), cmp(CmpOp::Eq, Prim::I64, var(i), int(7)))),
        from(
            Prim::I64,
            bin(
                BinOp::Or,
                Prim::I64,
                bin(BinOp::And, Prim::I64, var(i), add(Prim::I64, var(i), int(i64::MIN))),
                bin(BinOp::Xor, Prim::I64, var(i), int(-1)),
            ),
        ),
        from(
            Prim::U32,
            add(Prim::U32, mul(Prim::U32, var(u), var(u)), Exp::Const(Scalar::U32(u32::MAX))),
        ),
        from(Prim::I8, add(Prim::I8, var(s), var(s))),
        from(
            Prim::U8,
            Exp::Un(
                UnOp::Not,
                Prim::U8,
                Box::new(Exp::Convert(Prim::I8, Prim::U8, Box::new(var(s)))),
            ),
        ),
        from(
            Prim::F16,
            add(
                Prim::F16,
                Exp::Convert(Prim::I8, Prim::F16, Box::new(var(s))),
                Exp::Const(Scalar::from_bits(Prim::F16, 0x3800)),
            ),
        ),
        from(Prim::I64, Exp::Convert(Prim::F64, Prim::I64, Box::new(f64(-2.5)))),
        from(
            Prim::U64,
            Exp::Reinterpret(Prim::F64, Prim::U64, Box::new(select(var(c), f64(0.0), f64(5e-324)))),
        ),
        from(
            Prim::I64,
            Exp::Index(vec![(-3, vec![i, i]), (0, vec![i]), (-1, vec![i]), (-2, vec![])]),
        ),
        from(
            Prim::Bool,
            bin(
                BinOp::Xor,
                Prim::Bool,
                var(c),
                cmp(CmpOp::Eq, Prim::Bool, var(c), Exp::Const(Scalar::Bool(true))),
            ),
        ),
        from(Prim::I64, bin(BinOp::Div, Prim::I64, var(i), int(-2))),
    ];
    let count = values.len() as i64;
    let mut body = vec![
        Stm::Alloc(out, Prim::F64, int(count)),
        declare(p),
        Stm::Point(p, From::Mem(out), int(0)),
    ];
    body.extend(values.into_iter().enumerate().map(|(k, e)| Stm::Store(p, int(k as i64), e)));
    Case {
        name: "operators",
        program: program([b.body(body)], &[], 0),
        main: "struct fe_mem results = {0};
  report(ctx, fe_fun_operators(ctx, &results, 9, 4, 7, 65536, 100, true));
  for (int i = 0; i < 19; i++) {
    printf(\"%.17g \", ((double *)results.data)[i]);
  }
  fe_free(ctx, &results);",
        output: "4 2.5 -2 3 1 1 1 0 1 -1 4294967295 -56 155 100.5 -2 0 -156 0 -4 ",
        errors: "",
    }
}

/// Branches, chains of them, switches, `while`, steps, and bounds that change in the loop.
fn control() -> Case {
    let mut b = Build::new("control");
    let (a, z) = (b.result("a", I64), b.result("z", I64));
    let (n, c) = (b.param("n", I64), b.param("c", BOOL));
    let (end, i, k) = (b.var("end", I64), b.var("i", I64), b.var("k", Ty::Scalar(Prim::U8)));
    let set = |v, n| vec![Stm::Assign(v, int(n))];
    let equals = |n_| cmp(CmpOp::Eq, Prim::I64, var(n), int(n_));
    let step = |v, by| Stm::Assign(v, add(Prim::I64, var(v), by));
    let fun = b.body(vec![
        Stm::Comment("what is\nthere \\".into()),
        Stm::If(
            equals(0),
            set(a, 10),
            vec![Stm::If(equals(1), set(a, 20), vec![Stm::If(equals(2), vec![], set(a, 30))])],
        ),
        Stm::Switch(
            var(n),
            vec![(Scalar::I64(-1), set(z, 1)), (Scalar::I64(2), set(z, 2))],
            set(z, 3),
        ),
        Stm::Switch(
            var(c),
            vec![(Scalar::Bool(false), vec![step(z, int(10))])],
            vec![step(z, int(20))],
        ),
        Stm::Declare(end, Some(int(4))),
        Stm::For {
            var: i,
            from: int(0),
            to: var(end),
            step: 2,
            kind: Kind::Sequential,
            body: vec![step(end, int(1)), step(a, var(i))],
        },
        Stm::While(cmp(CmpOp::Lt, Prim::I64, var(a), int(100)), vec![step(a, var(a))]),
        Stm::For {
            var: k,
            from: Exp::Const(Scalar::U8(250)),
            to: Exp::Const(Scalar::U8(255)),
            step: 1,
            kind: Kind::Sequential,
            body: vec![step(z, Exp::Convert(Prim::U8, Prim::I64, Box::new(var(k))))],
        },
    ]);
    Case {
        name: "control",
        program: program([fun], &[], 0),
        main: "for (int n = -1; n < 4; n++) {
    int64_t a = 0, z = 0;
    report(ctx, fe_fun_control(ctx, &a, &z, n, n == 2));
    printf(\"%d %d, \", (int)a, (int)z);
  }",
        output: "128 1271, 192 1273, 176 1273, 128 1282, 128 1273, ",
        errors: "",
    }
}

/// What programs print while they run.
fn traces() -> Case {
    let mut b = Build::new("trace");
    let (n, mem, x) = (b.param("n", I64), b.param("xs", Ty::Mem), b.param("x", F64));
    let p = b.var("p", Ty::ptr(Prim::F32));
    let half = Exp::Const(Scalar::from_bits(Prim::F16, 0x2e66));
    let fun = b.body(vec![
        declare(p),
        Stm::Point(p, From::Mem(mem), int(0)),
        Stm::Trace("x \"%d\"".into(), var(x), Prim::F64),
        Stm::Trace("f16".into(), half, Prim::F16),
        Stm::Trace("i8".into(), Exp::Const(Scalar::I8(-128)), Prim::I8),
        Stm::Trace("u64".into(), Exp::Const(Scalar::U64(u64::MAX)), Prim::U64),
        Stm::Trace("bool".into(), cmp(CmpOp::Lt, Prim::I64, var(n), int(0)), Prim::Bool),
        Stm::TraceArray("xs".into(), p, vec![var(n), int(2)]),
        Stm::TraceArray("none".into(), p, vec![int(0), var(n)]),
    ]);
    Case {
        name: "traces",
        program: program([fun], &[], 0),
        main: "float numbers[] = {1, 0.1f, 12345678, 1e-3f, INFINITY, NAN};
  struct fe_mem xs = {(unsigned char *)numbers, NULL};
  report(ctx, fe_fun_trace(ctx, 3, xs, 1e22));
  report(ctx, fe_fun_trace(ctx, 1, xs, -123456.25));",
        output: "",
        errors: "x \"%d\": 1.0e22f64
f16: 9.9975586e-2f16
i8: -128i8
u64: 18446744073709551615u64
bool: false
xs: [[1.0f32, 0.1f32], [1.2345678e7f32, 1.0e-3f32], [f32.inf, f32.nan]]
none: empty([0][3]f32)
x \"%d\": -123456.25f64
f16: 9.9975586e-2f16
i8: -128i8
u64: 18446744073709551615u64
bool: false
xs: [[1.0f32, 0.1f32]]
none: empty([0][1]f32)
",
    }
}
