//! Random programs in the language, a few each time.
//!
//! `FEHU_RANDOM_PROGRAMS` sets how many are interpreted, `FEHU_RANDOM_SEED` the first. A long run is `cargo xtask random-source`,
//! which also makes programs smaller.

use super::{INSIDE, PLAIN, Servers, Subject, Way, lower, text_of};
use fehu_base::stack::with_large_stack;
use fehu_driver::cache::Cache;
use fehu_driver::stages::Target;
use fehu_driver::temporary::Folder;
use fehu_irtest::oracle::Runs;

const BATCH: u64 = 20;
/// The first of the programs that are tried each time.
const FIRST: u64 = 1000;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The runs of programs in some ways.
fn runs(first: u64, count: u64, ways: &[Way], servers: Option<&Servers>) -> Runs {
    let mut all = Runs::default();
    let mut seed = first;
    while seed < first + count {
        let seeds: Vec<u64> = (seed..(seed + BATCH).min(first + count)).collect();
        let prog = lower(&text_of(&seeds));
        let prog = prog.unwrap_or_else(|fault| panic!("{seeds:?}: {}: {}", fault.kind, fault.text));
        let subject = Subject::new(prog);
        for way in ways {
            match subject.examine(*way, servers) {
                Ok(runs) => all.add(runs),
                Err(fault) => panic!(
                    "{seeds:?}, {way}: {}: {}\n`cargo xtask random-source --seed {seed} --count {BATCH}` \
                     makes it smaller",
                    fault.kind, fault.text
                ),
            }
        }
        seed += BATCH;
    }
    all
}

#[test]
fn random_programs_mean_the_same_on_every_way_through_the_compiler() {
    let (first, count) = (number("FEHU_RANDOM_SEED", FIRST), number("FEHU_RANDOM_PROGRAMS", 80));
    let all = with_large_stack(|| runs(first, count, &INSIDE, None));
    assert!(all.succeeded > 2 * all.failed && all.failed > 0, "{all:?}");
    assert!(all.succeeded > 20 * all.undefined, "{all:?}");
}

#[test]
fn random_programs_mean_the_same_when_they_are_compiled() {
    let first = number("FEHU_RANDOM_SEED", FIRST);
    let folder = Folder::new().expect("a temporary folder");
    let runtimes = Cache::at(folder.path().to_owned(), u64::MAX).expect("a cache");
    let servers = Servers { flags: PLAIN, threads: None, runtimes };
    let ways = [Way::Server(Target::C), Way::Server(Target::Multicore)];
    let all = with_large_stack(|| runs(first, BATCH, &ways, Some(&servers)));
    assert!(all.succeeded > 0 && all.failed > 0, "{all:?}");
}
