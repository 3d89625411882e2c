//! Types of array operators with functions, and of accumulators.

use super::scope::{AccInfo, Checker};
use crate::{
    AccInput, Atom, Diff, DiffForm, Exp, Flatmap, Hist, Lambda, Partition, Pieces, Scatter, Screma,
    Stream, StreamForm, Type, Var,
};

impl<'a> Checker<'a> {
    /// The types of the results, if they can be known.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other files have the others")]
    pub(super) fn soac_exp(&mut self, exp: &'a Exp, pat: &[Var]) -> Option<Vec<Type>> {
        match exp {
            Exp::Screma(op) => self.screma(op),
            Exp::Hist(op) => self.hist(op),
            Exp::Scatter(op) => self.scatter(op),
            Exp::Stream(op) => self.stream(op, pat),
            Exp::Partition(op) => self.partition(op),
            Exp::Flatmap(op) => self.flatmap(op, pat),
            Exp::WithAcc(inputs, lambda) => self.with_acc(inputs, lambda),
            Exp::UpdateAcc(acc, indices, values) => {
                self.update_acc(*acc, indices, values).map(|ty| vec![ty])
            }
            _ => None,
        }
    }

    /// Checks the inputs of an operator; the types of their elements. Accumulators are passed whole.
    fn inputs(&mut self, width: Atom, inputs: &[Var]) -> Vec<Type> {
        self.want(width, &Type::I64, "the width");
        let mut rows = Vec::new();
        for input in inputs {
            match self.var(*input) {
                Some(ty @ Type::Array(..)) => {
                    if !self.same_size(ty.shape()[0], width) {
                        let (name, ty, width) =
                            (self.name(*input), self.show(&ty), self.show_atom(width));
                        self.fail(format!(
                            "input \"{name}\" has type {ty}, but its outermost size should be {width}"
                        ));
                    }
                    rows.extend(ty.row());
                }
                Some(acc @ Type::Acc(_)) => rows.push(acc),
                Some(Type::Scalar(_)) => {
                    let name = self.name(*input);
                    self.fail(format!("input \"{name}\" is not an array"));
                    rows.push(Type::CERT);
                }
                None => {
                    rows.push(self.declared(*input).and_then(|ty| ty.row()).unwrap_or(Type::CERT))
                }
            }
        }
        rows
    }

    /// Checks an operator on values of these types, and its neutral element.
    fn operator(&mut self, op: &'a Lambda, neutral: &[Atom], indices: usize, types: &[Type]) {
        let mut params = vec![Type::I64; indices];
        params.extend_from_slice(types);
        params.extend_from_slice(types);
        let ret = self.lambda("the operator", op, &params, false);
        self.ret_types("the operator", &ret, types);
        let found = self.atoms(neutral);
        self.match_results("the neutral element", &[], types, neutral, &found);
    }

    fn ret_types(&mut self, what: &str, found: &[Type], wanted: &[Type]) {
        if found.len() != wanted.len() {
            let (found, wanted) = (found.len(), wanted.len());
            self.fail(format!("{what} should have {wanted} results but has {found}"));
            return;
        }
        for (found, wanted) in found.iter().zip(wanted) {
            self.same(found, wanted, || format!("in {what}: a result"), None);
        }
    }

    fn screma(&mut self, op: &'a Screma) -> Option<Vec<Type>> {
        let rows = self.inputs(op.width, &op.inputs);
        let ret = self.lambda("the map function", &op.map, &rows, false);
        let scans: usize = op.scans.iter().map(|scan| scan.neutral.len()).sum();
        let reds: usize = op.reds.iter().map(|red| red.neutral.len()).sum();
        if scans + reds > ret.len() {
            let (wanted, found) = (scans + reds, ret.len());
            self.fail(format!(
                "the map function has {found} results for {wanted} operands of operators"
            ));
            return None;
        }
        let (scan_types, rest) = ret.split_at(scans);
        let (red_types, map_types) = rest.split_at(reds);
        let mut types = scan_types;
        for scan in &op.scans {
            let (mine, others) = types.split_at(scan.neutral.len());
            self.operator(&scan.op, &scan.neutral, 0, mine);
            types = others;
        }
        let mut types = red_types;
        for red in &op.reds {
            let (mine, others) = types.split_at(red.neutral.len());
            self.operator(&red.op, &red.neutral, 0, mine);
            types = others;
        }
        for ty in scan_types.iter().chain(red_types) {
            if matches!(ty, Type::Acc(_)) {
                self.fail("an accumulator is an operand of a scan or reduction".to_owned());
            }
        }
        // Accumulators are one for all positions.
        let array = |ty: &Type| ty.array_of(op.width).unwrap_or_else(|| ty.clone());
        let mut results: Vec<Type> = scan_types.iter().map(array).collect();
        results.extend_from_slice(red_types);
        results.extend(map_types.iter().map(array));
        Some(results)
    }

