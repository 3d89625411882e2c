//! Random programs as kernels, a few each time. A long run is `cargo xtask random --backend kernels --count 10000`.

use super::super::sample::{exposed, sample, stencil};
use super::super::{Backend, oracle};
use super::{Examined, Failure, NoMachine, build, examine};
use fehu_base::stack::with_large_stack;
use fehu_driver::pipelines::GPU;
use fehu_imp::rewrite::replace_stms;
use fehu_imp::{Program, Stm};
use fehu_interp::Value;
use fehu_ir::text::parse;
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Border, Exp, Prog, Tiling};
use fehu_irtest::passes::transform;
use fehu_oracle::machine::{Settings, Tally};
use std::collections::BTreeSet;
use std::ops::Range;

/// Some programs of each kind, from a seed on with which all kernels occur that are asked for, and none has inputs so large
/// that the machine takes seconds for it.
const COUNT: u64 = 24;
const FIRST: u64 = 84;
/// Small programs that have kernels with barriers.
const WITH_BARRIERS: [u64; 4] = [71, 95, 99, 103];

/// All kinds of kernels, by their hints.
const KINDS: [&str; 18] = [
    "alone",
    "block",
    "clear",
    "copy",
    "hist",
    "map",
    "merge",
    "path",
    "reduce",
    "rows",
    "scan",
    "scatter",
    "segments",
    "strip",
    "tile",
    "transpose",
    "transpose_strip",
    "window",
];

/// Small stencils, which together have one, two and three dimensions and borders of each kind.
const WINDOWS: [u64; 6] = [27, 35, 67, 70, 110, 148];

/// The kinds of borders: nothing outside is read, minima and maxima, remainders, constants, branches.
const BORDERS: [&str; 7] = ["", "min", "max", "mod", "convert", "else", "if"];

/// Programs that together have them all.
const RARE: [u64; 8] = [3, 7, 9, 29, 119, 131, 147, 571];

#[test]
fn random_programs_mean_the_same_as_kernels() {
    let all = examined(FIRST..FIRST + COUNT);
    assert!(all.runs.succeeded > 4 * all.runs.undefined, "{:?}", all.runs);
    assert!(all.versions as u64 > COUNT, "{}", all.versions);
    for hint in ["map", "reduce", "scan", "hist", "segments", "block"] {
        assert!(all.tally.contains_key(hint), "there is no kernel \"{hint}\": {:?}", all.tally);
    }
}

/// Who changes the generator finds other programs by `cargo xtask random --backend kernels --count 1`, which prints the kinds.
#[test]
fn random_programs_have_kernels_of_all_kinds() {
    let tally = examined(RARE).tally;
    let missing: Vec<&str> = KINDS.into_iter().filter(|kind| !tally.contains_key(*kind)).collect();
    assert!(missing.is_empty(), "there are no kernels {missing:?}: {tally:?}");
    let unknown: Vec<_> = tally.keys().filter(|kind| !KINDS.contains(&kind.as_str())).collect();
    assert!(unknown.is_empty(), "other kernels: {unknown:?}");
}

/// What becomes of the programs of some seeds.
fn examined(seeds: impl IntoIterator<Item = u64>) -> Examined {
    let mut all = Examined::default();
    for seed in seeds {
        let sample = sample(seed).unwrap_or_else(|why| panic!("{why}"));
        let found = with_large_stack(|| examine(&sample.prog, &oracle(seed, Backend::Kernels)));
        match found {
            Ok(examined) => {
                all.runs.add(examined.runs);
                all.versions += examined.versions;
                for (hint, count) in examined.tally {
                    *all.tally.entry(hint).or_default() += count;
                }
            }
            Err(Failure::Differs(why) | Failure::None(NoMachine::Broken(why))) => panic!(
                "seed {seed}: {why}\n`cargo xtask random --backend kernels --seed {seed} --count 1 --reduce 300` \
                 makes it smaller"
            ),
            Err(Failure::None(NoMachine::Refused(_))) => {}
        }
    }
    all
}

/// How often such a kernel was launched in all versions of a program, which have to mean the same.
fn launches(hint: &str, text: &str, seeds: Range<u64>) -> u64 {
    launches_of(hint, &parse(text).unwrap_or_else(|why| panic!("{why}")), seeds)
}

