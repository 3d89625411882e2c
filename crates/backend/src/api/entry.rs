//! Entry points: sizes are read from the arguments and compared, then the program's function is called.

use super::code::{Code, commas, lines};
use super::names::{self, escape, quoted};
use super::opaque::place;
use super::types::{Part, TypeDef, Types};
use fehu_ir::{Atom, Elem, Entry, Fun, Scalar, Type, Var};
use rustc_hash::FxHashMap;

/// An entry point, its function, and the name of that in C.
pub(super) struct Callee<'a> {
    pub(super) entry: &'a Entry,
    pub(super) fun: &'a Fun,
    pub(super) c_name: String,
}

/// The function of an entry point.
pub(super) fn function(code: &mut Code, types: &Types, callee: &Callee<'_>) {
    let entry = callee.entry;
    let (Some(inputs), Some(output)) = (input_types(types, entry), types.id(&entry.result)) else {
        return;
    };
    let output = types.get(output);
    let params =
        inputs.iter().enumerate().map(|(i, ty)| format!(", {}", ty.input(&format!("in{i}"))));
    let signature = format!(
        "int {}(struct futhark_context *ctx, {}{})",
        c_function(entry),
        output.output("out0"),
        params.collect::<String>()
    );
    let body = Caller { callee, inputs: &inputs, output, known: FxHashMap::default() }.body();
    code.public(&signature, &body);
}

/// The name of an entry point's function in C.
pub(super) fn c_function(entry: &Entry) -> String {
    format!("futhark_entry_{}", escape(&entry.name))
}

/// The types of the parameters.
pub(super) fn input_types<'a>(types: &'a Types, entry: &Entry) -> Option<Vec<&'a TypeDef>> {
    entry.params.iter().map(|(_, ty)| types.id(ty).map(|id| types.get(id))).collect()
}

struct Caller<'a> {
    callee: &'a Callee<'a>,
    inputs: &'a [&'a TypeDef],
    output: &'a TypeDef,
    /// What is known of the variables of the function, as expressions.
    known: FxHashMap<Var, String>,
}