    /// The types of what is written to a destination, of which these dimensions are indexed.
    fn dest(&mut self, shape: &[Atom], dest: Var) -> Option<Type> {
        self.want_i64(shape, "a size");
        let (elem, sizes) = self.array(dest)?;
        let fits = shape.len() <= sizes.len()
            && shape.iter().zip(&sizes).all(|(a, b)| self.same_size(*a, *b));
        if !fits || shape.is_empty() {
            let (name, ty) = (self.name(dest), self.show(&Type::Array(elem, sizes)));
            self.fail(format!(
                "destination \"{name}\" of type {ty} does not have the indexed sizes"
            ));
            return None;
        }
        Some(Type::array(elem, sizes[shape.len()..].to_vec()))
    }

    fn hist(&mut self, op: &'a Hist) -> Option<Vec<Type>> {
        let rows = self.inputs(op.width, &op.inputs);
        let ret = self.lambda("the map function", &op.map, &rows, false);
        let mut wanted = Vec::new();
        let mut values = Vec::new();
        let mut results = Vec::new();
        for hist in &op.ops {
            self.want(hist.race_factor, &Type::I64, "the race factor");
            wanted.extend(std::iter::repeat_n(Type::I64, hist.shape.len()));
            let mut types = Vec::new();
            for dest in &hist.dests {
                types.push(self.dest(&hist.shape, *dest)?);
                results.extend(self.declared(*dest));
            }
            self.operator(&hist.op, &hist.neutral, 0, &types);
            values.extend(types);
        }
        wanted.extend(values);
        self.ret_types("the map function", &ret, &wanted);
        Some(results)
    }

    fn scatter(&mut self, op: &'a Scatter) -> Option<Vec<Type>> {
        let rows = self.inputs(op.width, &op.inputs);
        let ret = self.lambda("the map function", &op.map, &rows, false);
        let mut wanted = Vec::new();
        let mut values = Vec::new();
        let mut results = Vec::new();
        for (shape, dest) in &op.dests {
            wanted.extend(std::iter::repeat_n(Type::I64, shape.len()));
            values.push(self.dest(shape, *dest)?);
            results.extend(self.declared(*dest));
        }
        wanted.extend(values);
        self.ret_types("the map function", &ret, &wanted);
        Some(results)
    }

    fn stream(&mut self, op: &'a Stream, pat: &[Var]) -> Option<Vec<Type>> {
        if let StreamForm::Pass(pieces) = &op.form {
            self.pass(op, pieces, pat);
            return None;
        }
        let rows = self.inputs(op.width, &op.inputs);
        let found = self.atoms(&op.init);
        let accs: Vec<Type> = found.into_iter().collect::<Option<_>>()?;
        match &op.form {
            StreamForm::Map if !accs.is_empty() => {
                self.fail("a stream of independent chunks has no accumulators".to_owned());
            }
            StreamForm::Map | StreamForm::Seq | StreamForm::Pass(_) => {}
            StreamForm::Red(lambda, _) => {
                let params: Vec<Type> = accs.iter().chain(&accs).cloned().collect();
                let ret = self.lambda("the operator", lambda, &params, false);
                self.ret_types("the operator", &ret, &accs);
            }
        }
        let Some(size) = op.chunk.params.first() else {
            self.fail("the chunk function has no parameter for the size of the chunk".to_owned());
            return None;
        };
        let size = Atom::Var(*size);
        let mut params = vec![Type::I64];
        params.extend(accs.iter().cloned());
        params.extend(rows.iter().map(|row| row.array_of(size).unwrap_or_else(|| row.clone())));
        let ret = self.lambda("the chunk function", &op.chunk, &params, true);
        if ret.len() < accs.len() {
            self.fail("the chunk function does not return its accumulators".to_owned());
            return None;
        }
        let (acc_types, arrays) = ret.split_at(accs.len());
        self.ret_types("the chunk function", acc_types, &accs);
        let mut results = accs;
        for ty in arrays {
            match ty.row() {
                Some(row) if self.same_size(ty.shape()[0], size) => {
                    // The sizes of the rows are checked with the pattern, where the chunk's size is
                    // out of scope.
                    results.extend(row.array_of(op.width));
                }
                _ => {
                    let ty = self.show(ty);
                    self.fail(format!("the chunk function returns {ty}, which is not a chunk"));
                }
            }
        }
        Some(results)
    }

