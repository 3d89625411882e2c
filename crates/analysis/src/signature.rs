//! The function that is being called at a place, and which of its arguments is being written.

use crate::declared;
use crate::index::{self, Index};
use crate::tree::{self, Node};
use crate::{View, hover};
use fehu_base::FileId;
use fehu_check::program::Target;
use fehu_check::ty::Ty;
use fehu_syntax::ast::{Exp, ExpKind, QualName};

/// See [`signature`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// `name (x: t) (y: u) : v`
    pub text: String,
    /// The bytes of each parameter in the text.
    pub params: Vec<(usize, usize)>,
    /// The parameter that is being written.
    pub active: usize,
    /// The documentation.
    pub doc: Option<String>,
}

/// The call around a place, or before it if only blanks are between.
pub fn signature(view: &View<'_>, index: &Index, file: FileId, offset: u32) -> Option<Signature> {
    let text = view.sources.file(file).text.get(..offset as usize)?;
    let end = text.trim_end_matches([' ', '\t']).len() as u32;
    let path = tree::around(view.ast(file)?, end);
    for node in path.iter().rev() {
        let Node::Exp(exp) = node else { continue };
        let (fun, args): (&Exp, &[Exp]) = match &exp.kind {
            ExpKind::Apply(fun, args) => (fun, args),
            // A function that has no argument yet.
            ExpKind::Var(_) if end < offset && exp.span.end == end => (exp, &[]),
            ExpKind::Lambda(_) | ExpKind::Let(..) => return None,
            _ => continue,
        };
        if offset <= fun.span.end {
            continue;
        }
        let ExpKind::Var(name) = &fun.kind else { continue };
        // In the last argument or before the next.
        let active = args.iter().filter(|arg| arg.span.end < offset).count();
        let active = match end < offset {
            true => args.iter().filter(|arg| arg.span.end <= end).count(),
            false => active,
        };
        if let Some(signature) = of_function(view, index, name, active) {
            return Some(signature);
        }
    }
    None
}

fn of_function(
    view: &View<'_>,
    index: &Index,
    name: &QualName,
    active: usize,
) -> Option<Signature> {
    let target = index.starting_at(name.name.span.start)?.target;
    let Target::Var(var) = target else { return None };
    let info = &view.program.vars[var];
    let scheme = info.scheme.as_ref()?;
    let place = index::place(view.program, target);
    let names = place.map_or_else(Vec::new, |place| declared::parameters(view, place));
    let mut text = view.text(name.span).to_owned();
    let mut params = Vec::new();
    let mut ty = &scheme.ty;
    while let Ty::Fun(fun) = ty
        && !fun.is_seq()
    {
        text.push(' ');
        let start = text.len();
        let star = if fun.consumes { "*" } else { "" };
        let own = fun.name.map(|var| view.program.vars[var].name.to_string());
        let name = names.get(params.len()).cloned().flatten().or(own);
        let shown = hover::show(view, &fun.param);
        match name {
            Some(name) => text.push_str(&format!("({name}: {star}{shown})")),
            None if shown.contains(' ') => text.push_str(&format!("({star}{shown})")),
            None => text.push_str(&format!("{star}{shown}")),
        }
        params.push((start, text.len()));
        ty = &fun.ret;
    }
    if params.is_empty() || active >= params.len() {
        return None;
    }
    text.push_str(" : ");
    text.push_str(&hover::show(view, ty));
    let doc = place.and_then(|place| declared::doc(view, place));
    Some(Signature { text, params, active, doc })
}
