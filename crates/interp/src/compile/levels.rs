//! The level of every variable: how many bodies that run many times are around its binding.

use fehu_base::id::Id;
use fehu_ir::{Body, Exp, Lambda, LoopForm, StreamForm, Var};

/// The levels of a function's variables.
pub(super) fn levels(count: usize, params: &[Var], body: &Body) -> Vec<u32> {
    let mut levels = Levels { levels: vec![0; count] };
    levels.bind(params, 0);
    levels.body(body, 0);
    levels.levels
}

struct Levels {
    levels: Vec<u32>,
}

impl Levels {
    fn bind(&mut self, vars: &[Var], level: u32) {
        for var in vars {
            if let Some(entry) = self.levels.get_mut(var.index()) {
                *entry = level;
            }
        }
    }

    fn body(&mut self, body: &Body, level: u32) {
        for stm in &body.stms {
            self.bind(&stm.pat, level);
            self.exp(&stm.exp, level);
        }
    }

    fn lambda(&mut self, lambda: &Lambda, level: u32) {
        self.bind(&lambda.params, level + 1);
        self.body(&lambda.body, level + 1);
    }

    fn exp(&mut self, exp: &Exp, level: u32) {
        match exp {
            Exp::If(_, bodies) => bodies.iter().for_each(|body| self.body(body, level)),
            Exp::Switch(_, switch) => {
                switch.cases.iter().for_each(|(_, body)| self.body(body, level));
                self.body(&switch.default, level);
            }
            Exp::Loop(params, form, body) => {
                params.iter().for_each(|param| self.bind(&[param.var], level + 1));
                if let LoopForm::For(var, _) = form {
                    self.bind(&[*var], level + 1);
                }
                self.body(body, level + 1);
            }
            Exp::Screma(screma) => {
                self.lambda(&screma.map, level);
                screma.scans.iter().for_each(|scan| self.lambda(&scan.op, level));
                screma.reds.iter().for_each(|red| self.lambda(&red.op, level));
            }
            Exp::Hist(hist) => {
                self.lambda(&hist.map, level);
                hist.ops.iter().for_each(|op| self.lambda(&op.op, level));
            }
            Exp::Scatter(scatter) => self.lambda(&scatter.map, level),
            Exp::Stream(stream) => {
                self.lambda(&stream.chunk, level);
                if let StreamForm::Red(op, _) = &stream.form {
                    self.lambda(op, level);
                }
            }
            Exp::Partition(partition) => self.lambda(&partition.map, level),
            Exp::Flatmap(flatmap) => self.lambda(&flatmap.map, level),
            Exp::Seg(seg) => self.lambda(&seg.body, level),
            Exp::Diff(op) => op.for_each_lambda(&mut |lambda| self.lambda(lambda, level)),
            Exp::WithAcc(inputs, lambda) => {
                for (op, _) in inputs.iter().filter_map(|input| input.op.as_ref()) {
                    self.lambda(op, level);
                }
                self.lambda(lambda, level);
            }
            Exp::Atom(_)
            | Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Assert(..)
            | Exp::Array(..)
            | Exp::Index(..)
            | Exp::Update(..)
            | Exp::FlatIndex(..)
            | Exp::FlatUpdate(..)
            | Exp::Concat(..)
            | Exp::Iota(..)
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Reshape(..)
            | Exp::Rearrange(..)
            | Exp::Copy(_)
            | Exp::Manifest(_)
            | Exp::Call(..)
            | Exp::Const(_)
            | Exp::UpdateAcc(..)
            | Exp::Notice(..)
            | Exp::Trace(..)
            | Exp::Opaque(_)
            | Exp::Tuning(..)
            | Exp::Threads
            | Exp::Fail(_) => {}
        }
    }
}
