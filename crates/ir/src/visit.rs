//! Traversals: the one place that knows what an expression is made of.
//!
//! [`Visit`] looks at a program fragment and [`VisitMut`] changes it in place. Both call a method for
//! each thing they meet, in the order of the text form, and every method can be overridden; the
//! `walk_*` functions go on into the parts of a thing. The two come from one macro, so that they cannot
//! differ.
//!
//! The types of bound variables stand in the variables' table and not in the fragment, so a traversal
//! that cares for them overrides [`Visit::bind`] and calls `walk_type` on the table's entry.

use crate::{
    Atom, Body, Border, Check, CheckPart, DiffForm, Dim, Exp, Lambda, LoopForm, Origin, Stm,
    StreamForm, Tiling, Type, Var,
};

macro_rules! traversal {
    (
        $(#[$meta:meta])* $trait:ident, [$($m:tt)?],
        $walk_body:ident, $walk_stm:ident, $walk_exp:ident, $walk_lambda:ident, $walk_type:ident,
        $walk_check:ident, $walk_dim:ident
    ) => {
        $(#[$meta])*
        pub trait $trait {
            /// A variable that is used where only a variable can stand: an array, a certificate.
            fn use_var(&mut self, _var: &$($m)? Var) {}

            /// An operand.
            fn use_atom(&mut self, atom: &$($m)? Atom) {
                match atom {
                    Atom::Var(var) => self.use_var(var),
                    Atom::Const(_) => {}
                }
            }

            /// A variable at its binding.
            fn bind(&mut self, _var: &$($m)? Var) {}

            /// A type that is written in the fragment: of a lambda's result.
            fn ty(&mut self, ty: &$($m)? Type) {
                $walk_type(self, ty);
            }

            /// A body inside an expression or lambda.
            fn body(&mut self, body: &$($m)? Body) {
                $walk_body(self, body);
            }

            /// A statement.
            fn stm(&mut self, stm: &$($m)? Stm) {
                $walk_stm(self, stm);
            }

            /// An expression.
            fn exp(&mut self, exp: &$($m)? Exp) {
                $walk_exp(self, exp);
            }

            /// A function of an array operator.
            fn lambda(&mut self, lambda: &$($m)? Lambda) {
                $walk_lambda(self, lambda);
            }
        }

        /// The statements, then the results.
        pub fn $walk_body<V: $trait + ?Sized>(v: &mut V, body: &$($m)? Body) {
            for stm in &$($m)? body.stms {
                v.stm(stm);
            }
            for atom in &$($m)? body.results {
                v.use_atom(atom);
            }
        }

        /// The certificates, the pattern, the expression.
        pub fn $walk_stm<V: $trait + ?Sized>(v: &mut V, stm: &$($m)? Stm) {
            for cert in &$($m)? stm.certs {
                v.use_var(cert);
            }
            for var in &$($m)? stm.pat {
                v.bind(var);
            }
            v.exp(&$($m)? stm.exp);
        }

        /// The parameters, the types of the results, the body.
        pub fn $walk_lambda<V: $trait + ?Sized>(v: &mut V, lambda: &$($m)? Lambda) {
            for var in &$($m)? lambda.params {
                v.bind(var);
            }
            for ty in &$($m)? lambda.ret {
                v.ty(ty);
            }
            v.body(&$($m)? lambda.body);
        }

        /// The sizes of an array, the certificate of an accumulator.
        pub fn $walk_type<V: $trait + ?Sized>(v: &mut V, ty: &$($m)? Type) {
            match ty {
                Type::Scalar(_) => {}
                Type::Array(_, shape) => {
                    for atom in shape {
                        v.use_atom(atom);
                    }
                }
                Type::Acc(cert) => v.use_var(cert),
            }
        }

        fn $walk_check<V: $trait + ?Sized>(v: &mut V, check: &$($m)? Check) {
            for part in &$($m)? check.parts {
                match part {
                    CheckPart::Text(_) => {}
                    CheckPart::Value(atom) => v.use_atom(atom),
                }
            }
        }

        fn $walk_dim<V: $trait + ?Sized>(v: &mut V, dim: &$($m)? Dim) {
            match dim {
                Dim::Fix(atom) => v.use_atom(atom),
                Dim::Slice { start, len, stride } => {
                    v.use_atom(start);
                    v.use_atom(len);
                    v.use_atom(stride);
                }
            }
        }

        /// The operands, bound variables, bodies and lambdas, in the order of the text form.
        pub fn $walk_exp<V: $trait + ?Sized>(v: &mut V, exp: &$($m)? Exp) {
            match exp {
                Exp::Atom(a)
                | Exp::UnOp(_, a)
                | Exp::Convert(_, a)
                | Exp::Reinterpret(_, a)
                | Exp::Trace(_, a)
                | Exp::Opaque(a)
                | Exp::Tuning(_, a) => v.use_atom(a),
                Exp::BinOp(_, a, b) | Exp::CmpOp(_, a, b) => {
                    v.use_atom(a);
                    v.use_atom(b);
                }
                Exp::Iota(_, a, b, c) => {
                    v.use_atom(a);
                    v.use_atom(b);
                    v.use_atom(c);
                }
                Exp::Math(_, atoms)
                | Exp::Array(_, atoms)
                | Exp::Scratch(_, atoms)
                | Exp::Notice(_, atoms)
                | Exp::Call(_, atoms) => {
                    for atom in atoms {
                        v.use_atom(atom);
                    }
                }
                Exp::Assert(cond, check) => {
                    v.use_atom(cond);
                    $walk_check(v, check);
                }
                Exp::Fail(check) => $walk_check(v, check),
                Exp::Index(array, dims) => {
                    v.use_var(array);
                    for dim in dims {
                        $walk_dim(v, dim);
                    }
                }
                Exp::Update(array, dims, value) => {
                    v.use_var(array);
                    for dim in dims {
                        $walk_dim(v, dim);
                    }
                    v.use_atom(value);
                }
                Exp::FlatIndex(array, offset, dims) => {
                    v.use_var(array);
                    v.use_atom(offset);
                    for (len, stride) in dims {
                        v.use_atom(len);
                        v.use_atom(stride);
                    }
                }
                Exp::FlatUpdate(array, offset, dims, value) => {
                    v.use_var(array);
                    v.use_atom(offset);
                    for (len, stride) in dims {
                        v.use_atom(len);
                        v.use_atom(stride);
                    }
                    v.use_var(value);
                }
                Exp::Concat(size, arrays) => {
                    v.use_atom(size);
                    for array in arrays {
                        v.use_var(array);
                    }
                }
                Exp::Replicate(shape, value) => {
                    for atom in shape {
                        v.use_atom(atom);
                    }
                    v.use_atom(value);
                }
                Exp::Reshape(array, shape) => {
                    for atom in shape {
                        v.use_atom(atom);
                    }
                    v.use_var(array);
                }
                Exp::Rearrange(array, _) | Exp::Copy(array) | Exp::Manifest(array) => {
                    v.use_var(array);
                }
                Exp::If(cond, bodies) => {
                    v.use_atom(cond);
                    for body in &$($m)? **bodies {
                        v.body(body);
                    }
                }
                Exp::Switch(value, switch) => {
                    v.use_atom(value);
                    for (_, body) in &$($m)? switch.cases {
                        v.body(body);
                    }
                    v.body(&$($m)? switch.default);
                }
                Exp::Loop(params, form, body) => {
                    for param in params {
                        v.bind(&$($m)? param.var);
                        v.use_atom(&$($m)? param.init);
                    }
                    match form {
                        LoopForm::For(var, bound) => {
                            v.bind(var);
                            v.use_atom(bound);
                        }
                        LoopForm::While(var) => v.use_var(var),
                    }
                    v.body(body);
                }
                Exp::Const(_) | Exp::Threads => {}
                Exp::Screma(op) => {
                    v.use_atom(&$($m)? op.width);
                    for input in &$($m)? op.inputs {
                        v.use_var(input);
                    }
                    v.lambda(&$($m)? op.map);
                    for scan in &$($m)? op.scans {
                        v.lambda(&$($m)? scan.op);
                        for atom in &$($m)? scan.neutral {
                            v.use_atom(atom);
                        }
                    }
                    for red in &$($m)? op.reds {
                        v.lambda(&$($m)? red.op);
                        for atom in &$($m)? red.neutral {
                            v.use_atom(atom);
                        }
                    }
                }
                Exp::Hist(op) => {
                    v.use_atom(&$($m)? op.width);
                    for input in &$($m)? op.inputs {
                        v.use_var(input);
                    }
                    v.lambda(&$($m)? op.map);
                    for hist in &$($m)? op.ops {
                        for atom in &$($m)? hist.shape {
                            v.use_atom(atom);
                        }
                        v.use_atom(&$($m)? hist.race_factor);
                        for dest in &$($m)? hist.dests {
                            v.use_var(dest);
                        }
                        v.lambda(&$($m)? hist.op);
                        for atom in &$($m)? hist.neutral {
                            v.use_atom(atom);
                        }
                    }
                }
                Exp::Scatter(op) => {
                    v.use_atom(&$($m)? op.width);
                    for input in &$($m)? op.inputs {
                        v.use_var(input);
                    }
                    v.lambda(&$($m)? op.map);
                    for (shape, dest) in &$($m)? op.dests {
                        for atom in shape {
                            v.use_atom(atom);
                        }
                        v.use_var(dest);
                    }
                }
                Exp::Stream(op) => {
                    v.use_atom(&$($m)? op.width);
                    for input in &$($m)? op.inputs {
                        v.use_var(input);
                    }
                    match &$($m)? op.form {
                        StreamForm::Map | StreamForm::Seq => {}
                        StreamForm::Pass(pieces) => {
                            for piece in pieces {
                                v.use_var(&$($m)? piece.sizes);
                                for value in &$($m)? piece.values {
                                    v.use_var(value);
                                }
                            }
                        }
                        StreamForm::Red(lambda, _) => v.lambda(lambda),
                    }
                    for atom in &$($m)? op.init {
                        v.use_atom(atom);
                    }
                    v.lambda(&$($m)? op.chunk);
                }
                Exp::Partition(op) => {
                    v.use_atom(&$($m)? op.width);
                    for input in &$($m)? op.inputs {
                        v.use_var(input);
                    }
                    v.lambda(&$($m)? op.map);
                }
                Exp::Flatmap(op) => {
                    v.use_atom(&$($m)? op.width);
                    for input in &$($m)? op.inputs {
                        v.use_var(input);
                    }
                    v.lambda(&$($m)? op.map);
                }
                Exp::Seg(seg) => {
                    for size in &$($m)? seg.space {
                        v.use_atom(size);
                    }
                    if let Some(rows) = &$($m)? seg.rows {
                        v.use_var(&$($m)? rows.ends);
                        v.use_atom(&$($m)? rows.total);
                    }
                    for input in &$($m)? seg.inputs {
                        v.use_var(input);
                    }
                    if let Some(Tiling::Windows(tiling)) = &$($m)? seg.tiling {
                        for window in &$($m)? tiling.windows {
                            v.use_var(&$($m)? window.array);
                            for axis in &$($m)? window.axes {
                                if let Origin::Everywhere(atom) = &$($m)? axis.from {
                                    v.use_atom(atom);
                                }
                                for (_, atom) in &$($m)? axis.low.terms {
                                    v.use_atom(atom);
                                }
                                for (_, atom) in &$($m)? axis.high.terms {
                                    v.use_atom(atom);
                                }
                                for border in &$($m)? axis.border {
                                    if let Border::Op(_, atom) = border {
                                        v.use_atom(atom);
                                    }
                                }
                            }
                            for read in &$($m)? window.reads {
                                v.use_var(&$($m)? read.element);
                                for atom in &$($m)? read.at {
                                    v.use_atom(atom);
                                }
                            }
                            for guard in &$($m)? window.guards {
                                v.use_var(&$($m)? guard.cond);
                            }
                        }
                    }
                    v.lambda(&$($m)? seg.body);
                }
                Exp::Diff(op) => {
                    for atom in &$($m)? op.args {
                        v.use_atom(atom);
                    }
                    match &$($m)? op.form {
                        DiffForm::Forward(seeds) | DiffForm::Reverse(seeds) => {
                            if let Some(directions) = &$($m)? seeds.directions {
                                v.use_atom(directions);
                            }
                            for atom in &$($m)? seeds.values {
                                v.use_atom(atom);
                            }
                            v.lambda(&$($m)? op.fun);
                        }
                        DiffForm::Custom(adjoint) => {
                            v.lambda(&$($m)? op.fun);
                            v.lambda(adjoint);
                        }
                    }
                }
                Exp::WithAcc(inputs, lambda) => {
                    for input in inputs {
                        for atom in &$($m)? input.shape {
                            v.use_atom(atom);
                        }
                        for array in &$($m)? input.arrays {
                            v.use_var(array);
                        }
                        if let Some((op, neutral)) = &$($m)? input.op {
                            v.lambda(op);
                            for atom in neutral {
                                v.use_atom(atom);
                            }
                        }
                    }
                    v.lambda(lambda);
                }
                Exp::UpdateAcc(acc, indices, values) => {
                    v.use_var(acc);
                    for atom in indices {
                        v.use_atom(atom);
                    }
                    for atom in values {
                        v.use_atom(atom);
                    }
                }
            }
        }
    };
}

traversal!(
    /// Looks at a fragment.
    Visit, [], walk_body, walk_stm, walk_exp, walk_lambda, walk_type, walk_check, walk_dim
);
traversal!(
    /// Changes a fragment in place.
    VisitMut, [mut], walk_body_mut, walk_stm_mut, walk_exp_mut, walk_lambda_mut, walk_type_mut,
    walk_check_mut, walk_dim_mut
);

impl Exp {
    /// Calls `f` with every operand of the expression itself: not of the bodies and lambdas inside.
    pub fn for_each_operand(&self, f: &mut dyn FnMut(Atom)) {
        struct Operands<'a>(&'a mut dyn FnMut(Atom));
        impl Visit for Operands<'_> {
            fn use_var(&mut self, var: &Var) {
                (self.0)(Atom::Var(*var));
            }
            fn use_atom(&mut self, atom: &Atom) {
                (self.0)(*atom);
            }
            fn body(&mut self, _: &Body) {}
            fn lambda(&mut self, _: &Lambda) {}
        }
        walk_exp(&mut Operands(f), self);
    }

    /// Calls `f` with every body of the expression, those of its lambdas included, but not with the
    /// bodies inside of these.
    pub fn for_each_body(&self, f: &mut dyn FnMut(&Body)) {
        struct Bodies<'a>(&'a mut dyn FnMut(&Body));
        impl Visit for Bodies<'_> {
            fn body(&mut self, body: &Body) {
                (self.0)(body);
            }
        }
        walk_exp(&mut Bodies(f), self);
    }

    /// Changes every body of the expression; as [`Exp::for_each_body`].
    pub fn map_bodies(&mut self, f: &mut dyn FnMut(&mut Body)) {
        struct Bodies<'a>(&'a mut dyn FnMut(&mut Body));
        impl VisitMut for Bodies<'_> {
            fn body(&mut self, body: &mut Body) {
                (self.0)(body);
            }
        }
        walk_exp_mut(&mut Bodies(f), self);
    }

    /// Calls `f` with every lambda of the expression, but not with those inside of them.
    pub fn for_each_lambda(&self, f: &mut dyn FnMut(&Lambda)) {
        struct Lambdas<'a>(&'a mut dyn FnMut(&Lambda));
        impl Visit for Lambdas<'_> {
            fn body(&mut self, _: &Body) {}
            fn lambda(&mut self, lambda: &Lambda) {
                (self.0)(lambda);
            }
        }
        walk_exp(&mut Lambdas(f), self);
    }
}
