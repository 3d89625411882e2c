//! How operators inside of others differ between positions, which decides how they are executed in parallel.

use super::model::{Note, NoteKind};
use fehu_base::IdVec;
use fehu_facts::{Labels, Regularity};
use fehu_ir::free::free_in_stm;
use fehu_ir::{Body, Exp, Lambda, Loc, Prog, Stm, Var, VarInfo};

/// Adds a note about each operator inside of an operator. `show` says in words where another place is.
pub(super) fn explain(
    prog: &Prog,
    show: &dyn Fn(Option<&Loc>, Option<&Loc>) -> String,
    add: &mut dyn FnMut(Option<&Loc>, Note),
) {
    for (_, fun) in prog.funs.iter() {
        Nests { vars: &fun.vars, show, add }.host(&fun.body);
    }
}

struct Nests<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    show: &'a dyn Fn(Option<&Loc>, Option<&Loc>) -> String,
    add: &'a mut dyn FnMut(Option<&Loc>, Note),
}

impl Nests<'_> {
    /// Code outside of all operators.
    fn host(&mut self, body: &Body) {
        for stm in &body.stms {
            match function(&stm.exp) {
                Some(map) => self.inside(&map.body, &Labels::of_map(map, self.vars), stm),
                None => stm.exp.for_each_body(&mut |body| self.host(body)),
            }
        }
    }

    /// Code inside the function of an operator.
    fn inside(&mut self, body: &Body, labels: &Labels, outer: &Stm) {
        for stm in &body.stms {
            if let (Some(name), Some(own)) = (stm.exp.operator(), labels.operator(&stm.exp)) {
                let avoided =
                    free_in_stm(stm, self.vars).iter().all(|var| labels.is_avoided((*var).into()));
                let label = if avoided { Regularity::Avoided } else { own };
                let around = outer.exp.operator().unwrap_or("operator");
                let place = (self.show)(stm.loc.as_ref(), outer.loc.as_ref());
                let why = match label {
                    Regularity::Avoided => "it is the same at all positions of",
                    Regularity::Regular => "it has as many elements at all positions of",
                    Regularity::Irregular => {
                        "its number of elements varies between the positions of"
                    }
                };
                let text = format!("{name}: {}: {why} the {around} {place}", label.name());
                (self.add)(
                    stm.loc.as_ref(),
                    Note { line: 0, column: 0, kind: NoteKind::Nest, text },
                );
            }
            stm.exp.for_each_body(&mut |body| self.inside(body, labels, outer));
        }
    }
}

/// The function of an operator that is applied at each of its positions.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others have no positions")]
fn function(exp: &Exp) -> Option<&Lambda> {
    match exp {
        Exp::Screma(op) => Some(&op.map),
        Exp::Hist(op) => Some(&op.map),
        Exp::Scatter(op) => Some(&op.map),
        Exp::Partition(op) => Some(&op.map),
        Exp::Flatmap(op) => Some(&op.map),
        _ => None,
    }
}