impl Caller<'_> {
    fn body(mut self) -> Vec<String> {
        let name = quoted(&self.callee.entry.name);
        let mut body = self.unused();
        body.extend(lines![
            "if (fe_begin_call(ctx) != FUTHARK_SUCCESS) {{";
            "  return FUTHARK_PROGRAM_ERROR;";
            "}}";
            "fe_log(ctx, \"calling the entry point \\\"%s\\\"\", {name});";
        ]);
        let parts = self.argument_parts();
        let leading = self.callee.fun.params.len().saturating_sub(parts.len());
        body.extend(self.sizes(&parts, leading));
        let mut args = Vec::new();
        for param in &self.callee.fun.params[..leading] {
            let Some(size) = self.known.get(&param.var) else {
                let hint = &self.callee.fun.vars[param.var].hint;
                let message = quoted(&format!("no argument determines the size \"{hint}\""));
                body.push(format!(
                    "return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, \"%s\", {message});"
                ));
                let inputs = (0..self.inputs.len()).map(|i| format!("(void)in{i};"));
                return std::iter::once("(void)out0;".to_owned())
                    .chain(inputs)
                    .chain(body)
                    .collect();
            };
            args.push(size.clone());
        }
        for (place, part) in &parts {
            args.extend(argument(part, place));
        }
        body.extend(self.call(args, &name));
        body
    }

    /// Inputs of which nothing is stored.
    fn unused(&self) -> Vec<String> {
        let inputs = self.inputs.iter().enumerate();
        let empty = inputs.filter(|(_, ty)| !ty.parts.iter().any(Part::stored));
        empty.map(|(i, _)| format!("(void)in{i};")).collect()
    }

    /// Where the parts of the arguments are.
    fn argument_parts(&self) -> Vec<(String, Part)> {
        let parts = self.inputs.iter().enumerate().flat_map(|(i, ty)| {
            let input = format!("in{i}");
            let parts = ty.parts.iter().enumerate();
            parts.map(move |(p, part)| (place(ty, &input, p), part.clone())).collect::<Vec<_>>()
        });
        parts.collect()
    }

    /// Declares and compares sizes, in the order in which the interpreter does.
    fn sizes(&mut self, parts: &[(String, Part)], leading: usize) -> Vec<String> {
        let fun = self.callee.fun;
        let entry = quoted(&self.callee.entry.name);
        let params = &fun.params[leading..];
        // Sizes may also be arguments of their own, before or after the arrays that have them.
        for (param, (place, _)) in params.iter().zip(parts) {
            if fun.vars[param.var].ty == Type::I64 {
                self.known.insert(param.var, place.clone());
            }
        }
        let mut body = Vec::new();
        let mut names = FxHashMap::<String, usize>::default();
        for (i, (param, (place, _))) in params.iter().zip(parts).enumerate() {
            for (dim, size) in fun.vars[param.var].ty.shape().iter().enumerate() {
                let found = format!("{place}.shape[{dim}]");
                let (wanted, hint) = match size {
                    Atom::Const(Scalar::I64(size)) => (size.to_string(), "NULL".to_owned()),
                    Atom::Const(_) => continue,
                    Atom::Var(var) => {
                        let hint = &fun.vars[*var].hint;
                        if !self.known.contains_key(var) {
                            let count = names.entry(escape(hint)).or_insert(0);
                            let name = match *count {
                                0 => format!("size_{}", escape(hint)),
                                n => format!("size_{}_{n}", escape(hint)),
                            };
                            *count += 1;
                            body.push(format!("const int64_t {name} = {found};"));
                            self.known.insert(*var, name);
                            continue;
                        }
                        (self.known[var].clone(), quoted(hint))
                    }
                };
                let argument = quoted(&self.callee.entry.argument(i));
                body.extend(lines![
                    "if ({found} != {wanted}) {{";
                    "  return fe_wrong_size(ctx, {entry}, {argument}, {dim}, {found}, {hint}, {wanted});";
                    "}}";
                ]);
            }
        }
        body
    }

    fn call(&mut self, args: Vec<String>, name: &str) -> Vec<String> {
        let (fun, output) = (self.callee.fun, self.output);
        let mut body = Vec::new();
        if output.is_prim() {
            // Without a value of its own, C compilers suspect that it never gets one.
            body.push(format!("{} result = 0;", output.c_name));
        } else {
            body.extend(super::opaque::new_object(output, "result"));
        }
        let leading = fun.results.len().saturating_sub(output.parts.len());
        let mut outs = Vec::new();
        for (i, var) in fun.results[..leading].iter().enumerate() {
            body.push(format!("int64_t result_size{i} = 0;"));
            outs.push(format!("&result_size{i}"));
            self.known.insert(*var, format!("result_size{i}"));
        }
        for (i, (var, part)) in fun.results[leading..].iter().zip(&output.parts).enumerate() {
            let place = place(output, "result", i);
            match (part.prim(), part.rank()) {
                (Some(_), 0) => {
                    outs.push(format!("&{place}"));
                    self.known.insert(*var, place);
                }
                (Some(_), _) => outs.push(format!("&{place}.mem")),
                (None, _) => {}
            }
        }
        let arguments = commas(
            std::iter::once("ctx".to_owned()).chain(outs).chain(args),
            std::convert::identity,
        );
        body.extend(lines![
            "const int64_t start = fe_event_start(ctx);";
            "const int code = {0}({arguments});", self.callee.c_name;
            "fe_end_call(ctx);";
            "fe_event_end(ctx, {name}, start);";
            "if (code != FUTHARK_SUCCESS) {{";
        ]);
        if !output.is_prim() {
            body.push(format!("  {}(ctx, result);", output.function("free")));
        }
        body.extend(lines!["  return fe_call_failed(ctx, code);"; "}}"]);
        for (i, var) in fun.results[leading..].iter().enumerate() {
            for (dim, size) in fun.vars[*var].ty.shape().iter().enumerate() {
                let size = match size {
                    Atom::Const(Scalar::I64(size)) => size.to_string(),
                    Atom::Const(_) => "0".to_owned(),
                    Atom::Var(var) => self.known.get(var).cloned().unwrap_or("0".to_owned()),
                };
                body.push(format!("{}.shape[{dim}] = {size};", place(output, "result", i)));
            }
        }
        body.extend(lines!["*out0 = result;"; "return FUTHARK_SUCCESS;"]);
        body
    }
}

/// A part as an argument; units have none.
fn argument(part: &Part, place: &str) -> Option<String> {
    match (part.elem, part.rank()) {
        (Elem::Unit, _) => None,
        (Elem::Prim(_), 0) => Some(place.to_owned()),
        (Elem::Prim(_), _) => Some(format!("{place}.mem")),
    }
}

/// The prototype of a program's function, as the entry points expect it.
pub(super) fn prototype(fun: &Fun, c_name: &str) -> String {
    let ty = |var: Var| &fun.vars[var].ty;
    let result = |var: &Var| match (ty(*var).elem(), ty(*var).rank()) {
        (Some(Elem::Prim(prim)), 0) => Some(format!("{} *", names::prim(prim))),
        (Some(Elem::Prim(_)), _) => Some("struct fe_mem *".to_owned()),
        (Some(Elem::Unit) | None, _) => None,
    };
    let param = |param: &fehu_ir::Param| match (ty(param.var).elem(), ty(param.var).rank()) {
        (Some(Elem::Prim(prim)), 0) => Some(names::prim(prim).to_owned()),
        (Some(Elem::Prim(_)), _) => Some("struct fe_mem".to_owned()),
        (Some(Elem::Unit) | None, _) => None,
    };
    let all = std::iter::once("struct futhark_context *".to_owned())
        .chain(fun.results.iter().filter_map(result))
        .chain(fun.params.iter().filter_map(param));
    format!("static int {c_name}({});\n", commas(all, std::convert::identity))
}