/// Likewise, of a program that is there.
fn launches_of(hint: &str, prog: &Prog, seeds: Range<u64>) -> u64 {
    let mut launches = 0;
    for seed in seeds {
        match with_large_stack(|| examine(prog, &oracle(seed, Backend::Kernels))) {
            Ok(examined) => launches += examined.tally.get(hint).copied().unwrap_or_default(),
            Err(Failure::Differs(why)) => panic!("seed {seed}: {why}"),
            Err(Failure::None(NoMachine::Broken(why) | NoMachine::Refused(why))) => {
                panic!("seed {seed}: it does not run: {why}")
            }
        }
    }
    launches
}

/// The forces between all pairs of bodies, for several systems: threads share what they read.
#[test]
fn strips_mean_the_same() {
    let bodies = r#"
        prog arrays
        fun f (n: i64, m: i64, k: i64, xss: [k][n]i32, yss: [k][m]i32) -> (r: [k][n]i32) =
          let (cs: [k][n]i32) = screma k (xss, yss) map \(xs: [n]i32, ys: [m]i32) -> ([n]i32) {
            let (ds: [n]i32) = screma n (xs) map \(x: i32) -> (i32) {
              let (d: i32) = screma m (ys) map \(y: i32) -> (i32) {
                let (c: bool) = lt x y
                let (e: i32) = if c then { let (q: i32) = mul x y in (q) } else { (y) }
                in (e)
              } red \(u: i32, v: i32) -> (i32) { let (w: i32) = max u v in (w) } neutral (-100000i32)
              in (d)
            }
            in (ds)
          }
          in (cs)
        entry "main" = f ("xss": [k][n]i32, "yss": [k][m]i32) -> [k][n]i32"#;
    let strips = launches("strip", bodies, 1..8);
    assert!(strips > 3, "{strips} strips");
}

/// Loops as the work of one block, in programs for devices with blocks of few threads, of 256 and of 1024: of these,
/// one warp combines what the others have. Neither what is reduced nor what is scanned can be combined in another
/// order.
#[test]
fn loops_of_one_block_mean_the_same() {
    let op = |hint: &str| {
        let names = ["a", "b", "c", "d", "e", "f", "g"].map(|name| format!("{name}{hint}"));
        let [a, b, c, d, e, f, g] = &names;
        format!(
            "\\({a}: i32, {b}: i32, {c}: i32, {d}: i32) -> (i32, i32) {{
               let ({e}: i32) = mul {a} {c} let ({f}: i32) = mul {b} {c} let ({g}: i32) = add {f} {d} in ({e}, {g}) }}
             neutral (1i32, 0i32)"
        )
    };
    let text = format!(
        r#"
        prog arrays
        fun f (n: i64, k: i64, xs: [n]i32, *rows: [k][n]i32) -> (r: [n]i32, s: [k][n]i32, w: i32) =
          let (count: i64) = and k 3
          let (ys: [n]i32, zss: [k][n]i32, t: i32) =
            loop (y: [n]i32 = xs, zs: [k][n]i32 = rows, u: i32 = 1i32) for i: i64 < count {{
              let (p0: i32, p: i32) = screma n (y) map \(y1: i32) -> (i32, i32) {{
                let (y2: i32) = or y1 1i32 in (y2, y1) }} red {}
              let (q0: [n]i32, q: [n]i32) = screma n (y) map \(y3: i32) -> (i32, i32) {{
                let (y4: i32) = add y3 p let (y5: i32) = or y4 1i32 in (y5, y4) }} scan {}
              let (zu: [k][n]i32) = update zs[i, 0:n:1] = q
              let (v: i32) = add u p
              in (q0, zu, v)
            }}
          in (ys, zss, t)
        entry "main" = f ("xs": [n]i32, "rows": *[k][n]i32) -> opaque "t" ([n]i32, [k][n]i32, i32)"#,
        op("0"),
        op("1")
    );
    let mut blocks = 0;
    for seed in [1, 2, 5, 20, 25] {
        blocks += launches("block", &text, seed..seed + 1);
    }
    assert!(blocks > 5, "{blocks} loops are kernels");
}

