//! The imports of a file: declarations and module expressions, wherever they stand.

use super::Import;
use ecow::EcoString;
use fehu_base::Span;
use fehu_syntax::ast::{Dec, DecKind, File, ModExp, ModExpKind, NodeId};

/// All imports, in the order in which they are written, without targets.
pub(super) fn of(file: &File) -> Vec<Import> {
    let mut imports = Vec::new();
    for dec in &file.decs {
        of_dec(dec, &mut imports);
    }
    imports
}

fn of_dec(dec: &Dec, imports: &mut Vec<Import>) {
    match &dec.kind {
        DecKind::Import(name, span) => add(dec.id, name, *span, imports),
        DecKind::Local(inner) => of_dec(inner, imports),
        DecKind::Open(module) => of_mod_exp(module, imports),
        DecKind::Module(bind) => of_mod_exp(&bind.body, imports),
        // Values, types and module types contain no module expressions.
        DecKind::Val(_) | DecKind::Type(_) | DecKind::ModuleType(_) | DecKind::Error => {}
    }
}

fn of_mod_exp(module: &ModExp, imports: &mut Vec<Import>) {
    match &module.kind {
        ModExpKind::Import(name, span) => add(module.id, name, *span, imports),
        ModExpKind::Paren(inner)
        | ModExpKind::Ascribe(inner, _)
        | ModExpKind::Lambda(_, _, inner) => of_mod_exp(inner, imports),
        ModExpKind::Apply(function, argument) => {
            of_mod_exp(function, imports);
            of_mod_exp(argument, imports);
        }
        ModExpKind::Decs(decs) => {
            for dec in decs {
                of_dec(dec, imports);
            }
        }
        ModExpKind::Name(_) | ModExpKind::Error => {}
    }
}

fn add(node: NodeId, name: &EcoString, span: Span, imports: &mut Vec<Import>) {
    imports.push(Import { node, name: name.clone(), span, target: None });
}
