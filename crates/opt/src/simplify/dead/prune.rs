//! Removing what is not live.

use super::mark::{Group, Live};
use fehu_ir::{
    AccInput, Body, Exp, Flatmap, Hist, Lambda, Partition, Scatter, Screma, Stm, Stream,
    StreamForm, Var,
};

/// Removes what is not live from the body of a function. Whether there was something.
pub(super) fn prune(body: &mut Body, live: &Live) -> bool {
    let mut prune = Prune { live, next: 0, changed: false };
    prune.body(body);
    prune.changed
}

struct Prune<'a> {
    live: &'a Live,
    /// The group of the next statement.
    next: Group,
    changed: bool,
}

impl Prune<'_> {
    fn body(&mut self, body: &mut Body) {
        body.stms.retain_mut(|stm| {
            let group = self.next;
            let keep = self.live.group(group);
            if keep {
                self.next = group + 1;
                self.stm(stm, group);
            } else {
                self.changed = true;
            }
            self.next = self.live.end(group);
            keep
        });
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others have no bodies with results that can go"
    )]
    fn stm(&mut self, stm: &mut Stm, group: Group) {
        let Stm { pat, exp, .. } = stm;
        match exp {
            Exp::If(_, bodies) => {
                let keep = self.live_vars(pat);
                for body in bodies.iter_mut() {
                    self.body(body);
                    filter(&mut body.results, &keep);
                }
                self.filter_pat(pat, &keep);
            }
            Exp::Switch(_, switch) => {
                let keep = self.live_vars(pat);
                let cases = switch.cases.iter_mut().map(|(_, body)| body);
                for body in cases.chain([&mut switch.default]) {
                    self.body(body);
                    filter(&mut body.results, &keep);
                }
                self.filter_pat(pat, &keep);
            }
            Exp::Loop(params, _, body) => {
                let keep: Vec<bool> = params.iter().map(|param| self.live.var(param.var)).collect();
                self.body(body);
                filter(params, &keep);
                filter(&mut body.results, &keep);
                self.filter_pat(pat, &keep);
            }
            Exp::Screma(op) => self.screma(pat, op, group),
            Exp::Hist(op) => self.hist(pat, op, group),
            Exp::Scatter(op) => self.scatter(pat, op, group),
            Exp::Stream(op) => self.stream(pat, op, group),
            Exp::Partition(op) => self.partition(pat, op),
            Exp::Flatmap(op) => self.flatmap(pat, op),
            Exp::Seg(seg) => {
                let (keep, leading) = (self.live_vars(pat), seg.leading());
                self.body(&mut seg.body.body);
                self.results(&mut seg.body, &keep);
                self.inputs(&mut seg.body, leading, &mut seg.inputs);
                filter(pat, &keep);
            }
            Exp::WithAcc(inputs, lambda) => self.with_acc(pat, inputs, lambda, group),
            _ => {}
        }
    }

    fn live_vars(&self, vars: &[Var]) -> Vec<bool> {
        vars.iter().map(|var| self.live.var(*var)).collect()
    }

    fn filter_pat(&mut self, pat: &mut Vec<Var>, keep: &[bool]) {
        self.changed |= keep.contains(&false);
        filter(pat, keep);
    }

    /// Removes the parameters that are not needed, after the first ones, with their inputs.
    fn inputs(&mut self, lambda: &mut Lambda, skip: usize, inputs: &mut Vec<Var>) {
        let keep = self.live_vars(&lambda.params[skip..]);
        self.changed |= keep.contains(&false);
        filter(inputs, &keep);
        let mut all = vec![true; skip];
        all.extend(keep);
        filter(&mut lambda.params, &all);
    }

    /// Removes results of a function.
    fn results(&mut self, lambda: &mut Lambda, keep: &[bool]) {
        self.changed |= keep.contains(&false);
        filter(&mut lambda.body.results, keep);
        filter(&mut lambda.ret, keep);
    }

    fn groups(&mut self, count: usize, group: Group) -> Vec<bool> {
        self.next = group + 1 + count;
        (group + 1..=group + count).map(|inner| self.live.group(inner)).collect()
    }

    /// A body of a group that may be removed as a whole.
    fn operator(&mut self, lambda: &mut Lambda) {
        self.body(&mut lambda.body);
    }

    fn screma(&mut self, pat: &mut Vec<Var>, op: &mut Screma, group: Group) {
        let groups = self.groups(op.scans.len() + op.reds.len(), group);
        let mut keep = Vec::new();
        let scans = op.scans.iter_mut().map(|scan| (&mut scan.op, &mut scan.neutral));
        let reds = op.reds.iter_mut().map(|red| (&mut red.op, &mut red.neutral));
        for (lambda, neutral) in scans.chain(reds) {
            self.operator(lambda);
            let parts = self.live_vars(&pat[keep.len()..keep.len() + neutral.len()]);
            self.results(lambda, &parts);
            filter(&mut lambda.params, &[&parts[..], &parts[..]].concat());
            filter(neutral, &parts);
            keep.extend(parts);
        }
        self.body(&mut op.map.body);
        keep.extend(pat[keep.len()..].iter().map(|var| self.live.var(*var)));
        let (scans, reds) = groups.split_at(op.scans.len());
        filter(&mut op.scans, scans);
        filter(&mut op.reds, reds);
        self.results(&mut op.map, &keep);
        self.inputs(&mut op.map, 0, &mut op.inputs);
        filter(pat, &keep);
    }

    fn hist(&mut self, pat: &mut Vec<Var>, op: &mut Hist, group: Group) {
        let groups = self.groups(op.ops.len(), group);
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for (hist, live) in op.ops.iter_mut().zip(&groups) {
            self.operator(&mut hist.op);
            indices.extend(std::iter::repeat_n(*live, hist.shape.len()));
            values.extend(std::iter::repeat_n(*live, hist.dests.len()));
        }
        self.body(&mut op.map.body);
        filter(&mut op.ops, &groups);
        filter(pat, &values);
        indices.extend(values);
        self.results(&mut op.map, &indices);
        self.inputs(&mut op.map, 0, &mut op.inputs);
    }

    fn scatter(&mut self, pat: &mut Vec<Var>, op: &mut Scatter, group: Group) {
        let groups = self.groups(op.dests.len(), group);
        let mut keep = Vec::new();
        for ((shape, _), live) in op.dests.iter().zip(&groups) {
            keep.extend(std::iter::repeat_n(*live, shape.len()));
        }
        keep.extend_from_slice(&groups);
        self.body(&mut op.map.body);
        filter(&mut op.dests, &groups);
        filter(pat, &groups);
        self.results(&mut op.map, &keep);
        self.inputs(&mut op.map, 0, &mut op.inputs);
    }

    fn stream(&mut self, pat: &mut Vec<Var>, op: &mut Stream, group: Group) {
        let combined = self.groups(1, group)[0];
        if op.is_pass() {
            self.body(&mut op.chunk.body);
            return;
        }
        let accs = op.init.len();
        let mut keep = match &mut op.form {
            StreamForm::Map | StreamForm::Pass(_) => Vec::new(),
            StreamForm::Seq => self.live_vars(&op.chunk.params[1..1 + accs]),
            StreamForm::Red(lambda, _) => {
                self.operator(lambda);
                vec![combined; accs]
            }
        };
        self.body(&mut op.chunk.body);
        filter(&mut op.init, &keep);
        let mut params = vec![true];
        params.extend_from_slice(&keep);
        params.resize(op.chunk.params.len(), true);
        filter(&mut op.chunk.params, &params);
        keep.extend(pat[accs..].iter().map(|var| self.live.var(*var)));
        self.results(&mut op.chunk, &keep);
        filter(pat, &keep);
        self.inputs(&mut op.chunk, 1 + op.init.len(), &mut op.inputs);
        if op.init.is_empty() {
            // Without accumulators the chunks are independent.
            op.form = StreamForm::Map;
        }
    }

    fn partition(&mut self, pat: &mut Vec<Var>, op: &mut Partition) {
        self.body(&mut op.map.body);
        let live = self.live_vars(&pat[op.classes..]);
        let mut results = vec![true];
        results.extend_from_slice(&live);
        self.results(&mut op.map, &results);
        self.inputs(&mut op.map, 0, &mut op.inputs);
        let mut keep = vec![true; op.classes];
        keep.extend(live);
        filter(pat, &keep);
    }

    fn flatmap(&mut self, pat: &mut Vec<Var>, op: &mut Flatmap) {
        self.body(&mut op.map.body);
        let live = self.live_vars(&pat[2..]);
        op.pieces = live[op.plain() - 1..].iter().filter(|live| **live).count();
        let results = [&[true], live.as_slice()].concat();
        self.results(&mut op.map, &results);
        self.inputs(&mut op.map, 0, &mut op.inputs);
        filter(pat, &[&[true, true], live.as_slice()].concat());
    }

    fn with_acc(
        &mut self,
        pat: &mut Vec<Var>,
        inputs: &mut Vec<AccInput>,
        lambda: &mut Lambda,
        group: Group,
    ) {
        let groups = self.groups(inputs.len(), group);
        let mut keep = Vec::new();
        for (input, live) in inputs.iter_mut().zip(&groups) {
            if let Some((op, _)) = &mut input.op {
                self.operator(op);
            }
            keep.extend(std::iter::repeat_n(*live, input.arrays.len()));
        }
        self.body(&mut lambda.body);
        let rest = self.live_vars(&pat[keep.len()..]);
        let mut results = groups.clone();
        results.extend_from_slice(&rest);
        keep.extend(rest);
        filter(inputs, &groups);
        self.results(lambda, &results);
        let params = [groups.clone(), groups].concat();
        filter(&mut lambda.params, &params);
        filter(pat, &keep);
    }
}

/// Keeps the items that have a `true`.
fn filter<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    items.retain(|_| keep.next().copied().unwrap_or(true));
}