/// Windows with borders of each kind: threads share copies of what they read.
#[test]
fn windows_mean_the_same() {
    let mut borders = Borders::default();
    for seed in WINDOWS {
        let sample = stencil(seed).unwrap_or_else(|why| panic!("{why}"));
        let planned = transform(&sample.prog, GPU.passes).unwrap_or_else(|why| panic!("{why}"));
        planned.bodies().for_each(|body| borders.body(body));
        let windows = launches_of("window", &sample.prog, 1..3);
        assert!(windows > 0, "the stencil {seed} has no windows");
    }
    assert_eq!(borders.0, BTreeSet::from(BORDERS));
}

/// The kinds of borders that windows have.
#[derive(Default)]
struct Borders(BTreeSet<&'static str>);

impl Visit for Borders {
    fn exp(&mut self, exp: &Exp) {
        if let Exp::Seg(seg) = exp
            && let Some(Tiling::Windows(tiling)) = &seg.tiling
        {
            for window in &tiling.windows {
                self.0.extend(window.outside.map(|_| "else"));
                self.0.extend(window.guards.first().map(|_| "if"));
                for axis in &window.axes {
                    self.0.extend(axis.border.iter().map(|border| match border {
                        Border::Op(op, _) => op.name(),
                        Border::Convert(_) => "convert",
                    }));
                    if axis.border.is_empty()
                        && window.outside.is_none()
                        && window.guards.is_empty()
                    {
                        self.0.insert("");
                    }
                }
            }
        }
        walk_exp(self, exp);
    }
}

/// Bodies of cells, and those of all cells that are looked up in a loop: threads share what they read in each iteration.
#[test]
fn strips_in_loops_mean_the_same() {
    let cells = r#"
        prog arrays
        fun f (n: i64, m: i64, k: i64, a: [n][m]i32, near: [n][k]i64) -> (r: [n][m]i32) =
          let (cs: [n][m]i32) = screma n (a, near) map \(xs: [m]i32, js: [k]i64) -> ([m]i32) {
            let (ds: [m]i32) = screma m (xs) map \(x: i32) -> (i32) {
              let (d: i32) = loop (s: i32 = x) for l: i64 < k {
                let (h: i64) = index js[l]
                let (j: i64) = mod h n
                let (ys: [m]i32) = index a[j]
                let (e: i32) = loop (t: i32 = s) for i: i64 < m {
                  let (y: i32) = index ys[i]
                  let (z: i32) = mul t y
                  let (u: i32) = sub z x
                  in (u)
                }
                in (e)
              }
              in (d)
            }
            in (ds)
          }
          in (cs)
        entry "main" = f ("a": [n][m]i32, "near": [n][k]i64) -> [n][m]i32"#;
    let strips = launches("strip", cells, 1..8);
    assert!(strips > 3, "{strips} strips");
}

/// Products of blocks whose size is known: tiles of half the side. There are steps of full depth, and some are left.
#[test]
fn products_of_small_blocks_mean_the_same() {
    let blocks = r#"
        prog arrays
        fun f (k: i64, a: [k][5][18]i32, b: [k][5][18]i32) -> (r: [k][5][5]i32) =
          let (cs: [k][5][5]i32) = screma k (a, b) map \(xs: [5][18]i32, ys: [5][18]i32) -> ([5][5]i32) {
            let (ds: [5][5]i32) = screma 5 (xs) map \(x: [18]i32) -> ([5]i32) {
              let (es: [5]i32) = screma 5 (ys) map \(y: [18]i32) -> (i32) {
                let (d: i32) = loop (s: i32 = 0i32) for i: i64 < 18 {
                  let (p: i32) = index x[i]
                  let (q: i32) = index y[i]
                  let (z: i32) = mul p q
                  let (t: i32) = sub z s
                  in (t)
                }
                in (d)
              }
              in (es)
            }
            in (ds)
          }
          in (cs)
        entry "main" = f ("a": [k][5][18]i32, "b": [k][5][18]i32) -> [k][5][5]i32"#;
    let tiles = launches("tile", blocks, 1..4);
    assert!(tiles > 0, "{tiles} tiles");
}

/// For each l a product: rows of a tile are not neighbours in memory. A step also uses a number of its row, one of its
/// column, and an element that all share.
#[test]
fn products_between_rows_mean_the_same() {
    let products = r#"
        prog arrays
        fun f (n: i64, k: i64, d: i64, a: [k][d][18]i32, b: [n][k][18]i32, xs: [n]i32, ys: [k][d]i32, zs: [k][18]i32) -> (r: [n][k][d]i32) =
          let (cs: [n][k][d]i32) = screma n (b, xs) map \(bl: [k][18]i32, x: i32) -> ([k][d]i32) {
            let (ds: [k][d]i32) = screma k (a, bl, ys, zs) map \(al: [d][18]i32, bs: [18]i32, yl: [d]i32, zl: [18]i32) -> ([d]i32) {
              let (es: [d]i32) = screma d (al, yl) map \(as: [18]i32, y: i32) -> (i32) {
                let (e: i32) = screma 18 (as, bs, zl) map \(p: i32, q: i32, o: i32) -> (i32) {
                  let (z: i32) = mul p q
                  let (z1: i32) = add z x
                  let (z2: i32) = sub z1 y
                  let (z3: i32) = mul z2 o
                  in (z3)
                } red comm \(u: i32, v: i32) -> (i32) { let (w: i32) = add u v in (w) } neutral (0i32)
                in (e)
              }
              in (es)
            }
            in (ds)
          }
          in (cs)
        entry "main" = f ("a": [k][d][18]i32, "b": [n][k][18]i32, "xs": [n]i32, "ys": [k][d]i32, "zs": [k][18]i32) -> [n][k][d]i32"#;
    let tiles = launches("tile", products, 1..6);
    assert!(tiles > 0, "{tiles} tiles");
}

/// The code without one of its barriers, by number; none if there are not so many.
fn without_barrier(code: &Program, number: usize) -> Option<Program> {
    let mut code = code.clone();
    let mut met = 0;
    for fun in code.funs.values_mut() {
        replace_stms(&mut fun.body, &mut |stm| {
            if !matches!(stm, Stm::Barrier | Stm::WarpBarrier) {
                return None;
            }
            met += 1;
            (met == number + 1).then(Vec::new)
        });
    }
    (met > number).then_some(code)
}

#[test]
fn a_barrier_that_is_missing_is_noticed() {
    let (mut noticed, mut all) = (0, 0);
    for seed in WITH_BARRIERS {
        let sample = sample(seed).unwrap_or_else(|why| panic!("{why}"));
        let oracle = oracle(seed, Backend::Kernels);
        let Ok(mut kernels) = build(&sample.prog, seed) else { continue };
        let whole = kernels.code.clone();
        let settings = Settings { warp: 32, ..Settings::of_seed(seed) };
        for number in 0..12 {
            let Some(code) = without_barrier(&whole, number) else { break };
            *kernels.code = code;
            let mut tally = Tally::new();
            let call =
                &mut |entry: &str, args: &[Value]| kernels.call(entry, args, &settings, &mut tally);
            let found = with_large_stack(|| oracle.entries_agree_with(&sample.prog, call));
            all += 1;
            noticed += usize::from(found.is_err());
        }
    }
    // Kernels of versions that are not taken are not run, and some barriers are for more elements than there are.
    assert!(all > 20 && noticed * 4 > all, "{noticed} of {all}");
}

/// A thread that works alone has a small array for itself, and needs no atomic instructions for it.
#[test]
fn accumulators_in_the_memory_of_a_thread() {
    let text = "prog arrays
fun f (n: i64, xs: [n]i64) -> (ys: [n]i64, count: i64) =
  let (count_0: i64, part: [n]i64) =
    partition n (xs) 1 \\(x: i64) -> (i64, i64) {
      let (both: [2]i32) = replicate (2) 0i32
      let (sums: [2]i32) =
        withacc
          acc [2] (both)
            op \\(i: i64, a: i32, b: i32) -> (i32) { let (c: i32) = or a b in (c) } neutral (0i32)
          in \\(cert: unit, acc_0: acc(cert)) -> (acc(cert)) {
            let (places: [3]i64) = iota i64 3 x 1
            let (acc_1: acc(cert)) =
              screma 3 (places, acc_0) map \\(place: i64, acc_2: acc(cert)) -> (acc(cert)) {
                let (acc_3: acc(cert)) = update_acc acc_2 [place] (5i32)
                in (acc_3)
              }
            in (acc_1)
          }
      let (sum: i32) = index sums[0]
      let (wide: i64) = convert i64 sum
      in (0, wide)
    }
  in (part, count_0)
";
    let mut prog = parse(text).unwrap_or_else(|error| panic!("{error}"));
    exposed(&mut prog, 3).unwrap_or_else(|why| panic!("{why}"));
    match with_large_stack(|| examine(&prog, &oracle(3, Backend::Kernels))) {
        Ok(examined) => assert!(examined.runs.succeeded > 0, "{:?}", examined.runs),
        Err(
            Failure::Differs(why) | Failure::None(NoMachine::Broken(why) | NoMachine::Refused(why)),
        ) => {
            panic!("{why}")
        }
    }
}

/// Functions that call themselves, for the elements of rows that differ, and for those of rows that blocks of threads
/// share otherwise.
#[test]
fn functions_that_call_themselves_are_called_by_the_host() {
    let recursive = "
        fun rec (k: i64, x: i64) -> (r: i64) =
        let (done: bool) = le k 0
        let (b: i64) = if done then {(x)} else {
          let (l: i64) = add k -1 let (y: i64) = add x x let (a: i64) = call rec (l, y) in (a)
        } in (b)";
    let sum = |n: u32| {
        format!(
            "red comm \\(a{n}: i64, b{n}: i64) -> (i64) {{ let (c{n}: i64) = add a{n} b{n} in (c{n}) }} neutral (0)"
        )
    };
    let (sum1, sum2) = (sum(1), sum(2));
    let rows = format!(
        "prog arrays {recursive}
        fun f (n: i64, ks: [n]i64) -> (r0: [n]i64, r1: [n][4]i64, r2: [n]i64) =
        let (ys: [n]i64, hs: [n][4]i64, ts: [n]i64) = screma n (ks) map \\(k: i64) -> (i64, [4]i64, i64) {{
          let (m: i64) = mod k 8
          let (is: [m]i64) = iota i64 m 0 1
          let (s: i64) = screma m (is) map \\(x: i64) -> (i64) {{ let (z: i64) = call rec (3, x) in (z) }} {sum1}
          let (zeros: [4]i64) = replicate (4) 0
          let (h: [4]i64) = hist m (is) map \\(i: i64) -> (i64, i64) {{
            let (u: i64) = call rec (2, i) let (j: i64) = mod u 4 in (j, u) }} dest [4] race 1 (zeros)
            \\(a: i64, b: i64) -> (i64) {{ let (c: i64) = add a b in (c) }} neutral (0)
          let (count: i64, odd: [m]i64) = partition m (is) 1 \\(p: i64) -> (i64, i64) {{
            let (v: i64) = call rec (1, p) let (w: i64) = quot v 4 let (q: i64) = mod w 2 in (q, p) }}
          in (s, h, count)
        }}
        in (ys, hs, ts)
        entry \"f\" = f (\"ks\": [n]i64) -> opaque \"t\" ([n]i64, [n][4]i64, [n]i64)"
    );
    assert!(launches("rows", &rows, 0..4) > 0);
    let blocks = format!(
        "prog arrays {recursive}
        fun f (n: i64, m: i64, xss: [n][m]i64) -> (r: [n][m]i64) =
        let (ys: [n][m]i64) = screma n (xss) map \\(xs: [m]i64) -> ([m]i64) {{
          let (zs: [m]i64) = screma m (xs) map \\(x: i64) -> (i64) {{ let (z: i64) = call rec (3, x) in (z) }}
          let (s: i64) = screma m (zs) map \\(x1: i64) -> (i64) {{(x1)}} {sum2}
          let (ws: [m]i64) = screma m (xs) map \\(x2: i64) -> (i64) {{ let (w: i64) = mul s x2 in (w) }}
          in (ws)
        }}
        in (ys)
        entry \"f\" = f (\"xss\": [n][m]i64) -> [n][m]i64"
    );
    assert!(launches("map", &blocks, 0..4) > 0);
}
