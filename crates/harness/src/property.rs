//! Properties: entry points that should be true for all values.
//!
//! ```text
//! -- ==
//! -- property: name
//!
//! #[prop(gen(g), shrink(s), size(N))]          each argument may be missing
//! entry name (x: t) : bool = ...
//! ```
//!
//! Candidates are random values of the type `t`: arrays have up to `N` elements a dimension, and half
//! of the candidates have small numbers only. Types with sums and abstract types have values that
//! nothing but the program can tell from nonsense; they need a `g: (size: i64) -> (seed: u64) -> t`.
//!
//! The first candidate for which the property is false, or fails, is made smaller as long as it
//! stays a counterexample: by `s: t -> u64 -> t`, or by taking elements away and numbers towards zero.
//! What `g` made is not touched, because it may obey rules that we do not know; instead `g` is asked
//! for smaller values.

mod candidate;
mod settings;
mod sizes;

use crate::executor::{Executor, Failure, Object};
use crate::run::{Options, Verdict};
use candidate::Candidate;
use fehu_data::Value;
use fehu_data::generate::Rng;
use fehu_driver::check::Outcome;
use fehu_driver::run::type_name;
use fehu_ir::Entry;
use settings::Settings;
use sizes::Part;

/// Tests a property.
pub(crate) fn run(
    program: &mut dyn Executor,
    entries: &[Entry],
    outcome: &Outcome,
    name: &str,
    options: &Options,
) -> Verdict {
    let property = match Property::find(entries, outcome, name) {
        Ok(property) => property,
        Err(why) => return Verdict::Failed(why),
    };
    let mut found = None;
    program.begin(options.limit);
    let mut search =
        Search { program: &mut *program, rng: Rng::new(options.seed), found: &mut found };
    let ran = search.run(&property);
    program.end();
    // A counterexample is one, even if there was no time to make it smaller.
    match (found, ran) {
        (Some(Counterexample { value, how }), _) => Verdict::Failed(format!(
            "{how} for the counterexample {}, found with the seed {}",
            shortened(&value),
            options.seed
        )),
        (None, Ok(())) => Verdict::Passed,
        (None, Err(Failure::Limit(which))) => Verdict::Limit(which),
        (None, Err(error)) => Verdict::Failed(error.to_string()),
    }
}

/// How many values a property is tested with.
const CANDIDATES: u64 = 100;
/// How often a counterexample is tried to be made smaller.
const SMALLER: usize = 2000;
/// How often in vain, if the program does it.
const IN_VAIN: usize = 100;
/// How often a generator is asked for values of each size.
const EACH_SIZE: usize = 10;

struct Property {
    name: String,
    /// The type of the parameter.
    ty: String,
    /// What its values consist of, if they are made here.
    parts: Vec<Part>,
    settings: Settings,
}

struct Counterexample {
    value: String,
    how: String,
}

impl Property {
    fn find(entries: &[Entry], outcome: &Outcome, name: &str) -> Result<Property, String> {
        let entry = find(entries, name)?;
        let result = type_name(&entry.result);
        let [(_, ty)] = entry.params.as_slice() else {
            let count = entry.params.len();
            return Err(format!("a property must have one parameter, but \"{name}\" has {count}"));
        };
        if result != "bool" {
            return Err(format!("a property must return a bool, but \"{name}\" returns {result}"));
        }
        let settings = Settings::find(outcome, name)?;
        let ty = type_name(ty);
        let helper = |of: &str, other: &String, params: [&str; 2]| {
            let place = format!("the {of} \"{other}\" of the property \"{name}\"");
            let entry = find(entries, other).map_err(|error| format!("{place}: {error}"))?;
            let takes: Vec<String> = entry.params.iter().map(|(_, ty)| type_name(ty)).collect();
            if takes != params {
                let [first, second] = params;
                let got = match takes.as_slice() {
                    [] => "nothing".to_owned(),
                    takes => takes.join(" and "),
                };
                return Err(format!("{place} should take {first} and {second}, but takes {got}"));
            }
            let gives = type_name(&entry.result);
            match gives == ty {
                true => Ok(()),
                false => Err(format!(
                    "{place} returns {gives}, but the property takes a value of type {ty}"
                )),
            }
        };
        if let Some(generator) = &settings.generator {
            helper("generator", generator, ["i64", "u64"])?;
        }
        if let Some(shrinker) = &settings.shrinker {
            helper("shrinker", shrinker, [&ty, "u64"])?;
        }
        let parts = match &settings.generator {
            Some(_) => Vec::new(),
            None => sizes::parts(outcome, name).ok_or_else(|| {
                format!(
                    "values for the property \"{name}\" cannot be generated automatically, because its \
                     parameter has an abstract or sum type; name an entry point that generates them: \
                     `#[prop(gen(f))]`"
                )
            })?,
        };
        Ok(Property { name: name.to_owned(), ty, parts, settings })
    }
}

fn find<'e>(entries: &'e [Entry], name: &str) -> Result<&'e Entry, String> {
    let found = entries.iter().find(|entry| entry.name == name);
    found.ok_or_else(|| format!("there is no entry point \"{name}\""))
}

