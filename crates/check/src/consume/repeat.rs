//! Loops.
//!
//! The body is checked once, with a new region for every part of the loop parameters. That tells
//! which parts are consumed: those marked `*`, and those without a written type that the body
//! consumes or hands on to a consumed part. The loop consumes their initial values. Such a part must return what nobody else has,
//! because the next iteration consumes it too.
//!
//! What the other parts may share is the least solution of
//! `r(i) = init(i) + returned(i) outside the loop + r(j) for every parameter j in returned(i)`.

use super::alias::{Alias, Region, Set};
use super::exp::copy_edits;
use super::state::{By, Consumption, Kind, Owner, Scope, Use};
use super::{Checker, errors};
use crate::ty::{Ty, VarId, tuple_field};
use ecow::EcoString;
use fehu_base::Span;
use fehu_syntax::ast::{Loop, LoopForm, Pat, PatKind};
use rustc_hash::FxHashMap;

/// A part of the loop parameters that may share memory.
struct Part {
    region: Region,
    /// Whether its type says `*`.
    starred: bool,
    /// Whether the body consumes it, or its type says `*` and its initial value can be consumed.
    consumed: bool,
    init: Set,
    returned: Set,
}

/// Whether a type was written for a part, and what it says.
#[derive(Clone, Copy)]
enum Mark<'t> {
    Unwritten,
    Written(&'t Ty),
    Star,
}

impl<'a> Checker<'a> {
    /// Checks a loop.
    pub(super) fn repeat(&mut self, l: &'a Loop, span: Span) -> Alias {
        let (init, init_span, copy) = match &l.init {
            Some(init) => (self.exp(init), init.span, copy_edits(init)),
            None => {
                let alias = self.implicit_init(&l.pat);
                (alias, l.pat.span, self.implicit_copy(&l.pat))
            }
        };
        let elements = match &l.form {
            LoopForm::For(_, _, bound) => {
                self.exp(bound);
                None
            }
            LoopForm::ForIn(pat, array) => {
                let alias = Alias::set(self.exp(array).regions());
                Some((pat, alias, array.span))
            }
            LoopForm::While(_) => None,
        };
        self.still_alive(&init, init_span);

        let start = self.clock;
        let floor = self.next_region();
        let mut stars = Vec::new();
        let params = self.loop_params(&l.pat, &mut stars);
        self.bind(&l.pat, &params);
        if let Some((pat, alias, span)) = elements {
            // Every iteration reads the array that is iterated over.
            self.observe(&alias, span, None);
            self.bind(pat, &alias);
        }
        if let LoopForm::While(condition) = &l.form {
            // The condition may run after the last iteration, so it must not consume parameters.
            self.scopes.push(Scope { floor: self.next_region(), kind: Kind::Loop });
            self.exp(condition);
            self.scopes.pop();
        }
        self.scopes.push(Scope { floor, kind: Kind::Loop });
        let body = self.exp(&l.body);
        self.scopes.pop();
        self.still_alive(&body, errors::result_span(&l.body));
        let (init, body) = (self.expand_all(init), self.expand_all(body));

        let mut parts = Vec::new();
        self.loop_parts(&params, &init, &body, &stars, &mut parts);
        self.hand_on(&mut parts);
        self.take_starred(&mut parts);
        self.hand_on(&mut parts);
        self.returned_parts(&parts, floor, l);
        self.consume_initial(&parts, (init_span, copy), start, l);
        self.loop_result(&params, &parts, span)
    }

    /// Without `= e`, the parameters start as the variables of the same names.
    fn implicit_init(&mut self, pat: &'a Pat) -> Alias {
        match &pat.kind {
            PatKind::Var(_) => match self.tables.names.get(&pat.id) {
                Some(resolved) => {
                    let var = resolved.var;
                    let alias = self.var(var);
                    self.observe(&alias, pat.span, Some(var));
                    alias
                }
                None => Alias::None,
            },
            PatKind::Paren(inner) | PatKind::Ascribe(inner, _) | PatKind::Attr(_, inner) => {
                self.implicit_init(inner)
            }
            PatKind::Tuple(parts) => Alias::Record(
                parts
                    .iter()
                    .enumerate()
                    .map(|(i, part)| (tuple_field(i), self.implicit_init(part)))
                    .collect(),
            ),
            PatKind::Record(fields) => Alias::Record(
                fields
                    .iter()
                    .map(|field| {
                        let alias = match &field.pat {
                            Some(pat) => self.implicit_init(pat),
                            None => match self.tables.names.get(&field.id) {
                                Some(resolved) => {
                                    let var = resolved.var;
                                    let alias = self.var(var);
                                    self.observe(&alias, field.name.span, Some(var));
                                    alias
                                }
                                None => Alias::None,
                            },
                        };
                        (field.name.name.clone(), alias)
                    })
                    .collect(),
            ),
            PatKind::Wildcard | PatKind::Lit(_) | PatKind::Ctor(..) | PatKind::Error => Alias::None,
        }
    }

