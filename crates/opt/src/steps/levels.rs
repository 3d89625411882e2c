//! The levels of statements: how many passes must have ended before.

use super::{Steps, Whole, as_var, control, sinks_of, stream_of};
use fehu_facts::consumed;
use fehu_ir::free::free_in_stm;
use fehu_ir::{Atom, Stm, Stream, StreamForm, Var};
use rustc_hash::FxHashMap;

/// A pass that is executed chunk by chunk.
pub(super) struct Pass<'a> {
    pub(super) stm: &'a Stm,
    pub(super) stream: &'a Stream,
}

/// Why a statement cannot be executed chunk by chunk.
pub(super) const NEEDS_ALL: &str = "this needs a whole sequence, or its length";

/// What happens between two passes, and then the passes, in groups that read their sources together; and then branches
/// and loops with passes inside.
#[derive(Default)]
pub(super) struct Level<'a> {
    pub(super) stms: Vec<&'a Stm>,
    pub(super) passes: Vec<Pass<'a>>,
    pub(super) groups: Vec<Vec<usize>>,
    pub(super) controls: Vec<&'a Stm>,
}

impl<'a> Level<'a> {
    /// All statements.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a Stm> + '_ {
        let passes = self.passes.iter().map(|pass| pass.stm);
        self.stms.iter().copied().chain(passes).chain(self.controls.iter().copied())
    }
}

/// How a statement is executed.
enum Way<'a> {
    /// With those around it.
    Plain,
    /// Chunk by chunk.
    Pass(&'a Stream),
    /// Divided into steps of its own.
    Control,
}

pub(super) struct Levels<'a> {
    pub(super) list: Vec<Level<'a>>,
    /// Results that are written as they come: which sequence they belong to, and which of its parts they are.
    pub(super) written: FxHashMap<Atom, (usize, usize)>,
}

impl<'a> Levels<'a> {
    /// The levels of some statements. `written`: the results that can be written.
    pub(super) fn of(
        steps: &Steps<'a>,
        stms: &'a [Stm],
        mut written: FxHashMap<Atom, (usize, usize)>,
    ) -> Result<Levels<'a>, Whole> {
        let mut list: Vec<Level<'a>> = Vec::new();
        let mut at: FxHashMap<Var, usize> = FxHashMap::default();
        let mut latest = 0;
        for stm in stms {
            if steps.repeated.contains_key(&stm.pat[0]) {
                continue;
            }
            let mut level = steps.uses(stm).iter().filter_map(|var| at.get(var)).copied().max();
            if stream_of(stm).is_none() && !consumed(steps.prog, stm).is_empty() {
                // Whoever reads it must have done so. (What passes consume is their own.)
                level = level.max(Some(latest));
            }
            let level = level.unwrap_or(0);
            while list.len() <= level {
                list.push(Level::default());
            }
            let after = match way(steps, stm, &written)? {
                Way::Pass(stream) => {
                    list[level].passes.push(Pass { stm, stream });
                    level + 1
                }
                Way::Control => {
                    list[level].controls.push(stm);
                    level + 1
                }
                Way::Plain => {
                    written
                        .retain(|atom, _| as_var(*atom).is_none_or(|var| !stm.pat.contains(&var)));
                    list[level].stms.push(stm);
                    level
                }
            };
            latest = latest.max(after);
            at.extend(stm.pat.iter().map(|var| (*var, after)));
        }
        for level in &mut list {
            level.groups = groups(steps, &level.passes);
        }
        Ok(Levels { list, written })
    }
}

