//! What the comments at the head of a file ask for.

use fehu_base::Prim;
use fehu_ir::text::literal;
use fehu_ir::{Elem, Prog, Scalar, Type};

/// The head of a file.
#[derive(Debug)]
pub(crate) struct Header {
    /// The names of the transformations, in order.
    pub(crate) run: Vec<String>,
    /// A program whose first function has the parameters and results of the first function of the code.
    pub(crate) signature: Prog,
    /// The values of scalar parameters by name.
    pub(crate) values: Vec<(String, Vec<Scalar>)>,
    /// How many checks are left in a run with these values.
    pub(crate) checks: Vec<(usize, Vec<(String, Scalar)>)>,
    /// Whether the code stays as it is.
    pub(crate) unchanged: bool,
}

/// Reads the comments at the head of a file.
pub(crate) fn header(text: &str) -> Result<Header, String> {
    let lines: Vec<&str> =
        text.lines().map_while(|line| line.strip_prefix("--")).map(str::trim).collect();
    let value = |key: &str| lines.iter().find_map(|line| line.strip_prefix(key));
    let run = value("run:").ok_or("the file does not say `-- run: NAMES`")?;
    let run = run.split(',').map(|name| name.trim().to_owned()).collect();
    let ty = value("type:").ok_or("the file does not say `-- type: (PARAMETERS) -> (RESULTS)`")?;
    let signature = fehu_ir::text::parse(&format!("prog arrays fun f {ty} = ()"))
        .map_err(|error| format!("in `{ty}`: {error}"))?;
    let fun = &signature.funs[fehu_ir::FunId(0)];
    let (mut values, mut names) = (Vec::new(), Vec::new());
    for param in &fun.params {
        let info = &fun.vars[param.var];
        let Type::Scalar(Elem::Prim(prim)) = info.ty else { continue };
        let name = info.hint.to_string();
        let list =
            value(&format!("{name}:")).ok_or_else(|| format!("there are no values of {name}"))?;
        let list = list.split_whitespace().map(|text| scalar(prim, text));
        values.push((name.clone(), list.collect::<Result<Vec<Scalar>, String>>()?));
        names.push((name, prim));
    }
    let mut checks = Vec::new();
    for line in lines.iter().filter_map(|line| line.strip_prefix("checks ")) {
        let (count, when) = line.split_once(':').ok_or_else(|| format!("`{line}` has no `:`"))?;
        let count = count.trim().parse().map_err(|_| format!("`{count}` is not a number"))?;
        let mut equal = Vec::new();
        for item in when.split_whitespace() {
            let (name, text) =
                item.split_once('=').ok_or_else(|| format!("`{item}` has no `=`"))?;
            let known = names.iter().find(|(known, _)| known == name);
            let (_, prim) = known.ok_or_else(|| format!("there is no parameter {name}"))?;
            equal.push((name.to_owned(), scalar(*prim, text)?));
        }
        checks.push((count, equal));
    }
    Ok(Header { run, signature, values, checks, unchanged: lines.contains(&"unchanged") })
}

fn scalar(prim: Prim, text: &str) -> Result<Scalar, String> {
    match (prim, text) {
        (Prim::Bool, "true") => Ok(Scalar::Bool(true)),
        (Prim::Bool, "false") => Ok(Scalar::Bool(false)),
        _ => literal::number(&format!("{text}{prim}")),
    }
}