    /// The edit that copies the initial value of a loop with one parameter and no `= e`.
    fn implicit_copy(&self, pat: &Pat) -> Vec<(Span, String)> {
        match &pat.kind {
            PatKind::Var(name) => vec![(pat.span.after(), format!(" = copy {}", name.name))],
            PatKind::Paren(inner) => match &inner.kind {
                PatKind::Var(name) => vec![(pat.span.after(), format!(" = copy {}", name.name))],
                PatKind::Wildcard
                | PatKind::Lit(_)
                | PatKind::Paren(_)
                | PatKind::Tuple(_)
                | PatKind::Record(_)
                | PatKind::Ctor(..)
                | PatKind::Ascribe(..)
                | PatKind::Attr(..)
                | PatKind::Error => Vec::new(),
            },
            PatKind::Wildcard
            | PatKind::Lit(_)
            | PatKind::Tuple(_)
            | PatKind::Record(_)
            | PatKind::Ctor(..)
            | PatKind::Ascribe(..)
            | PatKind::Attr(..)
            | PatKind::Error => Vec::new(),
        }
    }

    /// Regions for the loop parameters. Those of parts marked `*` are added to `stars`.
    fn loop_params(&mut self, pat: &'a Pat, stars: &mut Vec<Region>) -> Alias {
        match &pat.kind {
            PatKind::Tuple(parts) => Alias::Record(
                parts
                    .iter()
                    .enumerate()
                    .map(|(i, part)| (tuple_field(i), self.loop_params(part, stars)))
                    .collect(),
            ),
            PatKind::Record(fields) if fields.iter().all(|f| f.pat.is_some()) => Alias::Record(
                fields
                    .iter()
                    .filter_map(|f| {
                        let pat = f.pat.as_ref()?;
                        Some((f.name.name.clone(), self.loop_params(pat, stars)))
                    })
                    .collect(),
            ),
            PatKind::Paren(inner) | PatKind::Attr(_, inner) => self.loop_params(inner, stars),
            PatKind::Ascribe(_, written) => {
                let mark = match self.written(written) {
                    Some(ty) => Mark::Written(ty),
                    None => Mark::Unwritten,
                };
                self.marked(self.ty(pat.id), mark, stars)
            }
            PatKind::Var(_)
            | PatKind::Wildcard
            | PatKind::Lit(_)
            | PatKind::Record(_)
            | PatKind::Ctor(..)
            | PatKind::Error => self.marked(self.ty(pat.id), Mark::Unwritten, stars),
        }
    }

    fn marked(&mut self, ty: Option<&Ty>, mark: Mark<'_>, stars: &mut Vec<Region>) -> Alias {
        let Some(ty) = ty else { return Alias::None };
        let mark = match mark {
            Mark::Written(Ty::Unique(_)) => Mark::Star,
            other @ (Mark::Unwritten | Mark::Written(_) | Mark::Star) => other,
        };
        match ty {
            Ty::Prim(_) | Ty::Error => Alias::None,
            Ty::Unique(inner) => self.marked(Some(inner), mark, stars),
            Ty::Record(fields) => Alias::Record(
                fields
                    .iter()
                    .map(|(f, t)| {
                        let mark = match mark {
                            Mark::Written(ty) => ty.field(f).map_or(mark, Mark::Written),
                            Mark::Unwritten | Mark::Star => mark,
                        };
                        (f.clone(), self.marked(Some(t), mark, stars))
                    })
                    .collect(),
            ),
            Ty::Sum(ctors) => Alias::Sum(
                ctors
                    .iter()
                    .map(|(c, ts)| {
                        let parts = ts.iter().map(|t| self.marked(Some(t), mark, stars)).collect();
                        (c.clone(), parts)
                    })
                    .collect(),
            ),
            Ty::Array(..) | Ty::Fun(_) | Ty::Con(..) | Ty::Meta(_) => {
                let owner = match mark {
                    Mark::Unwritten | Mark::Star => Owner::Here,
                    Mark::Written(_) => Owner::Loop,
                };
                let region = self.region(owner);
                if matches!(mark, Mark::Star) {
                    stars.push(region);
                }
                Alias::Set(Set::one(region))
            }
        }
    }

