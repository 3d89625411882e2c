//! Statements.

use super::exp::{Prec, c_type, is_zero};
use super::fun::{Frame, declared_type};
use super::{constant_members, literal, op};
use fehu_base::{Prim, bug};
use fehu_imp::device::DEVICE;
use fehu_imp::kernel::waits;
use fehu_imp::{Arg, Block, Exp, Foreign, From, FunId, Out, Stm, Ty, V};
use fehu_ir::{MathFn, Scalar};

/// Whether a value of the device is fetched before anything can ask for those that are awaited: then all of them are
/// waited for once.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others may ask for them")]
fn fetches_next<'a>(rest: impl Iterator<Item = &'a Stm>, awaited: &[V]) -> bool {
    for stm in rest {
        match stm {
            Stm::Declare(_, None) | Stm::Free(_) => {}
            Stm::Fetch(_, _, index) => return !awaited.iter().any(|v| index.mentions(*v)),
            _ => return false,
        }
    }
    false
}

/// So many declarations are looked at for the other one of a sine and a cosine.
const MOST_BETWEEN: usize = 16;

/// The variable that is declared as the cosine, if the function is the sine of a variable, or the other way round.
/// Between them are only declarations.
#[expect(clippy::wildcard_enum_match_arm, reason = "only these are looked for")]
fn circular<'a>(
    rest: impl Iterator<Item = &'a Stm>,
    function: MathFn,
    prim: Prim,
    args: &[Exp],
) -> Option<V> {
    let wanted = match function {
        MathFn::Sin => MathFn::Cos,
        MathFn::Cos => MathFn::Sin,
        _ => return None,
    };
    if !matches!(args, [Exp::Var(_)]) || !matches!(prim, Prim::F32 | Prim::F64) {
        return None;
    }
    let declared = rest.map_while(|stm| match stm {
        Stm::Declare(v, Some(value)) => Some((v, value)),
        _ => None,
    });
    let same = |value: &Exp| matches!(value, Exp::Math(f, p, of) if *f == wanted && *p == prim && of == args);
    declared.take(MOST_BETWEEN).find(|(_, value)| same(value)).map(|(v, _)| *v)
}

/// The variable that is set next to the element of a pointer at this index, and the number of declarations before.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing else may come before")]
fn fetches_neighbour<'a>(
    rest: impl Iterator<Item = &'a Stm>,
    p: V,
    index: i64,
) -> Option<(usize, V)> {
    for (number, stm) in rest.enumerate() {
        match stm {
            Stm::Declare(_, None) => {}
            Stm::Fetch(v, other, at) if *other == p && *at == Exp::int(index) => {
                return Some((number, *v));
            }
            _ => return None,
        }
    }
    None
}

