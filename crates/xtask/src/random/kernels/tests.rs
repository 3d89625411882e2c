//! Random programs as kernels, a few each time. A long run is `cargo xtask random --backend kernels --count 10000`.

use super::super::sample::sample;
use super::super::{Backend, oracle};
use super::{Examined, Failure, NoMachine, build, examine};
use fehu_base::stack::with_large_stack;
use fehu_imp::rewrite::replace_stms;
use fehu_imp::{Program, Stm};
use fehu_interp::Value;
use fehu_oracle::machine::{Settings, Tally};

/// Some programs of each kind, from a seed on with which all kernels occur that are asked for.
const COUNT: u64 = 24;
const FIRST: u64 = 60;

#[test]
fn random_programs_mean_the_same_as_kernels() {
    let mut all = Examined::default();
    for seed in FIRST..FIRST + COUNT {
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
    assert!(all.runs.succeeded > 4 * all.runs.undefined, "{:?}", all.runs);
    assert!(all.versions as u64 > COUNT, "{}", all.versions);
    for hint in ["map", "reduce", "scan", "hist", "segments", "block"] {
        assert!(all.tally.contains_key(hint), "there is no kernel \"{hint}\": {:?}", all.tally);
    }
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
    let prog = fehu_ir::text::parse(bodies).unwrap_or_else(|why| panic!("{why}"));
    let mut launches = 0;
    for seed in 1..8 {
        match with_large_stack(|| examine(&prog, &oracle(seed, Backend::Kernels))) {
            Ok(examined) => launches += examined.tally.get("strip").copied().unwrap_or_default(),
            Err(Failure::Differs(why)) => panic!("seed {seed}: {why}"),
            Err(Failure::None(_)) => panic!("seed {seed}: it does not run"),
        }
    }
    assert!(launches > 3, "{launches} strips");
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
    for seed in (3..19).step_by(4) {
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