    fn loop_parts(
        &self,
        params: &Alias,
        init: &Alias,
        body: &Alias,
        stars: &[Region],
        parts: &mut Vec<Part>,
    ) {
        match params {
            Alias::None | Alias::Fun(_) | Alias::Made(_) => {}
            Alias::Set(set) => {
                for region in set.iter() {
                    parts.push(Part {
                        region,
                        starred: stars.contains(&region),
                        consumed: self.regions[region].consumed.is_some(),
                        init: init.regions(),
                        returned: body.regions(),
                    });
                }
            }
            Alias::Record(fields) => {
                for (f, part) in fields.iter() {
                    self.loop_parts(part, &init.field(f), &body.field(f), stars, parts);
                }
            }
            Alias::Sum(ctors) => {
                for (c, payload) in ctors.iter() {
                    for (i, part) in payload.iter().enumerate() {
                        let (init, body) = (init.payload(c, i), body.payload(c, i));
                        self.loop_parts(part, &init, &body, stars, parts);
                    }
                }
            }
        }
    }

    /// A part whose value becomes that of a consumed part is consumed one iteration later: two
    /// buffers that change places are both consumed. A part with a written type is not ours to take.
    fn hand_on(&self, parts: &mut [Part]) {
        let index: FxHashMap<Region, usize> =
            parts.iter().enumerate().map(|(i, part)| (part.region, i)).collect();
        let mut work: Vec<usize> = (0..parts.len()).filter(|&i| parts[i].consumed).collect();
        while let Some(i) = work.pop() {
            let returned = parts[i].returned.clone();
            for j in returned.iter().filter_map(|region| index.get(&region).copied()) {
                if !parts[j].consumed && self.regions[parts[j].region].owner == Owner::Here {
                    parts[j].consumed = true;
                    work.push(j);
                }
            }
        }
    }

    /// A part marked `*` is consumed, unless its initial value is not ours and the body only reads it and
    /// makes a new array for the next iteration: existing programs have such marks. It is then like a part
    /// without the mark, and its final value may be the initial one.
    fn take_starred(&self, parts: &mut [Part]) {
        let regions = Set::of(parts.iter().map(|part| part.region).collect());
        for part in parts.iter_mut().filter(|part| part.starred) {
            let ours = part.init.iter().all(|region| self.obstacle(region).is_none());
            part.consumed |= ours || part.returned.common(&regions).is_some();
        }
    }

    /// What a consumed part returns must be nobody else's.
    fn returned_parts(&mut self, parts: &[Part], floor: Region, l: &'a Loop) {
        if !parts.iter().any(|part| part.consumed) {
            return;
        }
        let consumed: FxHashMap<Region, bool> =
            parts.iter().map(|part| (part.region, part.consumed)).collect();
        // The parts before this one that returned a region: whether one of them is consumed.
        let mut returned: FxHashMap<Region, bool> = FxHashMap::default();
        for part in parts {
            let name = self.part_name(part.region);
            let name = name.as_ref();
            for region in part.returned.iter() {
                let outside = region < floor || self.regions[region].owner == Owner::Global;
                let earlier = returned.get(&region).copied();
                if part.consumed && (outside || consumed.get(&region) == Some(&false)) {
                    self.report_once(region, |this| {
                        errors::consuming_loop_param_aliases(this, name, region, &l.body)
                    });
                } else if earlier == Some(true) {
                    self.report_once(region, |this| {
                        errors::loop_parameter_aliases_other(this, name, region, &l.body)
                    });
                } else if earlier.is_some() && part.consumed {
                    self.report_once(region, |this| {
                        errors::aliases_previously_returned(this, name, region, &l.body)
                    });
                }
            }
            for region in part.returned.iter() {
                *returned.entry(region).or_default() |= part.consumed;
            }
        }
    }