/// The results that can be written: all parts of a sequence are bound as the sinks of a pass.
pub(super) fn written(steps: &Steps<'_>) -> FxHashMap<Atom, (usize, usize)> {
    let results = steps.result_parts();
    let mut written = FxHashMap::default();
    for (number, sequence) in steps.entry.sinks.iter().enumerate() {
        let parts = &results[sequence.first..][..sequence.count];
        let bound = steps.fun.body.stms.iter().filter(|stm| stream_of(stm).is_some()).any(|stm| {
            let accs = stream_of(stm).map_or(0, |stream| stream.init.len());
            let sinks = sinks_of(&stm.pat[accs..], steps.fun);
            let arrays: Vec<Vec<Atom>> = sinks
                .iter()
                .map(|(_, arrays)| arrays.iter().map(|v| Atom::Var(*v)).collect())
                .collect();
            match sequence.pieces {
                true => {
                    let (sizes, values) = parts.split_at(1);
                    arrays.windows(2).any(|pair| pair[0] == sizes && pair[1] == values)
                }
                false => arrays.iter().any(|arrays| arrays == parts),
            }
        });
        let twice = |atom: &Atom| results.iter().filter(|other| *other == atom).count() > 1;
        if bound && !parts.iter().any(twice) && !parts.is_empty() {
            written.extend(parts.iter().enumerate().map(|(part, atom)| (*atom, (number, part))));
        }
    }
    written
}

fn way<'a>(
    steps: &Steps<'a>,
    stm: &'a Stm,
    written: &FxHashMap<Atom, (usize, usize)>,
) -> Result<Way<'a>, Whole> {
    let whole = |reason| Err(Whole { loc: stm.loc.clone(), reason });
    let stream = stream_of(stm);
    let pieces = match stream.map(|stream| &stream.form) {
        Some(StreamForm::Pass(pieces)) => &pieces[..],
        Some(StreamForm::Map | StreamForm::Seq | StreamForm::Red(..)) | None => &[],
    };
    let is_source = |var: &Var| steps.parts.contains_key(var);
    let in_memory = pieces.iter().any(|piece| !is_source(&piece.sizes));
    let reads = stream.is_some_and(|stream| stream.inputs.iter().any(is_source))
        || pieces.iter().any(|piece| is_source(&piece.sizes));
    let writes = stm.pat.iter().any(|var| written.contains_key(&Atom::Var(*var)));
    let Some(stream) = stream.filter(|_| reads || (writes && !in_memory)) else {
        let hidden = |var: &Var| steps.hidden.contains(var);
        return match free_in_stm(stm, &steps.fun.vars).iter().any(hidden) {
            false => Ok(Way::Plain),
            true if !control::bodies(stm).is_empty() => Ok(Way::Control),
            true => whole(NEEDS_ALL),
        };
    };
    if in_memory {
        return whole("a sequence of pieces that are in memory is read in step with it");
    }
    // Its inputs are read; all else that it mentions must be known.
    let mut rest = stm.clone();
    if let fehu_ir::Exp::Stream(rest) = &mut rest.exp {
        rest.width = Atom::i64(0);
        rest.inputs.clear();
        rest.form = StreamForm::Pass(Vec::new());
    }
    if free_in_stm(&rest, &steps.fun.vars).iter().any(|var| steps.hidden.contains(var)) {
        return whole("the function of a chunk needs the whole sequence, or its length");
    }
    Ok(Way::Pass(stream))
}

/// Passes that have sources in common, directly or by others; those without sources are alone.
fn groups(steps: &Steps<'_>, passes: &[Pass<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
    for (index, pass) in passes.iter().enumerate() {
        let mut all = (vec![index], sources(steps, pass.stream));
        let common = |group: &(Vec<usize>, Vec<usize>)| group.1.iter().any(|s| all.1.contains(s));
        let (joined, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(common);
        for (passes, sources) in joined.into_iter().rev() {
            all.0.splice(0..0, passes);
            all.1.extend(sources);
        }
        groups = others;
        groups.push(all);
    }
    groups.into_iter().map(|(passes, _)| passes).collect()
}

/// The sequences that a pass reads.
pub(super) fn sources(steps: &Steps<'_>, stream: &Stream) -> Vec<usize> {
    let mut found = Vec::new();
    let mut add = |var: &Var| {
        if let Some(part) = steps.parts.get(var)
            && !found.contains(&part.source)
        {
            found.push(part.source);
        }
    };
    stream.inputs.iter().for_each(&mut add);
    if let StreamForm::Pass(pieces) = &stream.form {
        pieces.iter().for_each(|piece| add(&piece.sizes));
    }
    found
}
