//! The parser of expressions.

use super::cursor::{Lists, Parsed};
use super::lex::Kind;
use super::parse::Parser;
use crate::{
    AccInput, Atom, BinOp, CmpOp, Diff, DiffForm, Dim, Exp, Flatmap, Hist, HistOp, Level, LoopForm,
    LoopParam, MathFn, Notice, Partition, Pieces, Red, Rows, Scan, Scatter, Screma, Seeds, Seg,
    Stream, StreamForm, Switch, Type, UnOp, Var,
};

impl Parser<'_> {
    pub(super) fn exp(&mut self) -> Parsed<Exp> {
        let Kind::Word(word) = self.kind() else { return Ok(Exp::Atom(self.atom()?)) };
        if let Some(exp) = self.scalar_exp(word)? {
            return Ok(exp);
        }
        let start = self.position();
        self.advance();
        Ok(match *word {
            "assert" => Exp::Assert(self.atom()?, self.check()?),
            "fail" => Exp::Fail(self.check()?),
            "trace" => Exp::Trace(self.string()?, self.atom()?),
            "notice" => Exp::Notice(self.notice()?, self.atoms()?),
            "opaque" => Exp::Opaque(self.atom()?),
            "threads" => Exp::Threads,
            "tuning" => Exp::Tuning(self.string()?, self.atom()?),
            "array" => Exp::Array(self.elem()?, self.atoms()?),
            "index" => Exp::Index(self.var()?, self.dims()?),
            "update" => {
                let (array, dims) = (self.var()?, self.dims()?);
                self.sign("=")?;
                Exp::Update(array, dims, self.atom()?)
            }
            "flat_index" => {
                let array = self.var()?;
                let (offset, dims) = self.flat()?;
                Exp::FlatIndex(array, offset, dims)
            }
            "flat_update" => {
                let array = self.var()?;
                let (offset, dims) = self.flat()?;
                self.sign("=")?;
                Exp::FlatUpdate(array, offset, dims, self.var()?)
            }
            "concat" => Exp::Concat(self.atom()?, self.vars()?),
            "iota" => Exp::Iota(self.prim()?, self.atom()?, self.atom()?, self.atom()?),
            "replicate" => Exp::Replicate(self.atoms()?, self.atom()?),
            "scratch" => match self.ty()? {
                Type::Scalar(elem) => Exp::Scratch(elem, Vec::new()),
                Type::Array(elem, shape) => Exp::Scratch(elem, shape),
                Type::Acc(_) => return Err(self.expected("the type of an array")),
            },
            "reshape" => {
                let shape = self.atoms()?;
                Exp::Reshape(self.var()?, shape)
            }
            "rearrange" => {
                let perm = self.parens("a number", |p| p.count())?;
                Exp::Rearrange(self.var()?, perm)
            }
            "copy" => Exp::Copy(self.var()?),
            "manifest" => Exp::Manifest(self.var()?),
            "if" => {
                let cond = self.atom()?;
                self.word("then")?;
                let yes = self.block()?;
                self.word("else")?;
                Exp::If(cond, Box::new([yes, self.block()?]))
            }
            "switch" => self.switch()?,
            "loop" => self.loop_exp()?,
            "call" => Exp::Call(self.fun_name()?, self.atoms()?),
            "const" => Exp::Const(self.const_name()?),
            "screma" => self.screma()?,
            "hist" => self.hist()?,
            "scatter" => self.scatter()?,
            "stream" => self.stream()?,
            "partition" => {
                let (width, inputs) = self.width()?;
                let classes = self.count()?;
                let map = self.lambda()?;
                Exp::Partition(Box::new(Partition { width, classes, inputs, map }))
            }
            "flatmap" => {
                let (width, inputs) = self.width()?;
                let pieces = self.count()?;
                let map = self.lambda()?;
                if map.body.results.len() <= pieces {
                    let message =
                        "the function of a flatmap yields the size of a piece, and then its arrays";
                    return Err(self.error_before(message.to_owned()));
                }
                Exp::Flatmap(Box::new(Flatmap { width, inputs, map, pieces }))
            }
            "jvp" | "jmp" | "vjp" | "mjp" | "with_vjp" => self.diff(word)?,
            "seg" => self.seg()?,
            "withacc" => self.withacc()?,
            "update_acc" => {
                let acc = self.var()?;
                let indices = self.shape()?;
                Exp::UpdateAcc(acc, indices, self.atoms()?)
            }
            _ => {
                // Not the name of an operation: an operand.
                self.retreat(start);
                Exp::Atom(self.atom()?)
            }
        })
    }

    /// A derivative, after its first word.
    fn diff(&mut self, word: &str) -> Parsed<Exp> {
        let several = matches!(word, "jmp" | "mjp");
        let directions = if several { Some(self.atom()?) } else { None };
        let args = self.atoms()?;
        let form = match word {
            "with_vjp" => {
                let fun = self.lambda()?;
                let form = DiffForm::Custom(self.lambda()?);
                return Ok(Exp::Diff(Box::new(Diff { args, fun, form })));
            }
            "jvp" | "jmp" => DiffForm::Forward(Seeds { values: self.atoms()?, directions }),
            _ => DiffForm::Reverse(Seeds { values: self.atoms()?, directions }),
        };
        Ok(Exp::Diff(Box::new(Diff { args, fun: self.lambda()?, form })))
    }

    /// An operation on scalars, if the word is one.
    fn scalar_exp(&mut self, word: &str) -> Parsed<Option<Exp>> {
        let start = self.position();
        self.advance();
        let exp = if let Some(op) = UnOp::from_name(word) {
            Exp::UnOp(op, self.atom()?)
        } else if let Some(op) = BinOp::from_name(word) {
            Exp::BinOp(op, self.atom()?, self.atom()?)
        } else if let Some(op) = CmpOp::from_name(word) {
            Exp::CmpOp(op, self.atom()?, self.atom()?)
        } else if word == "convert" {
            Exp::Convert(self.prim()?, self.atom()?)
        } else if word == "reinterpret" {
            Exp::Reinterpret(self.prim()?, self.atom()?)
        } else if let Some(f) = MathFn::from_name(word) {
            let mut atoms = Vec::new();
            for _ in 0..f.arity() {
                atoms.push(self.atom()?);
            }
            Exp::Math(f, atoms)
        } else {
            self.retreat(start);
            return Ok(None);
        };
        Ok(Some(exp))
    }

    fn dims(&mut self) -> Parsed<Vec<Dim>> {
        self.sign("[")?;
        self.list("]", "an index", |p| {
            let start = p.atom()?;
            if !p.eat(":") {
                return Ok(Dim::Fix(start));
            }
            let len = p.atom()?;
            p.sign(":")?;
            Ok(Dim::Slice { start, len, stride: p.atom()? })
        })
    }

    fn flat(&mut self) -> Parsed<(Atom, Vec<(Atom, Atom)>)> {
        self.sign("[")?;
        let offset = self.atom()?;
        self.sign(";")?;
        let dims = self.list("]", "a length and a stride", |p| {
            let len = p.atom()?;
            p.sign(":")?;
            Ok((len, p.atom()?))
        })?;
        Ok((offset, dims))
    }

    fn shape(&mut self) -> Parsed<Vec<Atom>> {
        self.sign("[")?;
        self.list("]", "an operand", Self::atom)
    }

    fn width(&mut self) -> Parsed<(Atom, Vec<Var>)> {
        Ok((self.atom()?, self.vars()?))
    }

    fn neutral(&mut self) -> Parsed<Vec<Atom>> {
        self.word("neutral")?;
        self.atoms()
    }

    fn switch(&mut self) -> Parsed<Exp> {
        let value = self.atom()?;
        self.sign("{")?;
        let mut cases = Vec::new();
        while self.eat_word("case") {
            let Some(case) = self.literal()? else { return Err(self.expected("a constant")) };
            cases.push((case, self.block()?));
        }
        self.word("default")?;
        let default = self.block()?;
        self.sign("}")?;
        Ok(Exp::Switch(value, Box::new(Switch { cases, default })))
    }

    fn loop_exp(&mut self) -> Parsed<Exp> {
        let params = self.parens("a parameter", |p| {
            let var = p.binding()?;
            p.sign("=")?;
            Ok(LoopParam { var, init: p.atom()? })
        })?;
        let form = if self.eat_word("for") {
            let var = self.binding()?;
            self.sign("<")?;
            LoopForm::For(var, self.atom()?)
        } else if self.eat_word("while") {
            LoopForm::While(self.var()?)
        } else {
            return Err(self.expected("`for` or `while`"));
        };
        Ok(Exp::Loop(params, form, Box::new(self.block()?)))
    }

    fn screma(&mut self) -> Parsed<Exp> {
        let (width, inputs) = self.width()?;
        self.word("map")?;
        let map = self.lambda()?;
        let (mut scans, mut reds) = (Vec::new(), Vec::new());
        while self.eat_word("scan") {
            scans.push(Scan { op: self.lambda()?, neutral: self.neutral()? });
        }
        while self.eat_word("red") {
            let commutative = self.eat_word("comm");
            reds.push(Red { op: self.lambda()?, neutral: self.neutral()?, commutative });
        }
        Ok(Exp::Screma(Box::new(Screma { width, inputs, map, scans, reds })))
    }

    fn hist(&mut self) -> Parsed<Exp> {
        let (width, inputs) = self.width()?;
        self.word("map")?;
        let map = self.lambda()?;
        let mut ops = Vec::new();
        while self.eat_word("dest") {
            let shape = self.shape()?;
            self.word("race")?;
            let race_factor = self.atom()?;
            let dests = self.vars()?;
            ops.push(HistOp {
                shape,
                race_factor,
                dests,
                op: self.lambda()?,
                neutral: self.neutral()?,
            });
        }
        Ok(Exp::Hist(Box::new(Hist { width, inputs, map, ops })))
    }

    fn scatter(&mut self) -> Parsed<Exp> {
        let (width, inputs) = self.width()?;
        self.word("map")?;
        let map = self.lambda()?;
        let mut dests = Vec::new();
        while self.eat_word("dest") {
            dests.push((self.shape()?, self.var()?));
        }
        Ok(Exp::Scatter(Box::new(Scatter { width, inputs, map, dests })))
    }

    fn stream(&mut self) -> Parsed<Exp> {
        let (width, inputs) = self.width()?;
        let form = if self.eat_word("map") {
            StreamForm::Map
        } else if self.eat_word("seq") {
            StreamForm::Seq
        } else if self.eat_word("pass") {
            let mut pieces = Vec::new();
            while self.eat_word("pieces") {
                let sizes = self.var()?;
                pieces.push(Pieces { sizes, values: self.vars()? });
            }
            StreamForm::Pass(pieces)
        } else if self.eat_word("red") {
            let commutative = self.eat_word("comm");
            StreamForm::Red(self.lambda()?, commutative)
        } else {
            return Err(self.expected("`map`, `seq`, `pass` or `red`"));
        };
        self.word("init")?;
        let init = self.atoms()?;
        self.word("chunk")?;
        let chunk = self.lambda()?;
        Ok(Exp::Stream(Box::new(Stream { width, inputs, form, init, chunk })))
    }

    fn seg(&mut self) -> Parsed<Exp> {
        let Some(level) = Level::ALL.iter().copied().find(|level| self.eat_word(level.name()))
        else {
            let names: Vec<String> =
                Level::ALL.iter().map(|level| format!("`{}`", level.name())).collect();
            return Err(self.expected(&names.join(", ")));
        };
        let lanes = self.eat_word("lanes");
        let space = self.shape()?;
        let rows = match self.eat_word("rows") {
            true => Some(Rows { ends: self.var()?, total: self.atom()? }),
            false => None,
        };
        let tiling = self.tiling()?;
        let inputs = self.vars()?;
        let body = self.lambda()?;
        Ok(Exp::Seg(Box::new(Seg { level, space, rows, inputs, body, tiling, lanes })))
    }

    fn notice(&mut self) -> Parsed<Notice> {
        if self.eat_word("enter") {
            return Ok(Notice::Enter(self.small("the number of a scene")?));
        }
        if self.eat_word("leave") {
            return Ok(Notice::Leave);
        }
        if self.eat_word("nan") {
            return Ok(Notice::Nan);
        }
        self.word("stop")?;
        let numbered = matches!(self.kind(), Kind::Number(_));
        let scene = numbered.then(|| self.small("the number of a scene")).transpose()?;
        Ok(Notice::Stop(scene))
    }

    fn withacc(&mut self) -> Parsed<Exp> {
        let mut inputs = Vec::new();
        while self.eat_word("acc") {
            let shape = self.shape()?;
            let arrays = self.vars()?;
            let op =
                if self.eat_word("op") { Some((self.lambda()?, self.neutral()?)) } else { None };
            inputs.push(AccInput { shape, arrays, op });
        }
        self.word("in")?;
        Ok(Exp::WithAcc(inputs, Box::new(self.lambda()?)))
    }
}