    /// The loop consumes the initial values of the consumed parts, before its first iteration.
    fn consume_initial(
        &mut self,
        parts: &[Part],
        (span, copy): (Span, Vec<(Span, String)>),
        start: u32,
        l: &'a Loop,
    ) {
        let mut holders: FxHashMap<Region, Vec<usize>> = FxHashMap::default();
        if parts.iter().any(|part| part.consumed) {
            for (i, part) in parts.iter().enumerate() {
                for region in part.init.iter() {
                    holders.entry(region).or_default().push(i);
                }
            }
        }
        for (i, part) in parts.iter().enumerate().filter(|(_, part)| part.consumed) {
            let name = self.part_name(part.region);
            let inside = self.regions[part.region].consumed.clone();
            let var = l.init.as_ref().and_then(|init| self.exp_var(init));
            let by = By::Loop(name.clone());
            let consumption = Consumption::new(span, var, by, copy.clone());
            for region in part.init.iter() {
                let shared = holders.get(&region).is_some_and(|all| {
                    all.iter().any(|&j| {
                        j != i && (parts[j].consumed || self.used_since(parts[j].region, start))
                    })
                });
                if shared {
                    self.report_once(region, |this| {
                        errors::self_aliasing_arg(this, region, span, copy.clone(), name.as_ref())
                    });
                } else if self.obstacle(region).is_none()
                    && let Some(used) = self.use_since(region, start)
                {
                    self.report_once(region, |this| {
                        errors::used_in_loop(this, region, used, &consumption, inside.as_deref())
                    });
                }
            }
            self.consume(&part.init, &consumption);
        }
    }

    fn used_since(&self, region: Region, start: u32) -> bool {
        self.use_since(region, start).is_some()
    }

    /// A use of the region, or of something derived from it.
    fn use_since(&self, region: Region, start: u32) -> Option<Use> {
        let uses = self.descendants(region).into_iter().filter_map(|r| self.regions[r].used);
        uses.filter(|used| used.time > start).max_by_key(|used| used.time)
    }

    /// The name of the loop parameter that a region belongs to.
    fn part_name(&self, region: Region) -> Option<EcoString> {
        let var: VarId = self.regions[region].name?;
        Some(self.vars[var].name.clone())
    }

    fn loop_result(&mut self, params: &Alias, parts: &[Part], _span: Span) -> Alias {
        let mut results: FxHashMap<Region, Set> = FxHashMap::default();
        for part in parts {
            let set = if part.consumed {
                Set::one(self.ghost_of_part(part.region))
            } else {
                part.init.clone()
            };
            results.insert(part.region, set);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for part in parts.iter().filter(|part| !part.consumed) {
                let Some(mut set) = results.get(&part.region).cloned() else {
                    continue;
                };
                let before = set.clone();
                for region in part.returned.iter() {
                    set = match results.get(&region) {
                        Some(other) => set.union(other),
                        None => set.union(&Set::one(region)),
                    };
                }
                if set != before {
                    changed = true;
                    results.insert(part.region, set);
                }
            }
        }
        resolve(params, &results)
    }

    /// The memory of a consumed part after the loop. It belongs to nobody else.
    fn ghost_of_part(&mut self, region: Region) -> Region {
        let ghost = self.ghost(region);
        let info = &mut self.regions[ghost];
        info.owner = Owner::Here;
        info.name = None;
        ghost
    }
}

/// The parameters' shape with the regions after the loop.
fn resolve(params: &Alias, results: &FxHashMap<Region, Set>) -> Alias {
    match params {
        Alias::None | Alias::Fun(_) | Alias::Made(_) => Alias::None,
        Alias::Set(set) => Alias::set(
            set.iter()
                .filter_map(|region| results.get(&region))
                .fold(Set::of(Vec::new()), |all, set| all.union(set)),
        ),
        Alias::Record(fields) => Alias::Record(
            fields.iter().map(|(f, part)| (f.clone(), resolve(part, results))).collect(),
        ),
        Alias::Sum(ctors) => Alias::Sum(
            ctors
                .iter()
                .map(|(c, parts)| {
                    (c.clone(), parts.iter().map(|part| resolve(part, results)).collect())
                })
                .collect(),
        ),
    }
}
