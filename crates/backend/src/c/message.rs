//! Checks, and the messages for users.

use super::exp::{Prec, c_type};
use super::fun::Frame;
use super::literal;
use fehu_base::Prim;
use fehu_imp::{Exp, Message, Part, V};

/// How the values of a message are written.
pub(super) enum Shown {
    /// As the expressions that they are.
    Expressions,
    /// As these texts.
    Texts(Vec<String>),
}

impl Frame<'_> {
    pub(super) fn assert(&mut self, cond: &Exp, message: &Message) {
        let mut fail = self.message_text(message, &Shown::Expressions);
        if let Some(first) = fail.first_mut() {
            first.insert_str(0, "err = ");
        }
        let cond = self.scope().negated(cond);
        self.leave_if(&cond, &fail);
    }

    /// The call that sets the message of the context, line by line.
    pub(super) fn message_text(&self, message: &Message, shown: &Shown) -> Vec<String> {
        let mut format = String::new();
        let mut args = Vec::new();
        for part in &message.parts {
            match part {
                Part::Text(text) => format.push_str(&literal::format_string(text)),
                Part::Value(e, prim) => {
                    format.push_str(conversion(*prim));
                    args.push(match shown {
                        Shown::Expressions => self.shown(e, *prim),
                        Shown::Texts(texts) => texts[args.len()].clone(),
                    });
                }
            }
        }
        let mut lines = vec![format];
        if !message.trace.is_empty() {
            lines.push("\\nBacktrace:".to_owned());
        }
        for (i, place) in message.trace.iter().enumerate() {
            let mark = if i == 0 { "->" } else { "  " };
            lines.push(format!("\\n{mark} #{i}  {}", literal::format_string(place)));
        }
        // Adjacent strings are one.
        let mut call = vec!["fe_fail(ctx, FUTHARK_PROGRAM_ERROR,".to_owned()];
        call.extend(
            lines.iter().map(|line| quoted(line)).map(|line| format!("              {line}")),
        );
        if let Some(last) = call.last_mut() {
            args.iter().for_each(|arg| *last += &format!(", {arg}"));
            last.push_str(");");
        }
        call
    }

    /// A value as an argument of `printf`, of exactly the type that the conversion expects.
    fn shown(&self, e: &Exp, prim: Prim) -> String {
        let text = self.scope().exp(e);
        match prim {
            Prim::I8 | Prim::I16 | Prim::I32 => format!("(int){}", text.at(Prec::Unary)),
            Prim::U8 | Prim::U16 | Prim::U32 => format!("(unsigned){}", text.at(Prec::Unary)),
            Prim::I64 if matches!(e, Exp::Var(_)) => text.text,
            Prim::I64 => format!("(int64_t){}", text.at(Prec::Unary)),
            Prim::U64 if matches!(e, Exp::Var(_)) => text.text,
            Prim::U64 => format!("(uint64_t){}", text.at(Prec::Unary)),
            Prim::F16 => format!("fe_shown(fe_conv_f16_f64({}))", text.text),
            Prim::F32 | Prim::F64 => format!("fe_shown({})", text.text),
            Prim::Bool => format!("{} ? \"true\" : \"false\"", text.at(Prec::Or)),
        }
    }

    pub(super) fn trace_array(&mut self, tag: &str, p: V, shape: &[Exp]) {
        let tag = literal::string(tag);
        let sizes: Vec<String> = shape.iter().map(|size| self.scope().text(size)).collect();
        let (prim, name) = (self.scope().elem(p), self.name(p));
        let (rank, list) = (shape.len(), sizes.join(", "));
        let trace = |elements: &str| {
            format!(
                "fe_trace_array_{prim}(\"{tag}\", {elements}, {rank}, (const int64_t[]){{{list}}});"
            )
        };
        if !self.target.is_gpu() {
            return self.line(&trace(&name));
        }
        // The elements are in the memory of the device.
        let product: String = sizes.iter().map(|size| format!("({size}) * ")).collect();
        let bytes = format!("{product}(int64_t)sizeof({})", c_type(prim));
        let copy = self.shared.names.fresh("traced");
        self.line("{");
        self.deeper(|frame| {
            frame.line(&format!("void *{copy} = NULL;"));
            let fetch = format!("({copy} = fe_fetch_new(ctx, {name}, {bytes})) == NULL");
            frame.check_call(&format!("{fetch} ? FUTHARK_PROGRAM_ERROR : FUTHARK_SUCCESS"));
            frame.line(&trace(&copy));
            frame.line(&format!("free({copy});"));
        });
        self.line("}");
    }
}

/// How `printf` shows a value as the interpreter does.
fn conversion(prim: Prim) -> &'static str {
    match prim {
        Prim::I8 | Prim::I16 | Prim::I32 => "%d",
        Prim::U8 | Prim::U16 | Prim::U32 => "%u",
        Prim::I64 => "%\" PRId64 \"",
        Prim::U64 => "%\" PRIu64 \"",
        Prim::F16 | Prim::F32 | Prim::F64 => "%f",
        Prim::Bool => "%s",
    }
}

/// A string with macros in it, without empty pieces at its ends.
fn quoted(inside: &str) -> String {
    let text = format!("\"{inside}\"");
    text.strip_suffix(" \"\"").map(str::to_owned).unwrap_or(text)
}
