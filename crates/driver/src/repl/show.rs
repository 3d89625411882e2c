//! Values as people read them: in the syntax of the language, but numbers without their types.

use crate::run::convert;
use fehu_data::text::{self, Style};
use fehu_interp::Value;
use fehu_ir::{Elem, Scalar};
use fehu_lower::layout::{Layout, Variant};

/// How values are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breaks {
    /// Every field of a record or tuple on a line of its own, and all of every array: what programs
    /// that read it are used to.
    Always,
    /// Records and tuples on one line if they are short; of large arrays only the first and the last
    /// elements: for people.
    WhenLong,
}

/// Records and tuples that reach beyond this column are broken into lines.
const WIDTH: usize = 80;
/// Arrays with more elements are not shown in full.
const MOST_ELEMENTS: usize = 1000;
/// How many elements are then shown at each end of each dimension.
const AT_EACH_END: i64 = 3;

/// A value that was computed, for people and for programs.
#[derive(Debug)]
pub struct Shown {
    /// As it is shown.
    pub text: String,
    /// What it is, unless it is a function or a module.
    data: Option<(Layout, Vec<Value>)>,
}

impl Shown {
    /// What is shown of something that is no data.
    pub(super) fn text(text: String) -> Shown {
        Shown { text, data: None }
    }

    /// The value that consists of these parts.
    pub(super) fn value(layout: Layout, parts: Vec<Value>, breaks: Breaks) -> Shown {
        let all: Vec<&Value> = parts.iter().collect();
        let mut show = Show { out: String::new(), at: Vec::new(), breaks };
        show.broken(&layout, &all, 0);
        Shown { text: show.out, data: Some((layout, parts)) }
    }

    /// Its type with the sizes that it has: `[3]i32`. Functions and modules have none here.
    pub fn ty(&self) -> Option<String> {
        let (layout, parts) = self.data.as_ref()?;
        Some(ty(layout, &parts.iter().collect::<Vec<_>>(), 0))
    }

    /// The value in the form in which programs read and write them, if it is a scalar or an array of scalars.
    pub fn primitive(&self) -> Option<fehu_data::Value> {
        let (layout, parts) = self.data.as_ref()?;
        let mut elem = layout;
        while let Layout::Array(inner) = elem {
            elem = inner;
        }
        let (Layout::Prim(_), [part]) = (elem, parts.as_slice()) else { return None };
        convert::from_interp(part.clone()).ok()
    }
}

