//! What depends on what.

use super::mark::{Graph, Group};
use fehu_base::IdVec;
use fehu_facts::Effects;
use fehu_ir::{
    AccInput, Atom, Body, Exp, Flatmap, Hist, Lambda, LoopForm, Partition, Scatter, Screma, Seg,
    Stm, Stream, StreamForm, Var, VarInfo,
};

/// The graph of a body, in which everything that has an effect is marked.
pub(super) fn of(body: &Body, vars: &IdVec<Var, VarInfo>, effects: &Effects) -> Graph {
    let mut depend = Depend { graph: Graph::new(vars.len()), vars, effects };
    depend.body(body, None);
    depend.graph
}

struct Depend<'a> {
    graph: Graph,
    vars: &'a IdVec<Var, VarInfo>,
    effects: &'a Effects,
}

impl Depend<'_> {
    fn body(&mut self, body: &Body, inside: Option<Group>) {
        for stm in &body.stms {
            self.stm(stm, inside);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what others need, all their results need")]
    fn stm(&mut self, stm: &Stm, inside: Option<Group>) {
        let group = self.graph.group(inside);
        for cert in &stm.certs {
            self.graph.group_needs(group, Atom::Var(*cert));
        }
        for var in &stm.pat {
            self.bind(*var, group);
        }
        if self.effects.shallow(&stm.exp) {
            self.graph.mark_group(group);
        }
        match &stm.exp {
            Exp::If(cond, bodies) => {
                self.graph.group_needs(group, *cond);
                for body in &**bodies {
                    self.branch(&stm.pat, body, group);
                }
            }
            Exp::Switch(value, switch) => {
                self.graph.group_needs(group, *value);
                for (_, body) in &switch.cases {
                    self.branch(&stm.pat, body, group);
                }
                self.branch(&stm.pat, &switch.default, group);
            }
            Exp::Loop(params, form, body) => {
                for (index, param) in params.iter().enumerate() {
                    self.bind(param.var, group);
                    self.graph.var_needs(param.var, param.init);
                    self.graph.var_needs(param.var, body.results[index]);
                    self.graph.var_needs(stm.pat[index], Atom::Var(param.var));
                }
                match form {
                    LoopForm::For(var, bound) => {
                        self.bind(*var, group);
                        self.graph.group_needs(group, *bound);
                    }
                    LoopForm::While(var) => self.graph.group_needs(group, Atom::Var(*var)),
                }
                self.body(body, Some(group));
            }
            Exp::Screma(op) => self.screma(&stm.pat, op, group),
            Exp::Hist(op) => self.hist(&stm.pat, op, group),
            Exp::Scatter(op) => self.scatter(&stm.pat, op, group),
            Exp::Stream(op) => self.stream(&stm.pat, op, group),
            Exp::Partition(op) => self.partition(&stm.pat, op, group),
            Exp::Flatmap(op) => self.flatmap(&stm.pat, op, group),
            Exp::Seg(seg) => self.seg(&stm.pat, seg, group),
            Exp::WithAcc(inputs, lambda) => self.with_acc(&stm.pat, inputs, lambda, group),
            exp => {
                // All results or none.
                for var in &stm.pat {
                    self.graph.group_needs_type(group, &self.vars[*var].ty);
                }
                exp.for_each_operand(&mut |atom| self.graph.group_needs(group, atom));
            }
        }
        self.graph.end(group);
    }

    /// A variable belongs to a group and needs its sizes.
    fn bind(&mut self, var: Var, group: Group) {
        self.graph.bind(var, group);
        self.graph.var_needs_type(var, &self.vars[var].ty);
    }

    fn branch(&mut self, pat: &[Var], body: &Body, group: Group) {
        for (var, result) in pat.iter().zip(&body.results) {
            self.graph.var_needs(*var, *result);
        }
        self.body(body, Some(group));
    }

    fn group_needs_vars(&mut self, group: Group, vars: &[Var]) {
        for var in vars {
            self.graph.group_needs(group, Atom::Var(*var));
        }
    }

    fn group_needs_atoms(&mut self, group: Group, atoms: &[Atom]) {
        for atom in atoms {
            self.graph.group_needs(group, *atom);
        }
    }

    /// A result of a function that a variable stands for.
    fn result(&mut self, var: Var, lambda: &Lambda, index: usize) {
        self.graph.var_needs(var, lambda.body.results[index]);
        self.graph.var_needs_type(var, &lambda.ret[index]);
    }

    /// A result of a function that belongs to a group.
    fn group_result(&mut self, group: Group, lambda: &Lambda, index: usize) {
        self.graph.group_needs(group, lambda.body.results[index]);
        self.graph.group_needs_type(group, &lambda.ret[index]);
    }

    /// The function that is applied to inputs; a parameter needs its input.
    fn function(&mut self, lambda: &Lambda, skip: usize, inputs: &[Var], group: Group) {
        for param in &lambda.params {
            self.bind(*param, group);
        }
        for (param, input) in lambda.params[skip..].iter().zip(inputs) {
            self.graph.var_needs(*param, Atom::Var(*input));
        }
        self.body(&lambda.body, Some(group));
    }

    /// An operator, all of which a group needs.
    fn operator(&mut self, lambda: &Lambda, neutral: &[Atom], group: Group) {
        self.group_needs_vars(group, &lambda.params);
        self.group_needs_atoms(group, neutral);
        for index in 0..lambda.ret.len() {
            self.group_result(group, lambda, index);
        }
        for param in &lambda.params {
            self.bind(*param, group);
        }
        self.body(&lambda.body, Some(group));
    }

    /// An operator on tuples, without effects: a part is needed if its result is, or if it takes part in another that is needed.
    fn parts(&mut self, pat: &[Var], lambda: &Lambda, neutral: &[Atom], group: Group) {
        let (left, right) = lambda.params.split_at(pat.len());
        for (index, var) in pat.iter().enumerate() {
            self.graph.bind(*var, group);
            self.graph.var_needs(*var, neutral[index]);
            self.result(*var, lambda, index);
            for param in [left[index], right[index]] {
                self.bind(param, group);
                self.graph.var_needs(param, Atom::Var(*var));
                self.graph.var_needs(*var, Atom::Var(param));
            }
        }
        self.body(&lambda.body, Some(group));
    }

    /// Results of a statement that belong together.
    fn together(&mut self, pat: &[Var], group: Group) {
        self.group_needs_vars(group, pat);
        for var in pat {
            self.graph.bind(*var, group);
        }
    }

    fn screma(&mut self, pat: &[Var], op: &Screma, group: Group) {
        self.graph.group_needs(group, op.width);
        let operators: Vec<(&Lambda, &[Atom])> = op
            .scans
            .iter()
            .map(|scan| (&scan.op, &scan.neutral[..]))
            .chain(op.reds.iter().map(|red| (&red.op, &red.neutral[..])))
            .collect();
        let first = self.inner_groups(operators.len(), group);
        let mut at = 0;
        for (index, (lambda, neutral)) in operators.iter().enumerate() {
            let (inner, own) = (first + index, &pat[at..at + neutral.len()]);
            for (index, var) in own.iter().enumerate() {
                self.result(*var, &op.map, at + index);
            }
            if self.effects.body(&lambda.body) {
                self.together(own, inner);
                self.operator(lambda, neutral, inner);
            } else {
                self.parts(own, lambda, neutral, inner);
            }
            at += neutral.len();
        }
        for (index, var) in pat.iter().enumerate().skip(at) {
            self.result(*var, &op.map, index);
        }
        self.function(&op.map, 0, &op.inputs, group);
        self.end_inner_groups(first, operators.len());
    }

    fn hist(&mut self, pat: &[Var], op: &Hist, group: Group) {
        self.graph.group_needs(group, op.width);
        let first = self.inner_groups(op.ops.len(), group);
        let mut index_at = 0;
        let mut value_at: usize = op.ops.iter().map(|hist| hist.shape.len()).sum();
        let mut at = 0;
        for (number, hist) in op.ops.iter().enumerate() {
            let inner = first + number;
            self.group_needs_atoms(inner, &hist.shape);
            self.graph.group_needs(inner, hist.race_factor);
            self.group_needs_vars(inner, &hist.dests);
            for result in index_at..index_at + hist.shape.len() {
                self.group_result(inner, &op.map, result);
            }
            for result in value_at..value_at + hist.dests.len() {
                self.group_result(inner, &op.map, result);
            }
            self.together(&pat[at..at + hist.dests.len()], inner);
            self.operator(&hist.op, &hist.neutral, inner);
            index_at += hist.shape.len();
            value_at += hist.dests.len();
            at += hist.dests.len();
        }
        self.function(&op.map, 0, &op.inputs, group);
        self.end_inner_groups(first, op.ops.len());
    }

    fn scatter(&mut self, pat: &[Var], op: &Scatter, group: Group) {
        self.graph.group_needs(group, op.width);
        let first = self.inner_groups(op.dests.len(), group);
        let mut index_at = 0;
        let values: usize = op.dests.iter().map(|(shape, _)| shape.len()).sum();
        for (number, (shape, dest)) in op.dests.iter().enumerate() {
            let inner = first + number;
            self.group_needs_atoms(inner, shape);
            self.graph.group_needs(inner, Atom::Var(*dest));
            for result in index_at..index_at + shape.len() {
                self.group_result(inner, &op.map, result);
            }
            self.group_result(inner, &op.map, values + number);
            self.together(&pat[number..=number], inner);
            index_at += shape.len();
        }
        self.function(&op.map, 0, &op.inputs, group);
        self.end_inner_groups(first, op.dests.len());
    }

    fn stream(&mut self, pat: &[Var], op: &Stream, group: Group) {
        self.graph.group_needs(group, op.width);
        let accs = op.init.len();
        let first = self.inner_groups(1, group);
        match &op.form {
            StreamForm::Map => {}
            StreamForm::Pass(pieces) => {
                // All of it is needed, or none.
                self.together(pat, first);
                self.group_needs_atoms(first, &op.init);
                for index in 0..op.chunk.body.results.len() {
                    self.group_result(first, &op.chunk, index);
                }
                self.group_needs_vars(first, &op.inputs);
                for piece in pieces {
                    self.group_needs_vars(first, &[piece.sizes]);
                    self.group_needs_vars(first, &piece.values);
                }
                self.group_needs_vars(first, &op.chunk.params);
                self.function(&op.chunk, 0, &[], group);
                self.end_inner_groups(first, 1);
                return;
            }
            StreamForm::Seq => {
                let params = op.acc_params().iter().zip(&op.init);
                for (index, (var, (param, init))) in pat.iter().zip(params).enumerate() {
                    self.graph.var_needs(*var, Atom::Var(*param));
                    self.graph.var_needs(*param, *init);
                    self.result(*param, &op.chunk, index);
                }
            }
            StreamForm::Red(lambda, _) => {
                self.together(&pat[..accs], first);
                self.group_needs_vars(first, op.acc_params());
                for index in 0..accs {
                    self.group_result(first, &op.chunk, index);
                }
                self.operator(lambda, &op.init, first);
                for param in op.acc_params() {
                    self.graph.var_needs(*param, Atom::Var(pat[0]));
                }
            }
        }
        for (index, var) in pat.iter().enumerate().skip(accs) {
            self.result(*var, &op.chunk, index);
        }
        self.function(&op.chunk, 1 + accs, &op.inputs, group);
        self.end_inner_groups(first, 1);
    }

    fn partition(&mut self, pat: &[Var], op: &Partition, group: Group) {
        self.graph.group_needs(group, op.width);
        self.group_result(group, &op.map, 0);
        for (index, var) in pat[op.classes..].iter().enumerate() {
            self.result(*var, &op.map, 1 + index);
        }
        self.function(&op.map, 0, &op.inputs, group);
    }

    /// The sizes of pieces are always needed; after their sum and themselves, the statement binds the other results in order.
    fn flatmap(&mut self, pat: &[Var], op: &Flatmap, group: Group) {
        self.graph.group_needs(group, op.width);
        self.group_result(group, &op.map, 0);
        for (index, var) in pat[2..].iter().enumerate() {
            self.result(*var, &op.map, 1 + index);
        }
        self.function(&op.map, 0, &op.inputs, group);
    }

    /// The results of a map are independent of each other, those of other operators belong together.
    fn seg(&mut self, pat: &[Var], seg: &Seg, group: Group) {
        self.group_needs_atoms(group, &seg.space);
        let is_map = |op: &Stm| matches!(&op.exp, Exp::Screma(op) if op.folded() == 0);
        if !seg.parts().is_some_and(|parts| is_map(parts.op)) {
            self.together(pat, group);
        }
        for (index, var) in pat.iter().enumerate() {
            self.result(*var, &seg.body, index);
        }
        if let Some(rows) = seg.rows {
            self.group_needs_vars(group, &[rows.ends]);
            self.group_needs_atoms(group, &[rows.total]);
        }
        self.function(&seg.body, seg.leading(), &seg.inputs, group);
        self.group_needs_vars(group, &seg.body.params[..seg.leading()]);
    }

    fn with_acc(&mut self, pat: &[Var], inputs: &[AccInput], lambda: &Lambda, group: Group) {
        let first = self.inner_groups(inputs.len(), group);
        let mut at = 0;
        for (number, input) in inputs.iter().enumerate() {
            let inner = first + number;
            self.group_needs_atoms(inner, &input.shape);
            self.group_needs_vars(inner, &input.arrays);
            self.group_result(inner, lambda, number);
            self.together(&pat[at..at + input.arrays.len()], inner);
            if let Some((op, neutral)) = &input.op {
                self.operator(op, neutral, inner);
            }
            at += input.arrays.len();
        }
        for (index, var) in pat[at..].iter().enumerate() {
            self.result(*var, lambda, inputs.len() + index);
        }
        self.function(lambda, 0, &[], group);
        for (number, inner) in (first..first + inputs.len()).enumerate() {
            self.graph.bind(lambda.params[number], inner);
            self.graph.bind(lambda.params[inputs.len() + number], inner);
        }
        self.end_inner_groups(first, inputs.len());
    }

    /// Groups inside a statement.
    fn inner_groups(&mut self, count: usize, group: Group) -> Group {
        for _ in 0..count {
            self.graph.group(Some(group));
        }
        group + 1
    }

    /// They end at once: what follows has numbers of its own.
    fn end_inner_groups(&mut self, first: Group, count: usize) {
        for group in first..first + count {
            self.graph.end(group);
        }
    }
}