    /// The function of a pass over sequences: its results are what is bound, where sizes stand before the arrays that have them.
    fn pass(&mut self, op: &'a Stream, pieces: &[Pieces], pat: &[Var]) {
        self.want(op.width, &Type::I64, "the width");
        let Some(accs) = self.atoms(&op.init).into_iter().collect::<Option<Vec<Type>>>() else {
            return;
        };
        let chunk = &op.chunk;
        let Some(size) = chunk.params.first() else {
            self.fail("the chunk function has no parameter for the size of the chunk".to_owned());
            return;
        };
        let (size, accs_count) = (Atom::Var(*size), accs.len());
        let mut args = vec![Type::I64, Type::BOOL];
        args.extend(accs);
        for input in &op.inputs {
            args.extend(self.input_chunk(*input, size));
        }
        let mut piece_params = op.piece_params().iter();
        for piece in pieces {
            args.extend(self.input_chunk(piece.sizes, size));
            args.push(Type::I64);
            let total = piece_params.nth(1).map_or(size, |total| Atom::Var(*total));
            for value in &piece.values {
                args.extend(self.input_chunk(*value, total));
                piece_params.next();
            }
        }
        // States may have sizes that other states are. Whatever is no state is known by its parameter only.
        let accs = accs_count;
        let mut atoms: Vec<Atom> = chunk.params.iter().map(|var| Atom::Var(*var)).collect();
        for (atom, init) in atoms.iter_mut().skip(op.leading()).zip(&op.init) {
            *atom = *init;
        }
        let wanted = self.declared_types(&chunk.params);
        let args: Vec<Option<Type>> = args.into_iter().map(Some).collect();
        self.match_results(
            "the chunk function's parameters",
            &chunk.params,
            &wanted,
            &atoms,
            &args,
        );
        if chunk.ret.len() != chunk.body.results.len() {
            self.fail("the chunk function has results without types".to_owned());
        }
        let wanted = self.declared_types(pat);
        self.scoped(|c| {
            c.bind(&chunk.params);
            let found = c.body(&chunk.body);
            c.match_results("the chunk function", pat, &wanted, &chunk.body.results, &found);
        });
        let mut size = None;
        for (var, ty) in pat.iter().zip(&wanted).skip(accs) {
            match ty {
                Type::Array(_, shape) if shape.first().copied() == size => {}
                Type::Scalar(_) if *ty == Type::I64 => size = Some(Atom::Var(*var)),
                Type::Scalar(_) | Type::Array(..) | Type::Acc(_) => {
                    let ty = self.show(ty);
                    self.fail(format!("a pass binds {ty} without its size before it"));
                }
            }
        }
    }

    /// The type of a chunk of an input of a pass.
    fn input_chunk(&mut self, input: Var, size: Atom) -> Option<Type> {
        let ty = self.var(input)?;
        let chunk = ty.row().and_then(|row| row.array_of(size));
        if chunk.is_none() {
            let name = self.name(input);
            self.fail(format!("input \"{name}\" is not an array"));
        }
        chunk
    }

    fn partition(&mut self, op: &'a Partition) -> Option<Vec<Type>> {
        let rows = self.inputs(op.width, &op.inputs);
        let ret = self.lambda("the class function", &op.map, &rows, false);
        let (class, elements) = ret.split_at(ret.len().min(1));
        self.ret_types("the class function", class, &[Type::I64]);
        let mut results = vec![Type::I64; op.classes];
        results.extend(elements.iter().filter_map(|ty| ty.array_of(op.width)));
        Some(results)
    }

    /// The concatenations have the size that the statement binds first.
    fn flatmap(&mut self, op: &'a Flatmap, pat: &[Var]) -> Option<Vec<Type>> {
        let what = "the function of pieces";
        let rows = self.inputs(op.width, &op.inputs);
        let ret = &op.map.ret;
        let plain = op.plain();
        if ret.len() != op.map.body.results.len() || plain == 0 {
            self.fail(format!("{what} should yield a size, and as many results as it has types"));
            return None;
        }
        self.params(what, &op.map, &rows);
        ret.iter().for_each(|ty| self.well_formed(ty));
        self.scoped(|c| {
            c.bind(&op.map.params);
            let found = c.body(&op.map.body);
            let results = &op.map.body.results;
            let mut wanted = ret.clone();
            for ty in &mut wanted[plain..] {
                *ty = ty.array_of(results[0]).unwrap_or_else(|| ty.clone());
            }
            c.match_results(what, &[], &wanted, results, &found);
        });
        self.ret_types(what, &ret[..1], &[Type::I64]);
        let mut results = vec![Type::I64];
        results.extend(ret[..plain].iter().filter_map(|ty| ty.array_of(op.width)));
        let total = Atom::Var(*pat.first()?);
        results.extend(ret[plain..].iter().filter_map(|ty| ty.array_of(total)));
        Some(results)
    }