/// The search for a counterexample.
struct Search<'a> {
    program: &'a mut dyn Executor,
    rng: Rng,
    found: &'a mut Option<Counterexample>,
}

type Res<T> = Result<T, Failure>;

impl Search<'_> {
    fn run(&mut self, property: &Property) -> Res<()> {
        for i in 0..CANDIDATES {
            let kept = self.program.count();
            let size = property.settings.size;
            if let Some(generator) = &property.settings.generator {
                let object = self.generate(generator, size)?;
                if self.refutes(property, &object)? {
                    return match &property.settings.shrinker {
                        Some(shrinker) => self.shrink(property, shrinker, object),
                        None => self.smaller_sizes(property, generator),
                    };
                }
                self.program.forget(kept);
                continue;
            }
            let candidate = Candidate::random(&property.parts, &mut self.rng, size, i % 2 == 0);
            let candidate = candidate.map_err(Failure::Request)?;
            let object = self.put(property, &candidate)?;
            if self.refutes(property, &object)? {
                return match &property.settings.shrinker {
                    Some(shrinker) => self.shrink(property, shrinker, object),
                    None => self.simplify(property, candidate),
                };
            }
            self.program.forget(kept);
        }
        Ok(())
    }

    /// The argument for the property.
    fn put(&mut self, property: &Property, candidate: &Candidate) -> Res<Object> {
        self.program.put(&property.ty, candidate.values())
    }

    /// Whether a property does not hold for a value; then it is kept.
    fn refutes(&mut self, property: &Property, object: &Object) -> Res<bool> {
        let result = self.program.call(&property.name, std::slice::from_ref(object));
        let result = result.and_then(|result| self.program.values(&result));
        let how = match result {
            Ok(values) if values == [Value::from(true)] => return Ok(false),
            Ok(_) => "false".to_owned(),
            Err(Failure::Program(error)) => {
                let line = error.lines().next().unwrap_or_default();
                format!("fails ({})", line.strip_prefix("Error: ").unwrap_or(line))
            }
            Err(error) => return Err(error),
        };
        let value = self.show(object)?;
        *self.found = Some(Counterexample { value, how });
        Ok(true)
    }

    /// The values of an object, as messages show them.
    fn show(&mut self, object: &Object) -> Res<String> {
        if !self.program.shows(&object.ty)? {
            return Ok(format!("a value of type {}", object.ty));
        }
        let values = self.program.values(object)?;
        Ok(values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }

    fn generate(&mut self, generator: &str, size: i64) -> Res<Object> {
        let seed = self.rng.next_u64();
        let size = self.program.put("i64", &[size.into()])?;
        let seed = self.program.put("u64", &[seed.into()])?;
        self.program.call(generator, &[size, seed])
    }

    /// Lets the program make a counterexample smaller.
    fn shrink(&mut self, property: &Property, shrinker: &str, mut best: Object) -> Res<()> {
        let mut in_vain = 0;
        let mut shown = self.show(&best)?;
        // What cannot be seen may well have changed.
        let hidden = !self.program.shows(&best.ty)?;
        for _ in 0..SMALLER {
            let kept = self.program.count();
            let random = self.rng.next_u64();
            let random = self.program.put("u64", &[random.into()])?;
            let smaller = self.program.call(shrinker, &[best.clone(), random])?;
            let text = self.show(&smaller)?;
            if (hidden || text != shown) && self.refutes(property, &smaller)? {
                (best, shown) = (smaller, text);
                in_vain = 0;
            } else {
                self.program.forget(kept);
                in_vain += 1;
            }
            if in_vain == IN_VAIN {
                break;
            }
        }
        Ok(())
    }

    /// Asks a generator for counterexamples from size 0 on.
    fn smaller_sizes(&mut self, property: &Property, generator: &str) -> Res<()> {
        for size in 0..property.settings.size {
            for _ in 0..EACH_SIZE {
                let kept = self.program.count();
                match self.generate(generator, size) {
                    Ok(object) if self.refutes(property, &object)? => return Ok(()),
                    Ok(_) => {}
                    // A generator need not be able to make values of this size.
                    Err(Failure::Program(_)) => {}
                    Err(error) => return Err(error),
                }
                self.program.forget(kept);
            }
        }
        Ok(())
    }

    /// Takes elements away from a counterexample, and numbers towards zero.
    fn simplify(&mut self, property: &Property, mut best: Candidate) -> Res<()> {
        let mut left = SMALLER;
        'simpler: loop {
            for candidate in best.simpler() {
                if left == 0 {
                    return Ok(());
                }
                left -= 1;
                let kept = self.program.count();
                let object = self.put(property, &candidate)?;
                let refuted = self.refutes(property, &object)?;
                self.program.forget(kept);
                if refuted {
                    best = candidate;
                    continue 'simpler;
                }
            }
            return Ok(());
        }
    }
}

/// A counterexample as a message shows it.
fn shortened(text: &str) -> String {
    const MOST: usize = 400;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("`{}...`", &text[..end]),
        None => format!("`{text}`"),
    }
}
