//! Random programs as kernels, a few each time. A long run is `cargo xtask random --backend kernels --count 10000`.

use super::super::sample::sample;
use super::super::{Backend, oracle};
use super::{Examined, Failure, NoMachine, examine};
use fehu_base::stack::with_large_stack;

/// Some programs of each kind.
const COUNT: u64 = 40;

#[test]
fn random_programs_mean_the_same_as_kernels() {
    let mut all = Examined::default();
    for seed in 0..COUNT {
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
