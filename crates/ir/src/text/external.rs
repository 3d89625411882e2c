//! External types, printed and read.

use super::cursor::{Lists, Parsed};
use super::parse::Parser;
use super::print::Printer;
use crate::{External, Field, OpaqueArray, OpaqueKind, OpaqueType, Variant};

impl Printer<'_> {
    pub(super) fn external(&mut self, external: &External) {
        match external {
            External::Transparent(ty, consumed) => {
                self.put(if *consumed { "*" } else { "" });
                self.ty(ty);
            }
            External::Opaque(opaque, consumed) => {
                self.put(if *consumed { "*" } else { "" });
                self.put("opaque ");
                self.string(&opaque.name);
                self.put(" ");
                self.parens(&opaque.parts, Self::ty);
                self.opaque_kind(&opaque.kind);
            }
        }
    }

    fn opaque_kind(&mut self, kind: &OpaqueKind) {
        match kind {
            OpaqueKind::Plain => {}
            OpaqueKind::Record(fields) => self.external_fields(fields),
            OpaqueKind::Sum(variants) => {
                self.put(" sum {");
                self.list(variants, |p, variant| {
                    p.string(&variant.name);
                    p.put(" ");
                    p.parens(&variant.payload, Self::external);
                    p.put(" [");
                    p.list(&variant.slots, |p, slot| p.put(&slot.to_string()));
                    p.put("]");
                });
                self.put("}");
            }
            OpaqueKind::Array(array) => {
                self.put(&format!(" array {} (", array.rank));
                self.external(&array.elem);
                self.put(")");
                if !array.fields.is_empty() {
                    self.external_fields(&array.fields);
                }
            }
        }
    }

    fn external_fields(&mut self, fields: &[Field]) {
        self.put(" {");
        self.list(fields, |p, field| {
            p.string(&field.name);
            p.put(": ");
            p.external(&field.ty);
        });
        self.put("}");
    }
}

impl Parser<'_> {
    pub(super) fn external(&mut self) -> Parsed<External> {
        let consumed = self.eat("*");
        if !self.eat_word("opaque") {
            return Ok(External::Transparent(self.ty()?, consumed));
        }
        let name = self.string()?;
        let parts = self.parens("a type", Self::ty)?;
        let kind = self.opaque_kind()?;
        Ok(External::Opaque(OpaqueType { name, parts, kind }, consumed))
    }

    fn opaque_kind(&mut self) -> Parsed<OpaqueKind> {
        if self.peek_sign("{") {
            return Ok(OpaqueKind::Record(self.external_fields()?));
        }
        if self.eat_word("sum") {
            self.sign("{")?;
            let variants = self.list("}", "a variant", |p| {
                let name = p.string()?;
                let payload = p.parens("a type", Self::external)?;
                p.sign("[")?;
                let slots = p.list("]", "the number of a part", |p| p.count())?;
                Ok(Variant { name, payload, slots })
            })?;
            return Ok(OpaqueKind::Sum(variants));
        }
        if self.eat_word("array") {
            let rank = self.count()?;
            self.sign("(")?;
            let elem = Box::new(self.external()?);
            self.sign(")")?;
            let fields = if self.peek_sign("{") { self.external_fields()? } else { Vec::new() };
            return Ok(OpaqueKind::Array(OpaqueArray { rank, elem, fields }));
        }
        Ok(OpaqueKind::Plain)
    }

    fn external_fields(&mut self) -> Parsed<Vec<Field>> {
        self.sign("{")?;
        self.list("}", "a field", |p| {
            let name = p.string()?;
            p.sign(":")?;
            Ok(Field { name, ty: p.external()? })
        })
    }
}
