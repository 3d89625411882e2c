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

use crate::limit::{Ran, limited};
use crate::run::{Options, Verdict};
use crate::script::ScriptError;
use candidate::Candidate;
use fehu_data::Value;
use fehu_data::generate::Rng;
use fehu_driver::check::Outcome;
use fehu_driver::run::{Compiled, Object, RunError};
use fehu_interp::ErrorKind;
use fehu_ir::External;
use settings::Settings;

/// Tests a property.
pub(crate) fn run(
    compiled: &mut Compiled,
    outcome: &Outcome,
    name: &str,
    options: &Options,
) -> Verdict {
    let property = match Property::find(compiled, outcome, name) {
        Ok(property) => property,
        Err(why) => return Verdict::Failed(why),
    };
    let mut found = None;
    let ran = limited(compiled, options.limit, |compiled| {
        let mut search = Search { compiled, rng: Rng::new(options.seed), found: &mut found };
        search.run(&property)
    });
    // A counterexample is one, even if there was no time to make it smaller.
    match (found, ran) {
        (Some(Counterexample { value, how }), _) => Verdict::Failed(format!(
            "{how} for the counterexample {}, found with the seed {}",
            shortened(&value),
            options.seed
        )),
        (None, Ran::Ended(Ok(()))) => Verdict::Passed,
        (None, Ran::TooSlow) => Verdict::Limit("stopped at the time limit".to_owned()),
        (None, Ran::Panic(message)) => {
            Verdict::Failed(format!("the interpreter failed: {message}"))
        }
        (None, Ran::Ended(Err(ScriptError::Run(error)))) if error.is_limit() => {
            Verdict::Limit(error.to_string())
        }
        (None, Ran::Ended(Err(error))) => Verdict::Failed(error.to_string()),
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
    ty: External,
    settings: Settings,
}

struct Counterexample {
    value: String,
    how: String,
}

impl Property {
    fn find(compiled: &Compiled, outcome: &Outcome, name: &str) -> Result<Property, String> {
        let entry = compiled.entry(name).map_err(|error| error.to_string())?;
        let result = fehu_driver::run::type_name(&entry.result);
        let [(_, ty)] = entry.params.as_slice() else {
            let count = entry.params.len();
            return Err(format!("a property has one parameter, but \"{name}\" has {count}"));
        };
        if result != "bool" {
            return Err(format!("a property yields a bool, but \"{name}\" yields {result}"));
        }
        let settings = Settings::find(outcome, name)?;
        for other in settings.generator.iter().chain(&settings.shrinker) {
            compiled.entry(other).map_err(|error| format!("property \"{name}\": {error}"))?;
        }
        if settings.generator.is_none() && !settings::is_plain(outcome, name) {
            return Err(format!(
                "values for the property \"{name}\" cannot be made automatically, because its \
                 parameter has an abstract or sum type; name an entry point that makes them: \
                 `#[prop(gen(f))]`"
            ));
        }
        Ok(Property { name: name.to_owned(), ty: ty.clone(), settings })
    }
}

/// The search for a counterexample.
struct Search<'a> {
    compiled: &'a mut Compiled,
    rng: Rng,
    found: &'a mut Option<Counterexample>,
}

type Res<T> = Result<T, ScriptError>;

impl Search<'_> {
    fn run(&mut self, property: &Property) -> Res<()> {
        for i in 0..CANDIDATES {
            let size = property.settings.size;
            if let Some(generator) = &property.settings.generator {
                let object = self.generate(generator, size)?;
                if self.refutes(property, &object)? {
                    return match &property.settings.shrinker {
                        Some(shrinker) => self.shrink(property, shrinker, object),
                        None => self.smaller_sizes(property, generator),
                    };
                }
                continue;
            }
            let candidate = Candidate::random(&property.ty, &mut self.rng, size, i % 2 == 0);
            let candidate = candidate.map_err(ScriptError::Meaning)?;
            let object = candidate.object(&property.ty).map_err(ScriptError::Run)?;
            if self.refutes(property, &object)? {
                return match &property.settings.shrinker {
                    Some(shrinker) => self.shrink(property, shrinker, object),
                    None => self.simplify(property, candidate),
                };
            }
        }
        Ok(())
    }

    /// Whether a property does not hold for a value; then it is kept.
    fn refutes(&mut self, property: &Property, object: &Object) -> Res<bool> {
        let how = match self.compiled.call(&property.name, vec![object.clone()]) {
            Ok(result) if result.as_value() == Some(Value::from(true)) => return Ok(false),
            Ok(_) => "false".to_owned(),
            Err(RunError::Program(error)) if error.kind == ErrorKind::Program => {
                format!("fails ({})", error.message)
            }
            Err(error) => return Err(ScriptError::Run(error)),
        };
        *self.found = Some(Counterexample { value: object.to_string(), how });
        Ok(true)
    }

    fn generate(&mut self, generator: &str, size: i64) -> Res<Object> {
        let seed = self.rng.next_u64();
        let args = [Object::from_value(size.into()), Object::from_value(seed.into())];
        let args = args.into_iter().collect::<Result<_, _>>().map_err(ScriptError::Run)?;
        self.compiled.call(generator, args).map_err(ScriptError::Run)
    }

    /// Lets the program make a counterexample smaller.
    fn shrink(&mut self, property: &Property, shrinker: &str, mut best: Object) -> Res<()> {
        let mut in_vain = 0;
        for _ in 0..SMALLER {
            let random =
                Object::from_value(self.rng.next_u64().into()).map_err(ScriptError::Run)?;
            let smaller = self.compiled.call(shrinker, vec![best.clone(), random]);
            let smaller = smaller.map_err(ScriptError::Run)?;
            if smaller.to_string() != best.to_string() && self.refutes(property, &smaller)? {
                best = smaller;
                in_vain = 0;
            } else {
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
                match self.generate(generator, size) {
                    Ok(object) if self.refutes(property, &object)? => return Ok(()),
                    Ok(_) => {}
                    // A generator need not be able to make values of this size.
                    Err(ScriptError::Run(error)) if error.is_program() => {}
                    Err(error) => return Err(error),
                }
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
                let object = candidate.object(&property.ty).map_err(ScriptError::Run)?;
                if self.refutes(property, &object)? {
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
