//! The printer of expressions.

use super::print::Printer;
use crate::{
    Atom, DiffForm, Dim, Exp, HistOp, Lambda, LoopForm, Notice, Rows, Stream, StreamForm, Type,
};
use std::fmt::Write;

/// Whether an expression stands on lines of its own.
pub(super) fn is_long(exp: &Exp) -> bool {
    let mut long = matches!(exp, Exp::Scatter(_) | Exp::Hist(_));
    exp.for_each_body(&mut |_| long = true);
    long
}

impl Printer<'_> {
    pub(super) fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Atom(atom) => self.atom(*atom),
            Exp::UnOp(op, a) => self.operation(op.name(), &[*a]),
            Exp::BinOp(op, a, b) => self.operation(op.name(), &[*a, *b]),
            Exp::CmpOp(op, a, b) => self.operation(op.name(), &[*a, *b]),
            Exp::Math(f, atoms) => self.operation(f.name(), atoms),
            Exp::Convert(prim, a) => {
                self.put("convert ");
                self.operation(prim.name(), &[*a]);
            }
            Exp::Reinterpret(prim, a) => {
                self.put("reinterpret ");
                self.operation(prim.name(), &[*a]);
            }
            Exp::Assert(cond, check) => {
                self.operation("assert", &[*cond]);
                self.check(check);
            }
            Exp::Array(elem, atoms) => {
                let _ = write!(self.out, "array {elem} ");
                self.atoms(atoms);
            }
            Exp::Index(array, dims) => {
                self.put("index ");
                self.var(*array);
                self.dims(dims);
            }
            Exp::Update(array, dims, value) => {
                self.put("update ");
                self.var(*array);
                self.dims(dims);
                self.put(" = ");
                self.atom(*value);
            }
            Exp::FlatIndex(array, offset, dims) => {
                self.put("flat_index ");
                self.var(*array);
                self.flat(*offset, dims);
            }
            Exp::FlatUpdate(array, offset, dims, value) => {
                self.put("flat_update ");
                self.var(*array);
                self.flat(*offset, dims);
                self.put(" = ");
                self.var(*value);
            }
            Exp::Concat(size, arrays) => {
                self.operation("concat", &[*size]);
                self.put(" ");
                self.var_list(arrays);
            }
            Exp::Iota(prim, count, start, step) => {
                self.put("iota ");
                self.operation(prim.name(), &[*count, *start, *step]);
            }
            Exp::Replicate(shape, value) => {
                self.put("replicate ");
                self.atoms(shape);
                self.put(" ");
                self.atom(*value);
            }
            Exp::Scratch(elem, shape) => {
                self.put("scratch ");
                self.ty(&Type::Array(*elem, shape.clone()));
            }
            Exp::Reshape(array, shape) => {
                self.put("reshape ");
                self.atoms(shape);
                self.put(" ");
                self.var(*array);
            }
            Exp::Rearrange(array, perm) => {
                self.put("rearrange ");
                self.parens(perm, |p, dim| p.put(&dim.to_string()));
                self.put(" ");
                self.var(*array);
            }
            Exp::Copy(array) => self.operation("copy", &[Atom::Var(*array)]),
            Exp::Manifest(array) => self.operation("manifest", &[Atom::Var(*array)]),
            Exp::If(cond, bodies) => {
                self.operation("if", &[*cond]);
                self.newline();
                self.put("then ");
                self.block(&bodies[0]);
                self.newline();
                self.put("else ");
                self.block(&bodies[1]);
            }
            Exp::Switch(value, switch) => {
                self.operation("switch", &[*value]);
                self.put(" {");
                self.indent += 1;
                for (case, body) in &switch.cases {
                    self.newline();
                    self.operation("case", &[Atom::Const(*case)]);
                    self.put(" ");
                    self.block(body);
                }
                self.newline();
                self.put("default ");
                self.block(&switch.default);
                self.indent -= 1;
                self.newline();
                self.put("}");
            }
            Exp::Loop(params, form, body) => {
                self.put("loop ");
                self.parens(params, |p, param| {
                    p.binding(param.var);
                    p.put(" = ");
                    p.atom(param.init);
                });
                match form {
                    LoopForm::For(var, bound) => {
                        self.put(" for ");
                        self.binding(*var);
                        self.put(" < ");
                        self.atom(*bound);
                    }
                    LoopForm::While(var) => {
                        self.put(" while ");
                        self.var(*var);
                    }
                }
                self.put(" ");
                self.block(body);
            }
            Exp::Call(fun, args) => {
                self.put("call ");
                self.fun_name(*fun);
                self.put(" ");
                self.atoms(args);
            }
            Exp::Const(item) => {
                self.put("const ");
                match self.names.consts.get(item.0 as usize) {
                    Some(name) => self.out.push_str(name),
                    None => self.put(&format!("c_{}", item.0)),
                }
            }
            Exp::Screma(op) => {
                self.width("screma", op.width, &op.inputs);
                self.part("map", &op.map);
                for scan in &op.scans {
                    self.part("scan", &scan.op);
                    self.neutral(&scan.neutral);
                }
                for red in &op.reds {
                    self.part(if red.commutative { "red comm" } else { "red" }, &red.op);
                    self.neutral(&red.neutral);
                }
            }
            Exp::Hist(op) => {
                self.width("hist", op.width, &op.inputs);
                self.part("map", &op.map);
                for hist in &op.ops {
                    self.hist_op(hist);
                }
            }
            Exp::Scatter(op) => {
                self.width("scatter", op.width, &op.inputs);
                self.part("map", &op.map);
                self.indent += 1;
                for (shape, dest) in &op.dests {
                    self.newline();
                    self.put("dest ");
                    self.shape(shape);
                    self.put(" ");
                    self.var(*dest);
                }
                self.indent -= 1;
            }
            Exp::Stream(op) => self.stream(op),
            Exp::Partition(op) => {
                self.width("partition", op.width, &op.inputs);
                self.put(&format!(" {} ", op.classes));
                self.lambda(&op.map);
            }
            Exp::Flatmap(op) => {
                self.width("flatmap", op.width, &op.inputs);
                self.put(&format!(" {} ", op.pieces));
                self.lambda(&op.map);
            }
            Exp::Diff(op) => {
                self.put(op.form.name());
                self.put(" ");
                if let Some(directions) = op.form.seeds().and_then(|seeds| seeds.directions) {
                    self.atom(directions);
                    self.put(" ");
                }
                self.atoms(&op.args);
                self.put(" ");
                if let Some(seeds) = op.form.seeds() {
                    self.atoms(&seeds.values);
                    self.put(" ");
                }
                self.lambda(&op.fun);
                if let DiffForm::Custom(adjoint) = &op.form {
                    self.put(" ");
                    self.lambda(adjoint);
                }
            }
            Exp::Seg(seg) => {
                self.put("seg ");
                self.put(seg.level.name());
                self.put(if seg.lanes { " lanes " } else { " " });
                self.shape(&seg.space);
                self.put(" ");
                if let Some(Rows { ends, total }) = seg.rows {
                    self.put("rows ");
                    self.atom(Atom::Var(ends));
                    self.put(" ");
                    self.atom(total);
                    self.put(" ");
                }
                if let Some(tiling) = &seg.tiling {
                    self.tiling(tiling);
                }
                self.var_list(&seg.inputs);
                self.put(" ");
                self.lambda(&seg.body);
            }
            Exp::WithAcc(inputs, lambda) => {
                self.put("withacc");
                self.indent += 1;
                for input in inputs {
                    self.newline();
                    self.put("acc ");
                    self.shape(&input.shape);
                    self.put(" ");
                    self.var_list(&input.arrays);
                    if let Some((op, neutral)) = &input.op {
                        self.part("op", op);
                        self.neutral(neutral);
                    }
                }
                self.indent -= 1;
                self.part("in", lambda);
            }
            Exp::UpdateAcc(acc, indices, values) => {
                self.put("update_acc ");
                self.var(*acc);
                self.put(" ");
                self.shape(indices);
                self.put(" ");
                self.atoms(values);
            }
            Exp::Trace(tag, atom) => {
                self.put("trace ");
                self.string(tag);
                self.put(" ");
                self.atom(*atom);
            }
            Exp::Notice(notice, atoms) => {
                self.put("notice ");
                match notice {
                    Notice::Enter(scene) => self.put(&format!("enter {scene} ")),
                    Notice::Leave => self.put("leave "),
                    Notice::Stop(Some(scene)) => self.put(&format!("stop {scene} ")),
                    Notice::Stop(None) => self.put("stop "),
                    Notice::Nan => self.put("nan "),
                }
                self.atoms(atoms);
            }
            Exp::Opaque(atom) => self.operation("opaque", &[*atom]),
            Exp::Tuning(name, atom) => {
                self.put("tuning ");
                self.string(name);
                self.put(" ");
                self.atom(*atom);
            }
            Exp::Threads => self.put("threads"),
            Exp::Fail(check) => {
                self.put("fail");
                self.check(check);
            }
        }
    }

    /// A word and operands.
    fn operation(&mut self, name: &str, atoms: &[Atom]) {
        self.put(name);
        for atom in atoms {
            self.put(" ");
            self.atom(*atom);
        }
    }

    fn dims(&mut self, dims: &[Dim]) {
        self.put("[");
        self.list(dims, |p, dim| match dim {
            Dim::Fix(atom) => p.atom(*atom),
            Dim::Slice { start, len, stride } => {
                p.atom(*start);
                p.put(":");
                p.atom(*len);
                p.put(":");
                p.atom(*stride);
            }
        });
        self.put("]");
    }

    fn flat(&mut self, offset: Atom, dims: &[(Atom, Atom)]) {
        self.put("[");
        self.atom(offset);
        self.put("; ");
        self.list(dims, |p, (len, stride)| {
            p.atom(*len);
            p.put(":");
            p.atom(*stride);
        });
        self.put("]");
    }

    fn shape(&mut self, shape: &[Atom]) {
        self.put("[");
        self.list(shape, |p, atom| p.atom(*atom));
        self.put("]");
    }

    fn width(&mut self, name: &str, width: Atom, inputs: &[crate::Var]) {
        self.operation(name, &[width]);
        self.put(" ");
        self.var_list(inputs);
    }

    /// A lambda on a line of its own, after a word.
    fn part(&mut self, name: &str, lambda: &Lambda) {
        self.indent += 1;
        self.newline();
        self.put(name);
        self.put(" ");
        self.lambda(lambda);
        self.indent -= 1;
    }

    fn neutral(&mut self, neutral: &[Atom]) {
        self.put(" neutral ");
        self.atoms(neutral);
    }

    fn hist_op(&mut self, hist: &HistOp) {
        self.indent += 1;
        self.newline();
        self.put("dest ");
        self.shape(&hist.shape);
        self.operation(" race", &[hist.race_factor]);
        self.put(" ");
        self.var_list(&hist.dests);
        self.put(" ");
        self.lambda(&hist.op);
        self.neutral(&hist.neutral);
        self.indent -= 1;
    }

    fn stream(&mut self, op: &Stream) {
        self.width("stream", op.width, &op.inputs);
        match &op.form {
            StreamForm::Map => self.put(" map"),
            StreamForm::Seq => self.put(" seq"),
            StreamForm::Pass(pieces) => {
                self.put(" pass");
                for piece in pieces {
                    self.put(" pieces ");
                    self.var(piece.sizes);
                    self.put(" ");
                    self.var_list(&piece.values);
                }
            }
            StreamForm::Red(lambda, commutative) => {
                self.part(if *commutative { "red comm" } else { "red" }, lambda);
            }
        }
        self.indent += 1;
        self.newline();
        self.put("init ");
        self.atoms(&op.init);
        self.indent -= 1;
        self.part("chunk", &op.chunk);
    }
}
