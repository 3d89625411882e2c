//! The Rust module of a program, from its manifest.

use serde_json::{Map, Value};
use std::fmt::Write as _;

const PRIMS: [&str; 11] =
    ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "bool"];

/// The text of the module. The error names what it cannot express.
pub(crate) fn module(manifest: &str, name: &str) -> Result<String, String> {
    let manifest: Value = serde_json::from_str(manifest).map_err(|why| why.to_string())?;
    let types = manifest["types"].as_object().ok_or("the manifest has no types")?;
    let entries = manifest["entry_points"].as_object().ok_or("the manifest has no entry points")?;
    let mut out = head(name);
    let module = Module { types };
    for (ty, described) in types {
        if described["kind"] == "opaque" && !is_tuple(described) {
            module.opaque(&mut out, ty, described)?;
        }
    }
    out.push_str("impl Module {\n");
    // The order of the tables is that of the program; the name finds the place.
    for (entry, described) in entries {
        module.entry(&mut out, entry, described)?;
    }
    out.push_str("}\n");
    Ok(out)
}

fn head(name: &str) -> String {
    format!(
        "// Made by fehu-build.

unsafe extern \"C\" {{
    fn fehu_{name}_bindings() -> *const ::fehu::tables::Bindings;
    fn fehu_{name}_context_config_new() -> *mut ::std::ffi::c_void;
    fn fehu_{name}_context_config_free(config: *mut ::std::ffi::c_void);
    fn fehu_{name}_context_new(config: *mut ::std::ffi::c_void) -> *mut ::std::ffi::c_void;
    fn fehu_{name}_context_free(context: *mut ::std::ffi::c_void);
    fn fehu_{name}_context_get_error(context: *mut ::std::ffi::c_void) -> *mut ::std::ffi::c_char;
}}

/// The program with a context.
pub struct Module(::fehu::Program);

impl Module {{
    /// Makes a context.
    pub fn new() -> ::fehu::Result<Module> {{
        ::fehu::Program::new(::fehu::Functions {{
            bindings: fehu_{name}_bindings,
            config_new: fehu_{name}_context_config_new,
            config_free: fehu_{name}_context_config_free,
            context_new: fehu_{name}_context_new,
            context_free: fehu_{name}_context_free,
            get_error: fehu_{name}_context_get_error,
        }})
        .map(Module)
    }}
}}

"
    )
}

struct Module<'a> {
    types: &'a Map<String, Value>,
}