    /// A derivative: seeds have the types of what they are seeds of, with one more dimension for several directions.
    pub(super) fn diff(&mut self, op: &'a Diff) -> Option<Vec<Type>> {
        let found = self.atoms(&op.args);
        let args: Vec<Type> = found.into_iter().collect::<Option<_>>()?;
        let mut results = self.lambda("the function", &op.fun, &args, false);
        let no_acc = |ty: &Type| !matches!(ty, Type::Acc(_));
        if !args.iter().chain(&results).all(no_acc) {
            self.fail("an accumulator is an argument or result of a derivative".to_owned());
            return None;
        }
        let seeds = match &op.form {
            DiffForm::Custom(adjoint) => {
                let params: Vec<Type> = results.iter().chain(&results).cloned().collect();
                let ret = self.lambda("the adjoint's function", adjoint, &params, false);
                self.ret_types("the adjoint's function", &ret, &args);
                return Some(results);
            }
            DiffForm::Forward(seeds) | DiffForm::Reverse(seeds) => seeds,
        };
        if let Some(directions) = seeds.directions {
            self.want(directions, &Type::I64, "the number of directions");
        }
        let lift = |ty: &Type| match seeds.directions {
            Some(directions) => ty.array_of(directions).unwrap_or_else(|| ty.clone()),
            None => ty.clone(),
        };
        let (of, to) = match op.form {
            DiffForm::Reverse(_) => (&results, &args),
            DiffForm::Forward(_) | DiffForm::Custom(_) => (&args, &results),
        };
        let wanted: Vec<Type> = of.iter().map(lift).collect();
        let derived: Vec<Type> = to.iter().map(lift).collect();
        let found = self.atoms(&seeds.values);
        self.match_results("the seeds", &[], &wanted, &seeds.values, &found);
        results.extend(derived);
        Some(results)
    }

    fn with_acc(&mut self, inputs: &'a [AccInput], lambda: &'a Lambda) -> Option<Vec<Type>> {
        let mut results = Vec::new();
        if lambda.params.len() < inputs.len() {
            self.fail("the function has too few parameters for its accumulators".to_owned());
            return None;
        }
        let mut params = vec![Type::CERT; inputs.len()];
        let mut wanted = Vec::new();
        for (input, cert) in inputs.iter().zip(&lambda.params) {
            let mut rows = Vec::new();
            for array in &input.arrays {
                rows.push(self.dest(&input.shape, *array)?);
                results.extend(self.declared(*array));
            }
            if let Some((op, neutral)) = &input.op {
                self.operator(op, neutral, input.shape.len(), &rows);
            }
            self.accs.insert(*cert, AccInfo { shape: input.shape.clone(), rows });
            wanted.push(Type::Acc(*cert));
        }
        params.extend(wanted.iter().cloned());
        let ret = self.lambda("the function", lambda, &params, true);
        if ret.len() < wanted.len() {
            self.fail("the function does not return its accumulators".to_owned());
            return None;
        }
        let (accs, rest) = ret.split_at(wanted.len());
        self.ret_types("the function", accs, &wanted);
        results.extend_from_slice(rest);
        Some(results)
    }

    fn update_acc(&mut self, acc: Var, indices: &[Atom], values: &[Atom]) -> Option<Type> {
        let found = self.atoms(values);
        self.want_i64(indices, "an index");
        let ty = self.var(acc)?;
        let info = match &ty {
            Type::Acc(cert) => self.accs.get(cert).cloned(),
            Type::Scalar(_) | Type::Array(..) => None,
        };
        let Some(info) = info else {
            let name = self.name(acc);
            self.fail(format!("\"{name}\" is not an accumulator"));
            return None;
        };
        if indices.len() != info.shape.len() {
            let (wanted, found) = (info.shape.len(), indices.len());
            self.fail(format!("the accumulator has {wanted} indices, not {found}"));
        }
        self.match_results("the contribution", &[], &info.rows, values, &found);
        Some(ty)
    }
}
