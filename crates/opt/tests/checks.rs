//! Random programs about checks: index arithmetic in loops, branches and operators, and conditions on it that hold,
//! or fail, or hold by wrapping. The pass "checks" neither loses an error nor makes one, also with arguments near the
//! ends of the range of i64. `FEHU_RANDOM_PROGRAMS` sets how many programs are tried.

use fehu_interp::{Buffer, ErrorKind, Interp, Value};
use fehu_ir::pass::Remarks;
use fehu_ir::text::parse;
use fehu_ir::verify::{render, verify};
use fehu_ir::{FunId, Prog, Scalar};
use fehu_irgen::rng::Rng;
use fehu_irtest::count::count;
use fehu_opt::CHECKS;
use std::fmt::Write;

/// Writes the text of a program.
struct Writer {
    rng: Rng,
    text: String,
    /// The i64 variables in scope.
    scope: Vec<String>,
    next: u32,
}

impl Writer {
    fn name(&mut self, hint: &str) -> String {
        self.next += 1;
        format!("{hint}_{}", self.next)
    }

    /// A variable, preferably a recent one, or a number.
    fn operand(&mut self) -> String {
        let count = self.scope.len() as i64;
        if self.rng.chance(25) {
            let number = match self.rng.below(12) {
                0 => i64::MAX,
                1 => i64::MIN,
                2 => 1 << 62,
                small => small as i64 - 5,
            };
            return number.to_string();
        }
        let back = if self.rng.chance(60) {
            self.rng.range(0, count.min(4) - 1)
        } else {
            self.rng.range(0, count - 1)
        };
        self.scope[(count - 1 - back) as usize].clone()
    }

    fn bind(&mut self, ty: &str, exp: &str) -> String {
        let name = self.name("x");
        let _ = writeln!(self.text, "let ({name}: {ty}) = {exp}");
        name
    }

    fn condition(&mut self, depth: u32) -> String {
        if depth > 0 && self.rng.chance(35) {
            let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
            let op = if self.rng.chance(70) { "and" } else { "or" };
            return self.bind("bool", &format!("{op} {a} {b}"));
        }
        if depth > 0 && self.rng.chance(10) {
            let a = self.condition(depth - 1);
            return self.bind("bool", &format!("not {a}"));
        }
        let (a, b) = (self.operand(), self.operand());
        let op = ["le", "lt", "le", "lt", "eq"][self.rng.below(5)];
        self.bind("bool", &format!("{op} {a} {b}"))
    }

    /// An index that is in bounds with a check, as lowering makes it.
    fn index(&mut self) {
        let i = self.operand();
        let low = self.bind("bool", &format!("le 0 {i}"));
        let high = self.bind("bool", &format!("lt {i} n"));
        let both = self.bind("bool", &format!("and {low} {high}"));
        let cert = self.bind("unit", &format!("assert {both} \"index \" ${i}"));
        let name = self.name("e");
        let _ = writeln!(self.text, "#[cert {cert}] let ({name}: i64) = index xs[{i}]");
        self.scope.push(name);
    }