/// The type of a value with these parts, inside of so many arrays.
fn ty(layout: &Layout, parts: &[&Value], depth: usize) -> String {
    // The parts of each of these, one after the other.
    let all = |layouts: &mut dyn Iterator<Item = &Layout>, parts: &[&Value]| {
        let mut rest = parts;
        let each = layouts.map(|layout| {
            let (own, later) = rest.split_at(layout.parts().min(rest.len()));
            rest = later;
            ty(layout, own, depth)
        });
        each.collect::<Vec<String>>()
    };
    match layout {
        Layout::Prim(prim) => prim.name().to_owned(),
        Layout::Array(elem) => {
            let array = parts.first().and_then(|part| part.as_array());
            let size = array.and_then(|array| array.shape().get(depth).copied()).unwrap_or(0);
            let of = ty(elem, parts, depth + 1);
            let several = matches!(**elem, Layout::Sum { .. });
            if several { format!("[{size}]({of})") } else { format!("[{size}]{of}") }
        }
        Layout::Record(fields) => {
            let types = all(&mut fields.iter().map(|(_, field)| field), parts);
            if is_tuple(fields) {
                return format!("({})", types.join(", "));
            }
            let fields = fields.iter().zip(types).map(|((name, _), ty)| format!("{name}: {ty}"));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Layout::Sum { variants, .. } => {
            let variant = |variant: &Variant| {
                let own: Vec<&Value> =
                    variant.slots.iter().filter_map(|&slot| parts.get(slot).copied()).collect();
                let types = all(&mut variant.payload.iter(), &own);
                let words = std::iter::once(format!("#{}", variant.name)).chain(types);
                words.collect::<Vec<_>>().join(" ")
            };
            variants.iter().map(variant).collect::<Vec<_>>().join(" | ")
        }
        Layout::Function => "function".to_owned(),
    }
}

fn is_tuple(fields: &[(ecow::EcoString, Layout)]) -> bool {
    fields.len() != 1 && fields.iter().enumerate().all(|(i, (name, _))| *name == i.to_string())
}

struct Show {
    out: String,
    /// The indices of the arrays that we are inside of.
    at: Vec<i64>,
    breaks: Breaks,
}

impl Show {
    /// Writes a value, with line breaks, from this column on.
    fn broken(&mut self, layout: &Layout, parts: &[&Value], column: usize) {
        match layout {
            Layout::Record(fields) if fields.len() > 1 => {
                if self.breaks == Breaks::WhenLong && !has_rows(layout) {
                    let start = self.out.len();
                    self.inline(layout, parts);
                    if column + self.out[start..].chars().count() <= WIDTH {
                        return;
                    }
                    self.out.truncate(start);
                }
                self.record(fields, parts, Some(column));
            }
            Layout::Record(fields) => self.record(fields, parts, Some(column)),
            Layout::Array(elem) if matches!(**elem, Layout::Array(_)) => {
                let separator = format!(",\n{}", " ".repeat(column + 1));
                self.array(parts, &separator, |this| this.broken(elem, parts, column + 1));
            }
            Layout::Array(_) | Layout::Prim(_) | Layout::Sum { .. } | Layout::Function => {
                self.inline(layout, parts);
            }
        }
    }

    /// Writes a value on one line.
    fn inline(&mut self, layout: &Layout, parts: &[&Value]) {
        match layout {
            Layout::Prim(_) => {
                let scalar = parts.first().and_then(|part| self.scalar(part));
                self.out.push_str(&scalar.map_or("?".to_owned(), scalar_text));
            }
            Layout::Array(elem) => self.array(parts, ", ", |this| this.inline(elem, parts)),
            Layout::Record(fields) => self.record(fields, parts, None),
            Layout::Sum { variants, .. } => self.sum(variants, parts),
            Layout::Function => self.out.push_str("#<fun>"),
        }
    }

    /// Writes a record or tuple: on one line, or from a column on with a line for each field.
    fn record(
        &mut self,
        fields: &[(ecow::EcoString, Layout)],
        parts: &[&Value],
        column: Option<usize>,
    ) {
        let tuple = is_tuple(fields);
        self.out.push(if tuple { '(' } else { '{' });
        let mut rest = parts;
        for (i, (name, layout)) in fields.iter().enumerate() {
            let (own, later) = rest.split_at(layout.parts().min(rest.len()));
            rest = later;
            match column {
                Some(column) if i > 0 => {
                    self.out.push_str(",\n");
                    self.out.extend(std::iter::repeat_n(' ', column + 1));
                }
                Some(_) => {}
                None if i > 0 => self.out.push_str(", "),
                None => {}
            }
            let label = if tuple { String::new() } else { format!("{name} = ") };
            self.out.push_str(&label);
            match column {
                Some(column) => self.broken(layout, own, column + 1 + label.chars().count()),
                None => self.inline(layout, own),
            }
        }
        self.out.push(if tuple { ')' } else { '}' });
    }

    fn array(&mut self, parts: &[&Value], separator: &str, mut element: impl FnMut(&mut Self)) {
        let array = parts.first().and_then(|part| part.as_array());
        let size = array.and_then(|array| array.shape().get(self.at.len()).copied()).unwrap_or(0);
        let long = self.breaks == Breaks::WhenLong
            && array.is_some_and(|array| array.count() > MOST_ELEMENTS)
            && size > 2 * AT_EACH_END;
        self.out.push('[');
        let mut i = 0;
        while i < size {
            if i > 0 {
                self.out.push_str(separator);
            }
            if long && i == AT_EACH_END {
                self.out.push_str("...");
                i = size - AT_EACH_END;
                continue;
            }
            self.at.push(i);
            element(self);
            self.at.pop();
            i += 1;
        }
        self.out.push(']');
    }

    fn sum(&mut self, variants: &[Variant], parts: &[&Value]) {
        let number = match variants {
            [_] => 0,
            _ => match parts.first().and_then(|part| self.scalar(part)) {
                Some(Scalar::U8(number)) => usize::from(number),
                _ => usize::MAX,
            },
        };
        let Some(variant) = variants.get(number) else {
            return self.out.push('?');
        };
        self.out.push('#');
        self.out.push_str(&variant.name);
        let own: Vec<&Value> =
            variant.slots.iter().filter_map(|&slot| parts.get(slot).copied()).collect();
        let mut rest = &own[..];
        for layout in &variant.payload {
            let (own, later) = rest.split_at(layout.parts().min(rest.len()));
            rest = later;
            self.out.push(' ');
            let wraps = self.has_payload(layout, own);
            self.out.push_str(if wraps { "(" } else { "" });
            self.inline(layout, own);
            self.out.push_str(if wraps { ")" } else { "" });
        }
    }

    /// Whether it is a constructor with arguments, which needs parentheses where it is an argument
    /// itself.
    fn has_payload(&self, layout: &Layout, parts: &[&Value]) -> bool {
        match layout {
            Layout::Sum { .. } => {
                let mut inner =
                    Show { out: String::new(), at: self.at.clone(), breaks: self.breaks };
                inner.inline(layout, parts);
                inner.out.contains(' ')
            }
            Layout::Prim(_) | Layout::Array(_) | Layout::Record(_) | Layout::Function => false,
        }
    }

    /// The scalar of a part at the present indices.
    fn scalar(&self, part: &Value) -> Option<Scalar> {
        match part.as_array() {
            Some(array) => array.get(&self.at),
            None => part.as_scalar(),
        }
    }
}

/// Whether there is an array of arrays in it, whose rows are shown on lines of their own.
fn has_rows(layout: &Layout) -> bool {
    match layout {
        Layout::Array(elem) => matches!(**elem, Layout::Array(_)),
        Layout::Record(fields) => fields.iter().any(|(_, field)| has_rows(field)),
        Layout::Prim(_) | Layout::Sum { .. } | Layout::Function => false,
    }
}

fn scalar_text(scalar: Scalar) -> String {
    let Elem::Prim(prim) = scalar.elem() else { return "()".to_owned() };
    let text =
        text::scalar_to_string(fehu_data::Scalar::from_bits(prim, scalar.bits()), Style::SHORT);
    // `f32.nan` is a name of the language as it is.
    if text.ends_with("nan") || text.ends_with("inf") {
        return text;
    }
    text.strip_suffix(prim.name()).map_or(text.clone(), str::to_owned)
}