impl Frame<'_> {
    /// Fetches an element of the device's memory, now or with the next one.
    fn fetch(&mut self, v: V, p: V, index: &Exp, waits: bool) {
        let scope = self.scope();
        let address = scope.address(scope.names.get(p), index);
        let name = self.name(v);
        let call = if waits { "fe_fetch" } else { "fe_fetch_with_next" };
        self.check_call(&format!("{call}(ctx, &{name}, {address}, sizeof {name})"));
    }

    /// Fetches neighbouring elements.
    fn fetch_several(&mut self, all: &[V], p: V, first: i64) {
        let scope = self.scope();
        let address = scope.address(scope.names.get(p), &Exp::int(first));
        let ty = c_type(scope.elem(p));
        let fetched = self.shared.names.fresh("fetched");
        self.line("{");
        self.deeper(|frame| {
            frame.line(&format!("{ty} {fetched}[{}];", all.len()));
            frame.check_call(&format!("fe_fetch(ctx, {fetched}, {address}, sizeof {fetched})"));
            for (number, v) in all.iter().enumerate() {
                let name = frame.name(*v);
                frame.line(&format!("{name} = {fetched}[{number}];"));
            }
        });
        self.line("}");
    }

    /// The statements of a block, in the braces of something else.
    pub(super) fn block(&mut self, block: &[Stm]) {
        let mut rest = block.iter().peekable();
        // Values of the device that the next fetch brings as well.
        let mut awaited: Vec<V> = Vec::new();
        // What was computed together with something before.
        let mut done: Vec<V> = Vec::new();
        while let Some(stm) = rest.next() {
            // A declaration and the first value are one line.
            let next = rest.peek().copied();
            match (stm, next) {
                (Stm::Declare(v, None), Some(Stm::Assign(to, e))) if v == to && !e.mentions(*v) => {
                    self.declare(*v, Some(self.scope().text(e)));
                    rest.next();
                }
                (Stm::Declare(v, None), Some(Stm::Point(to, from, index))) if v == to => {
                    let address = self.point(*to, *from, index);
                    self.declare(*v, Some(address));
                    rest.next();
                }
                (Stm::Declare(v, None), Some(Stm::Chunks(to, site, n))) if v == to => {
                    let number = self.chunks(*site, n);
                    self.declare(*v, Some(number));
                    rest.next();
                }
                (Stm::Declare(v, None), Some(Stm::Threads(to))) if v == to => {
                    self.declare(*v, Some(self.threads().to_owned()));
                    rest.next();
                }
                (Stm::Declare(v, None), Some(Stm::Blocks(to))) if v == to => {
                    self.declare(*v, Some(busy_blocks()));
                    rest.next();
                }
                (Stm::Declare(v, Some(_)), _) if done.contains(v) => {}
                (Stm::Declare(v, Some(Exp::Math(function, prim, args))), _)
                    if self.inside.is_some()
                        && let Some(other) = circular(rest.clone(), *function, *prim, args) =>
                {
                    self.sine_and_cosine(*v, other, *function, *prim, args);
                    done.push(other);
                }
                (Stm::Fetch(v, p, Exp::Const(Scalar::I64(first))), _)
                    if fetches_neighbour(rest.clone(), *p, *first + 1).is_some() =>
                {
                    let mut all = vec![*v];
                    while let Some((skipped, next)) =
                        fetches_neighbour(rest.clone(), *p, *first + all.len() as i64)
                    {
                        rest.by_ref().take(skipped).for_each(|stm| self.stm(stm));
                        rest.next();
                        all.push(next);
                    }
                    self.fetch_several(&all, *p, *first);
                    awaited.clear();
                }
                (Stm::Fetch(v, p, index), _) => {
                    awaited.push(*v);
                    let waits = !fetches_next(rest.clone(), &awaited);
                    self.fetch(*v, *p, index, waits);
                    if waits {
                        awaited.clear();
                    }
                }
                _ => self.stm(stm),
            }
        }
    }

    /// The sine and the cosine of the same number, of which the first variable is the given one: they share most of
    /// their work, which compilers for devices do not see.
    fn sine_and_cosine(&mut self, v: V, other: V, function: MathFn, prim: Prim, args: &[Exp]) {
        let (sine, cosine) = if function == MathFn::Sin { (v, other) } else { (other, v) };
        self.declare(sine, None);
        self.declare(cosine, None);
        let args: Vec<String> = args.iter().map(|arg| self.scope().text(arg)).collect();
        let (sine, cosine) = (self.name(sine), self.name(cosine));
        self.line(&format!("fe_sincos_{prim}({}, &{sine}, &{cosine});", args.join(", ")));
    }

    /// A block in braces after a line that ends in an opening one.
    pub(super) fn braced(&mut self, head: &str, block: &[Stm]) {
        self.line(&format!("{head} {{"));
        self.deeper(|frame| frame.block(block));
        self.line("}");
    }

    fn stm(&mut self, stm: &Stm) {
        if self.inside.is_some() && self.stm_inside(stm) {
            return;
        }
        match stm {
            Stm::Comment(text) => self.line(&literal::comment(text)),
            Stm::Declare(v, value) => {
                let value = value.as_ref().map(|e| self.scope().text(e));
                self.declare(*v, value);
            }
            Stm::Assign(v, e) => self.assign(*v, e),
            Stm::Store(p, index, e) => {
                let target = self.scope().element(*p, index).text;
                let value = self.scope().text(e);
                self.line(&format!("{target} = {value};"));
            }
            Stm::Alloc(v, prim, count) => self.alloc(*v, *prim, count),
            Stm::Share(to, from) => {
                let (to, from) = (self.name(*to), self.name(*from));
                self.line(&format!("fe_share(ctx, &{to}, &{from}, 0);"));
            }
            Stm::Export { to, block, ptr, index } => {
                let (to, data) = (self.name(*to), self.data(*ptr, index));
                match block.map(|block| self.name(block)) {
                    Some(block) => {
                        self.line(&format!(
                            "fe_share(ctx, &{to}, &{block}, {data} - {block}.data);"
                        ));
                    }
                    None => {
                        self.line(&format!("fe_free(ctx, &{to});"));
                        self.line(&format!("{to}.data = {data};"));
                    }
                }
            }
            Stm::Free(v) => {
                let name = self.name(*v);
                self.line(&format!("fe_free(ctx, &{name});"));
            }
            Stm::Point(p, From::Shared, _) => {
                let name = self.name(*p);
                self.line(&format!("FE_SHARED_INSTEAD({name});"));
            }
            Stm::Point(p, from, index) => {
                let address = self.point(*p, *from, index);
                let name = self.name(*p);
                self.line(&format!("{name} = {address};"));
            }
            Stm::Copy { to, from, count } => {
                let scope = self.scope();
                let target = scope.address(scope.names.get(to.0), &to.1);
                let source = scope.address(scope.names.get(from.0), &from.1);
                let (count, ty) = (scope.exp(count), c_type(scope.elem(to.0)));
                if self.target.is_gpu() {
                    let count = count.at(Prec::Unary);
                    return self.check_call(&format!(
                        "fe_device_copy(ctx, {target}, {source}, {count} * (int64_t)sizeof({ty}))"
                    ));
                }
                let count = count.text;
                self.line(&format!("fe_copy({target}, {source}, {count}, sizeof({ty}));"));
            }
            Stm::If(cond, yes, no) => self.branch("", cond, yes, no),
            Stm::Switch(e, cases, default) => self.switch(e, cases, default),
            Stm::For { var, from, to, step, kind, body } => {
                self.for_loop(*var, from, to, *step, kind, body);
            }
            Stm::While(cond, body) => {
                let cond = self.scope().text(cond);
                self.line(&format!("while ({cond}) {{"));
                self.loop_body(body);
            }
            Stm::Call(fun, results, args) => self.call(*fun, results, args),
            Stm::Foreign(call) => self.foreign(call),
            Stm::Const(number, results) => self.constant(*number, results),
            Stm::Assert(cond, message) => self.assert(cond, message),
            Stm::Trace(tag, e, prim) => {
                let (tag, e) = (literal::string(tag), self.scope().text(e));
                self.line(&format!("fe_trace_{prim}(\"{tag}\", {e});"));
            }
            Stm::TraceArray(tag, p, shape) => self.trace_array(tag, *p, shape),
            Stm::Atomic(op, p, index, e) => self.atomic(*op, *p, index, e),
            Stm::Prefixes(op, array, sum) => {
                if let Ty::Local(prim, size) = self.fun.vars[*array].ty {
                    let (op, array, sum) = (op.name(), self.name(*array), self.name(*sum));
                    let call = format!("fe_prefixes_{op}_{prim}({array}, {size}, {sum})");
                    self.line(&format!("{sum} = {call};"));
                }
            }
            Stm::Locked(number, body) => self.locked(number, body),
            Stm::Tasks(tasks) => self.tasks(tasks),
            Stm::Tuning(v, number, standard) => {
                let (name, standard) = (self.name(*v), self.scope().text(standard));
                self.line(&format!("{name} = fe_tuning_param(ctx, {number}, {standard});"));
            }
            Stm::Threads(v) => {
                let (name, number) = (self.name(*v), self.threads());
                self.line(&format!("{name} = {number};"));
            }
            Stm::Blocks(v) => self.line(&format!("{} = {};", self.name(*v), busy_blocks())),
            Stm::Chunks(v, site, n) => {
                let (name, number) = (self.name(*v), self.chunks(*site, n));
                self.line(&format!("{name} = {number};"));
            }
            Stm::Begin(work) => self.begin(work),
            Stm::End => self.end(),
            Stm::Launch(kernel) => self.launch(kernel),
            Stm::Fetch(v, p, index) => self.fetch(*v, *p, index, true),
            Stm::Ask(p, index) => {
                let scope = self.scope();
                let address = scope.address(scope.names.get(*p), index);
                let ty = c_type(scope.elem(*p));
                self.check_call(&format!("fe_ask(ctx, {address}, sizeof({ty}))"));
            }
            Stm::Receive(v) => {
                let name = self.name(*v);
                self.check_call(&format!("fe_receive(ctx, &{name}, sizeof {name})"));
            }
            // These are in kernels only.
            Stm::Poll(..)
            | Stm::Count(..)
            | Stm::Arrive { .. }
            | Stm::Leave
            | Stm::Exchange { .. }
            | Stm::Guarded(..)
            | Stm::Barrier
            | Stm::WarpBarrier
            | Stm::Warp(_)
            | Stm::Shuffle { .. }
            | Stm::Section(_) => {}
        }
    }

    fn declare(&mut self, v: V, value: Option<String>) {
        let name = self.name(v);
        match (self.fun.vars[v].ty, value) {
            // Declared at the top, and only once: in a loop it keeps its block.
            (Ty::Mem, _) => {}
            (Ty::Local(prim, n), _) => self.line(&format!("{} {name}[{n}];", c_type(prim))),
            (Ty::Shared(prim, n), _) => {
                self.line(&format!("FE_SHARED {} {name}[{n}];", c_type(prim)));
            }
            (ty @ (Ty::Scalar(_) | Ty::Ptr(..)), Some(value)) => {
                let space = self.space(v);
                self.line(&format!("{space}{}{name} = {value};", declared_type(ty)));
            }
            (ty @ (Ty::Scalar(_) | Ty::Ptr(..)), None) => {
                let space = self.space(v);
                self.line(&format!("{space}{}{name};", declared_type(ty)));
            }
        }
    }

    /// `v = e`, or `v += e` where C has such an operator.
    fn assign(&mut self, v: V, e: &Exp) {
        let name = self.name(v);
        if let Exp::Bin(op, prim, a, b) = e
            && **a == Exp::Var(v)
            && *prim != Prim::Bool
            && let Some((sign, _)) = op::infix(*op, *prim)
        {
            let b = self.scope().text(b);
            self.line(&format!("{name} {sign}= {b};"));
        } else {
            let value = self.scope().text(e);
            self.line(&format!("{name} = {value};"));
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "a number of elements that is not a constant"
    )]
    fn alloc(&mut self, v: V, prim: Prim, count: &Exp) {
        let name = self.name(v);
        let bytes = prim.bits() / 8;
        let size = match count {
            Exp::Const(Scalar::I64(n)) if n.checked_mul(i64::from(bytes)).is_some() => {
                (n * i64::from(bytes)).to_string()
            }
            _ if bytes == 1 => self.scope().text(count),
            // The number of elements is the program's, so the product may be too large for the type.
            _ => format!("fe_bytes({}, {bytes})", self.scope().text(count)),
        };
        self.check_call(&format!("fe_alloc(ctx, &{name}, {size})"));
    }

    /// The address that a pointer becomes.
    fn point(&self, p: V, from: From, index: &Exp) -> String {
        let scope = self.scope();
        let ty = c_type(scope.elem(p));
        match from {
            From::Mem(m) => scope.address(&format!("({ty} *){}.data", self.name(m)), index),
            From::Ptr(q) if scope.elem(q) == scope.elem(p) => {
                scope.address(scope.names.get(q), index)
            }
            From::Ptr(q) => {
                let space = self.space(p);
                scope.address(&format!("({space}{ty} *){}", self.name(q)), index)
            }
            From::Shared => self.name(p).to_owned(),
        }
    }

    /// `if`, and `else if` for a branch that is nothing but the next question.
    fn branch(&mut self, prefix: &str, cond: &Exp, yes: &Block, no: &Block) {
        if yes.is_empty() && !no.is_empty() {
            let cond = self.scope().negated(cond);
            self.line(&format!("{prefix}if ({cond}) {{"));
            self.deeper(|frame| frame.arm(no));
            return self.line("}");
        }
        let cond = self.scope().text(cond);
        self.line(&format!("{prefix}if ({cond}) {{"));
        self.deeper(|frame| frame.arm(yes));
        match no.as_slice() {
            [] => self.line("}"),
            [Stm::If(cond, yes, no)] => self.branch("} else ", cond, yes, no),
            no => {
                self.line("} else {");
                self.deeper(|frame| frame.arm(no));
                self.line("}");
            }
        }
    }

    /// One of the blocks of a branch. If the threads of a device meet in it, it stays apart from the others.
    fn arm(&mut self, block: &[Stm]) {
        self.block(block);
        if self.inside.is_some() && waits(block) {
            self.line("FE_APART();");
        }
    }

    fn switch(&mut self, e: &Exp, cases: &[(Scalar, Block)], default: &Block) {
        // C compilers find it odd to switch on a boolean.
        if let [(Scalar::Bool(value), block), rest @ ..] = cases {
            let other = match rest {
                [] => default,
                [(_, other), ..] => other,
            };
            let (yes, no) = if *value { (block, other) } else { (other, block) };
            return self.branch("", e, yes, no);
        }
        if cases.is_empty() {
            self.line("{");
            self.deeper(|frame| frame.block(default));
            return self.line("}");
        }
        let value = self.scope().text(e);
        self.line(&format!("switch ({value}) {{"));
        for (value, block) in cases {
            let value = literal::scalar(*value).at(Prec::Unary);
            self.line(&format!("case {value}: {{"));
            self.deeper(|frame| {
                frame.arm(block);
                frame.line("break;");
            });
            self.line("}");
        }
        self.line("default: {");
        self.deeper(|frame| {
            frame.arm(default);
            frame.line("break;");
        });
        self.line("}");
        self.line("}");
    }

    /// The address of an element, as handles have it.
    fn data(&self, ptr: V, index: &Exp) -> String {
        let scope = self.scope();
        let address = scope.address(scope.names.get(ptr), index);
        if is_zero(index) {
            format!("(unsigned char *){address}")
        } else {
            format!("(unsigned char *)({address})")
        }
    }

    fn call(&mut self, fun: FunId, results: &[V], args: &[Arg]) {
        let callee = self.program.funs.get(fun).map_or("", |fun| fun.name.as_str());
        let mut call = format!("fe_fun_{callee}(ctx");
        for &result in results {
            call.push_str(", &");
            call.push_str(self.shared.names.get(result));
        }
        for arg in args {
            call.push_str(", ");
            match arg {
                Arg::Scalar(e) => call.push_str(&self.scope().text(e)),
                Arg::Mem { block, ptr, index } => {
                    let data = self.data(*ptr, index);
                    let owner = block
                        .map_or("NULL".to_owned(), |block| format!("{}.block", self.name(block)));
                    call.push_str(&format!("(struct fe_mem){{{data}, {owner}}}"));
                }
            }
        }
        call.push(')');
        self.check_call(&call);
    }

    /// A call of a function of another language. On a device it is given addresses that are good for as long as it takes.
    fn foreign(&mut self, call: &Foreign) {
        let mut args = Vec::new();
        let mut needed = Vec::new();
        if call.stream {
            args.push("fe_foreign_stream(ctx)".to_owned());
        }
        let mut address = |address: String, written: bool| {
            if !call.stream {
                return address;
            }
            needed.push(format!("{{{address}, {written}}}"));
            format!("needed[{}].address", needed.len() - 1)
        };
        for arg in &call.args {
            args.push(match arg {
                Arg::Scalar(e) => self.scope().text(e),
                Arg::Mem { ptr, index, .. } => {
                    let scope = self.scope();
                    address(scope.address(scope.names.get(*ptr), index), false)
                }
            });
        }
        let target = match (call.status, call.results.as_slice()) {
            (None, [Out::Scalar(result)]) => *result,
            (Some(status), results) => {
                args.extend(results.iter().map(|out| match out {
                    Out::Scalar(v) => format!("&{}", self.name(*v)),
                    Out::Elements(v) => address(self.name(*v), true),
                }));
                status
            }
            (None, _) => bug("a foreign function has neither a status nor a result to return"),
        };
        let target = self.name(target);
        let (symbol, call) = (&call.symbol, args.join(", "));
        if needed.is_empty() {
            return self.line(&format!("{target} = {symbol}({call});"));
        }
        self.line("{");
        self.deeper(|frame| {
            frame.line(&format!("struct fe_needed needed[] = {{{}}};", needed.join(", ")));
            let count = needed.len();
            frame.check_call(&format!("fe_reach_foreign(ctx, {count}, needed, \"{symbol}\")"));
            frame.line(&format!("{target} = {symbol}({call});"));
        });
        self.line("}");
    }

    /// Constants live as long as the context, so that their blocks can be lent to anybody: nothing is counted, which
    /// tasks at the same time could not do.
    fn constant(&mut self, number: usize, results: &[(usize, V)]) {
        let members = constant_members(&self.program.funs[self.program.consts[number].fun]);
        for (result, v) in results {
            let member = &members[*result];
            let name = self.name(*v);
            if self.fun.vars[*v].ty == Ty::Mem {
                self.line(&format!("fe_borrow(ctx, &{name}, &ctx->constants->{member});"));
            } else {
                self.line(&format!("{name} = ctx->constants->{member};"));
            }
        }
    }
}

/// How many blocks keep the device busy.
fn busy_blocks() -> String {
    format!("fe_busy_blocks(ctx, {})", DEVICE.threads)
}