    fn arithmetic(&mut self) {
        let (a, b) = (self.operand(), self.operand());
        let small = self.rng.range(1, 6);
        let exp = match self.rng.below(18) {
            0..=3 => format!("add {a} {b}"),
            4..=6 => format!("sub {a} {b}"),
            7 => format!("mul {a} {b}"),
            8 => format!("mul {a} {small}"),
            9 => format!("div {a} {small}"),
            10 => format!("mod {a} {small}"),
            11 => format!("min {a} {b}"),
            12 => format!("max {a} {b}"),
            13 => format!("abs {a}"),
            14 => format!("quot {a} {small}"),
            15..=16 => {
                let divisor = self.bind("i64", &format!("max {b} 1"));
                let op = ["div", "quot", "mod", "rem"][self.rng.below(4)];
                format!("{op} {a} {divisor}")
            }
            _ => {
                let narrow = self.bind("i32", &format!("convert i32 {a}"));
                format!("convert i64 {narrow}")
            }
        };
        let name = self.bind("i64", &exp);
        self.scope.push(name);
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.rng.below(4) {
            match self.rng.below(if depth == 0 { 8 } else { 12 }) {
                0..=3 => self.arithmetic(),
                4..=5 => self.index(),
                6..=7 => {
                    let cond = self.condition(2);
                    let value = self.operand();
                    self.bind("unit", &format!("assert {cond} \"check \" ${value}"));
                }
                8 => {
                    let cond = self.condition(1);
                    let name = self.name("b");
                    let _ = writeln!(self.text, "let ({name}: i64) = if {cond} then {{");
                    self.inner(depth);
                    self.text.push_str("} else {\n");
                    self.inner(depth);
                    self.text.push_str("}\n");
                    self.scope.push(name);
                }
                9 => self.loop_for(depth),
                10 => self.loop_while(depth),
                _ => self.map(depth),
            }
        }
    }

    /// Statements and a result.
    fn inner(&mut self, depth: u32) {
        let mark = self.scope.len();
        self.statements(depth - 1);
        let result = self.operand();
        let _ = writeln!(self.text, "in ({result})");
        self.scope.truncate(mark);
    }

    /// A small number of iterations.
    fn bound(&mut self) -> String {
        if self.rng.chance(50) {
            return "n".to_owned();
        }
        let a = self.operand();
        self.bind("i64", &format!("min {a} 4"))
    }

    fn loop_for(&mut self, depth: u32) {
        let (bound, init) = (self.bound(), self.operand());
        let (name, param, i) = (self.name("l"), self.name("p"), self.name("i"));
        let _ = writeln!(
            self.text,
            "let ({name}: i64) = loop ({param}: i64 = {init}) for {i}: i64 < {bound} {{"
        );
        let mark = self.scope.len();
        self.scope.extend([param, i]);
        self.inner(depth);
        self.scope.truncate(mark);
        self.text.push_str("}\n");
        self.scope.push(name);
    }

    /// Ends after a few iterations, by a counter, or earlier.
    fn loop_while(&mut self, depth: u32) {
        let init = self.operand();
        let cond = self.condition(1);
        let [name, go, count, param] = ["w", "go", "k", "p"].map(|hint| self.name(hint));
        let (out, out_count) = (self.name("go"), self.name("k"));
        let _ = writeln!(
            self.text,
            "let ({out}: bool, {out_count}: i64, {name}: i64) = loop ({go}: bool = {cond}, {count}: i64 = 0, {param}: i64 = {init}) while {go} {{"
        );
        let mark = self.scope.len();
        self.scope.extend([count.clone(), param]);
        self.statements(depth - 1);
        let next_count = self.bind("i64", &format!("add {count} 1"));
        let next = if self.rng.chance(50) { next_count.clone() } else { self.operand() };
        self.scope.push(next_count.clone());
        let few = self.bind("bool", &format!("lt {next_count} 4"));
        let more = self.condition(1);
        let again = self.bind("bool", &format!("and {few} {more}"));
        let _ = writeln!(self.text, "in ({again}, {next_count}, {next})");
        self.scope.truncate(mark);
        self.text.push_str("}\n");
        self.scope.extend([out_count, name]);
    }