impl Module<'_> {
    /// A type of the program as a result.
    fn result(&self, ty: &str) -> Result<String, String> {
        if PRIMS.contains(&ty) {
            return Ok(ty.to_owned());
        }
        let described = self.types.get(ty).ok_or_else(|| format!("there is no type {ty}"))?;
        if let Some((elem, rank)) = array(described) {
            return Ok(format!("::fehu::Array<{elem}, {rank}>"));
        }
        if is_tuple(described) {
            let fields = fields(described);
            let results = fields.iter().map(|(_, ty)| self.result(ty));
            return Ok(format!("({})", results.collect::<Result<Vec<_>, _>>()?.join(", ")));
        }
        Ok(camel(ty))
    }

    /// A parameter, with its type, and the argument that is made of it.
    fn parameter(&self, name: &str, ty: &str, consumed: bool) -> Result<(String, String), String> {
        if PRIMS.contains(&ty) {
            let argument = format!("::fehu::IntoArg::into_arg({name})");
            return Ok((format!("{name}: {ty}"), argument));
        }
        let described = self.types.get(ty).ok_or_else(|| format!("there is no type {ty}"))?;
        if let Some((elem, rank)) = array(described) {
            return Ok(match consumed {
                true => (
                    format!("{name}: ::fehu::Array<{elem}, {rank}>"),
                    format!("::fehu::IntoArg::into_arg({name})"),
                ),
                false => (
                    format!("{name}: impl ::fehu::Lend<'a, {elem}, {rank}>"),
                    format!("::fehu::Lend::lend({name})?"),
                ),
            });
        }
        if is_tuple(described) {
            return Err(format!(
                "parameters of type {ty} have no equivalent; take its parts one by one"
            ));
        }
        let ty = camel(ty);
        Ok(match consumed {
            true => (format!("{name}: {ty}"), format!("::fehu::IntoArg::into_arg({name}.0)")),
            false => (format!("{name}: &'a {ty}"), format!("::fehu::IntoArg::into_arg(&{name}.0)")),
        })
    }

    fn entry(&self, out: &mut String, name: &str, described: &Value) -> Result<(), String> {
        let fail = |why: String| format!("entry point {name}: {why}");
        let inputs = described["inputs"].as_array().map_or(&[][..], Vec::as_slice);
        let mut params = Vec::new();
        let mut args = Vec::new();
        for (i, input) in inputs.iter().enumerate() {
            let named = identifier(text(&input["name"]), &format!("arg{i}"));
            let consumed = input["unique"] == true;
            let (param, arg) =
                self.parameter(&named, text(&input["type"]), consumed).map_err(fail)?;
            params.push(param);
            args.push(arg);
        }
        let result = self.result(text(&described["output"]["type"])).map_err(fail)?;
        for line in text(&described["doc"]).lines() {
            let _ = writeln!(out, "    /// {line}");
        }
        let method = identifier(name, "entry");
        let _ = writeln!(out, "    ///\n    /// The entry point `{name}`.");
        let _ = writeln!(
            out,
            "    pub fn {method}<'a>(&'a self{}) -> ::fehu::Result<{result}> {{",
            params.iter().map(|param| format!(", {param}")).collect::<String>()
        );
        let _ = writeln!(
            out,
            "        ::fehu::FromOut::from_out(self.0.call({name:?}, vec![{}])?)\n    }}\n",
            args.join(", ")
        );
        Ok(())
    }

    fn opaque(&self, out: &mut String, name: &str, described: &Value) -> Result<(), String> {
        let ty = camel(name);
        let _ = writeln!(
            out,
            "/// A value of type `{name}`.\npub struct {ty}(::fehu::Value);\n\n\
             impl ::fehu::FromOut for {ty} {{\n    \
               fn from_out(out: ::fehu::Out) -> ::fehu::Result<{ty}> {{\n        \
                 ::fehu::FromOut::from_out(out).map({ty})\n    }}\n}}\n"
        );
        let _ = writeln!(out, "impl {ty} {{");
        if described.get("record").is_some() {
            self.record(out, name, &fields(described));
        }
        if let Some(variants) = described["sum"]["variants"].as_array() {
            self.sum(out, name, variants)?;
        }
        out.push_str("}\n\n");
        Ok(())
    }

    /// A method for each field, and one that makes a record, if its parts can be given.
    fn record(&self, out: &mut String, name: &str, fields: &[(String, String)]) {
        for (i, (field, ty)) in fields.iter().enumerate() {
            let Ok(result) = self.result(ty) else { continue };
            let method = identifier(field, &format!("field{i}"));
            let _ = writeln!(
                out,
                "    /// The field `{field}`.\n    pub fn {method}(&self) -> ::fehu::Result<{result}> {{\n        \
                   ::fehu::FromOut::from_out(self.0.field({i})?)\n    }}\n"
            );
        }
        let parts = fields.iter().enumerate().map(|(i, (field, ty))| {
            self.parameter(&identifier(field, &format!("field{i}")), ty, false)
        });
        if let Ok(parts) = parts.collect::<Result<Vec<_>, _>>() {
            self.maker(out, name, "new", "A record of its fields.", "None", &parts);
        }
    }

    fn sum(&self, out: &mut String, name: &str, variants: &[Value]) -> Result<(), String> {
        for (i, variant) in variants.iter().enumerate() {
            let own = text(&variant["name"]);
            let payload: Vec<&str> = variant["payload"]
                .as_array()
                .map_or(Vec::new(), |all| all.iter().map(text).collect());
            let method = identifier(&own.to_lowercase(), &format!("variant{i}"));
            let parts = payload
                .iter()
                .enumerate()
                .map(|(p, ty)| self.parameter(&format!("part{p}"), ty, false));
            if let Ok(parts) = parts.collect::<Result<Vec<_>, _>>() {
                let what = format!("The constructor `#{own}`.");
                self.maker(out, name, &method, &what, &format!("Some({i})"), &parts);
            }
            let results =
                payload.iter().map(|ty| self.result(ty)).collect::<Result<Vec<_>, _>>()?;
            let list: String = results.iter().map(|ty| format!("{ty}, ")).collect();
            let takes = results
                .iter()
                .map(|_| "::fehu::FromOut::from_out(parts.next().ok_or_else(missing)?)?, ");
            let takes = takes.collect::<String>();
            let plain = method.trim_start_matches("r#");
            let missing =
                "let missing = || ::fehu::Error::Argument(\"a part is missing\".to_owned());";
            let body = match results.is_empty() {
                true => "Ok(self.0.payload(INDEX)?.map(|_| ()))".to_owned(),
                false => format!(
                    "let Some(parts) = self.0.payload(INDEX)? else {{ return Ok(None) }};\n        \
                     {missing}\n        let mut parts = parts.into_iter();\n        Ok(Some(({takes})))"
                ),
            };
            let body = body.replace("INDEX", &i.to_string());
            let _ = writeln!(
                out,
                "    /// What `#{own}` was applied to, if it was made by that.\n    \
                 pub fn as_{plain}(&self) -> ::fehu::Result<Option<({list})>> {{\n        {body}\n    }}\n"
            );
        }
        Ok(())
    }

    fn maker(
        &self,
        out: &mut String,
        name: &str,
        method: &str,
        what: &str,
        variant: &str,
        parts: &[(String, String)],
    ) {
        let params: String = parts.iter().map(|(param, _)| format!(", {param}")).collect();
        let args: Vec<&str> = parts.iter().map(|(_, arg)| arg.as_str()).collect();
        let ty = camel(name);
        let _ = writeln!(
            out,
            "    /// {what}\n    pub fn {method}<'a>(module: &'a Module{params}) -> ::fehu::Result<{ty}> {{\n        \
               module.0.make({name:?}, {variant}, vec![{}]).map({ty})\n    }}\n",
            args.join(", ")
        );
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

/// The type of the elements and the number of dimensions. Halves have no type in Rust.
fn array(described: &Value) -> Option<(&str, u64)> {
    let elem = described["elemtype"].as_str().filter(|_| described["kind"] == "array")?;
    PRIMS.contains(&elem).then(|| (elem, described["rank"].as_u64().unwrap_or(1)))
}

fn fields(described: &Value) -> Vec<(String, String)> {
    let list = described["record"]["fields"].as_array().map_or(&[][..], Vec::as_slice);
    list.iter()
        .map(|field| (text(&field["name"]).to_owned(), text(&field["type"]).to_owned()))
        .collect()
}

fn is_tuple(described: &Value) -> bool {
    let fields = fields(described);
    !fields.is_empty() && fields.iter().enumerate().all(|(i, (name, _))| *name == i.to_string())
}

const KEYWORDS: [&str; 38] = [
    "as", "break", "const", "continue", "dyn", "else", "enum", "extern", "false", "fn", "for",
    "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return",
    "static", "struct", "trait", "true", "type", "unsafe", "use", "where", "while", "async",
    "await", "abstract", "box", "final", "override",
];

/// A name as Rust can have it.
fn identifier(name: &str, otherwise: &str) -> String {
    let plain: String = name.chars().map(|c| if c == '\'' { '_' } else { c }).collect();
    let good = plain.starts_with(|c: char| c.is_ascii_alphabetic())
        && plain.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !matches!(plain.as_str(), "self" | "super" | "crate" | "new");
    match good {
        true if KEYWORDS.contains(&plain.as_str()) => format!("r#{plain}"),
        true => plain,
        false => otherwise.to_owned(),
    }
}

/// The name of a type: `my_point` is `MyPoint`, and what is no name has its letters.
fn camel(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let out: String = words
        .map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_uppercase() + rest
        })
        .collect();
    let array = if name.starts_with('[') { "ArrayOf" } else { "" };
    format!("{array}{out}")
}