    fn map(&mut self, depth: u32) {
        let [is, i, ys, s] = ["is", "i", "ys", "s"].map(|hint| self.name(hint));
        let (start, step) = match self.rng.below(4) {
            0 => (self.operand(), self.rng.range(-2, 2)),
            _ => ("0".to_owned(), 1),
        };
        let _ = writeln!(self.text, "let ({is}: [n]i64) = iota i64 n {start} {step}");
        let _ = writeln!(
            self.text,
            "let ({s}: i64, {ys}: [n]i64) = screma n ({is}) map \\({i}: i64) -> (i64, i64) {{"
        );
        let mark = self.scope.len();
        self.scope.push(i);
        self.statements(depth - 1);
        let (a, b) = (self.operand(), self.operand());
        let _ = writeln!(self.text, "in ({a}, {b})");
        self.scope.truncate(mark);
        let [p, q, r] = ["p", "q", "r"].map(|hint| self.name(hint));
        let _ = writeln!(
            self.text,
            "}} red \\({p}: i64, {q}: i64) -> (i64) {{ let ({r}: i64) = add {p} {q} in ({r}) }} neutral (0)"
        );
        self.scope.push(s);
    }
}

fn program(seed: u64) -> String {
    let mut writer = Writer {
        rng: Rng::new(seed),
        text: "prog arrays\nfun main (n: i64, xs: [n]i64, a: i64, b: i64) -> (r: i64) =\n"
            .to_owned(),
        scope: ["n", "a", "b"].map(str::to_owned).to_vec(),
        next: 0,
    };
    writer.statements(3);
    writer.statements(2);
    let result = writer.operand();
    let _ = writeln!(writer.text, "in ({result})");
    writer.text
}

fn run(prog: &Prog, args: &[Value]) -> Result<Vec<Value>, ErrorKind> {
    let mut interp = Interp::new(prog);
    interp.options_mut().max_steps = Some(200_000);
    interp.call(FunId(0), args.to_vec()).map_err(|error| error.kind)
}

fn asserts(prog: &Prog) -> usize {
    count(prog).get("assert").copied().unwrap_or(0)
}

#[test]
fn no_error_is_lost_and_none_is_made() {
    let programs = std::env::var("FEHU_RANDOM_PROGRAMS").ok().and_then(|text| text.parse().ok());
    let extreme = [0, 1, -1, 2, 3, 5, i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1, 1 << 62, -7];
    let (mut passed, mut failed, mut before_count, mut after_count) = (0, 0, 0, 0);
    for seed in 0..programs.unwrap_or(150) {
        let text = program(seed);
        let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        if let Err(errors) = verify(&before) {
            panic!("{}", render(&before, &errors));
        }
        let mut after = before.clone();
        (CHECKS.run)(&mut after, &mut Remarks::default());
        if let Err(errors) = verify(&after) {
            panic!("seed {seed}: {before}\nbecame\n{}", render(&after, &errors));
        }
        before_count += asserts(&before);
        after_count += asserts(&after);
        let mut rng = Rng::new(seed);
        for _ in 0..6 {
            let n = rng.range(0, 4);
            let mut number = || match rng.below(3) {
                0 => extreme[rng.below(12)],
                _ => rng.range(-3, 6),
            };
            let mut elements = Buffer::empty(fehu_base::Prim::I64.into());
            for _ in 0..n {
                elements.push(Scalar::I64(number())).expect("it is an i64");
            }
            let args = [
                Value::Scalar(Scalar::I64(n)),
                Value::array(&[n], elements).expect("the sizes match"),
                Value::Scalar(Scalar::I64(number())),
                Value::Scalar(Scalar::I64(number())),
            ];
            let (expected, found) = (run(&before, &args), run(&after, &args));
            let same = match (&expected, &found) {
                (Ok(a), Ok(b)) => a.iter().zip(b).all(|(a, b)| a.same_bits(b)),
                (Err(a), Err(b)) => a == b,
                _ => false,
            };
            assert!(
                same || matches!(expected, Err(ErrorKind::Resource)),
                "seed {seed}: {expected:?} became {found:?} with {args:?}\n{before}\nbecame\n{after}"
            );
            match expected {
                Ok(_) => passed += 1,
                Err(_) => failed += 1,
            }
        }
    }
    assert!(passed > 50 && failed > 50, "{passed} runs without errors, {failed} with errors");
    assert!(after_count * 10 < before_count * 11, "{before_count} checks became {after_count}");
}
