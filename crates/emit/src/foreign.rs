//! Calls of foreign functions.

use super::{Emit, Options};
use fehu_base::Prim;
use fehu_imp::{Arg, Exp, Foreign, From, Message, Out, Part, Stm};
use fehu_ir::{self as ir, Atom, CmpOp, Elem, Platform, Symbol, Type, Var};
use rustc_hash::FxHashSet;

/// The functions whose code is needed: those that are called, by way of others, except for foreign functions that are only
/// called as such.
pub(crate) fn needed(prog: &ir::Prog, options: Options) -> FxHashSet<ir::FunId> {
    let all = || prog.funs.iter().map(|(id, _)| id);
    if prog.entries.is_empty() || prog.funs.iter().all(|(_, fun)| fun.foreign.is_none()) {
        return all().collect();
    }
    let mut found: Vec<ir::FunId> = prog.entries.iter().map(|entry| entry.fun).collect();
    let mut consts = Vec::new();
    prog.consts.iter().for_each(|(_, item)| called(&item.body, &mut consts));
    let mut next = 0;
    let is_needed = |id: &ir::FunId| {
        let fun = &prog.funs[*id];
        symbol(fun, options.device).is_none() || options.device && fun.is_scalar()
    };
    found.extend(consts.into_iter().filter(is_needed));
    while let Some(&fun) = found.get(next) {
        let mut callees = Vec::new();
        called(&prog.funs[fun].body, &mut callees);
        callees.retain(is_needed);
        for callee in callees {
            if !found.contains(&callee) {
                found.push(callee);
            }
        }
        next += 1;
    }
    found.into_iter().collect()
}

fn called(body: &ir::Body, callees: &mut Vec<ir::FunId>) {
    for stm in &body.stms {
        if let ir::Exp::Call(fun, _) = stm.exp {
            callees.push(fun);
        }
        stm.exp.for_each_body(&mut |body| called(body, callees));
    }
}

/// The symbol of a function for processors or devices.
fn symbol(fun: &ir::Fun, device: bool) -> Option<&Symbol> {
    fun.foreign.as_ref()?.symbols.iter().find(|symbol| symbol.platform.is_device() == device)
}

impl<'a> Emit<'a> {
    /// The symbol that is called here for a function. The host of a device has none for functions that kernels call, and uses
    /// their bodies.
    pub(super) fn symbol_here(&self, fun: &'a ir::Fun) -> Option<&'a Symbol> {
        let for_kernels = self.options.device && fun.is_scalar();
        symbol(fun, self.options.device).filter(|_| !for_kernels || self.runs.is_shared())
    }

    /// A call of a symbol, which writes its results to where they are to be.
    pub(super) fn call_foreign(
        &mut self,
        pat: &[Var],
        fun: &ir::Fun,
        symbol: &Symbol,
        args: &[Atom],
    ) {
        let args: Vec<Arg> = args.iter().filter_map(|arg| self.passed(*arg)).collect();
        let mut results = Vec::with_capacity(pat.len());
        for var in pat {
            if let Some(place) = self.place(*var) {
                let (mem, first) = (self.mem(place.block), self.poly(&place.lmad.offset));
                let ty = self.vars[mem.ptr].ty.pointer_into(self.table.blocks[place.block].elem);
                let ptr = self.new_var(&self.ir[*var].hint.clone(), ty);
                self.out.push(Stm::Declare(ptr, None));
                self.out.push(Stm::Point(ptr, From::Ptr(mem.ptr), first));
                results.push(Out::Elements(ptr));
            } else if let Type::Scalar(Elem::Prim(prim)) = self.ir[*var].ty {
                let v = self.declare(&self.ir[*var].hint.clone(), prim, None);
                self.scalars.insert(*var, Exp::Var(v));
                results.push(Out::Scalar(v));
            }
        }
        let status = match fun.returned() {
            Some(_) => None,
            None => Some(self.declare("status", Prim::I32, None)),
        };
        let stream = symbol.platform == Platform::Cuda && !fun.is_scalar();
        let name = &symbol.name;
        let call = Foreign { symbol: name.clone(), stream, args, results, status };
        self.out.push(Stm::Foreign(Box::new(call)));
        if let Some(status) = status {
            let zero = Exp::Const(ir::Scalar::I32(0));
            let fine = Exp::Cmp(CmpOp::Eq, Prim::I32, Box::new(Exp::Var(status)), Box::new(zero));
            let text = format!("the foreign function \"{name}\" failed with status ");
            let parts = vec![Part::Text(text.into()), Part::Value(Exp::Var(status), Prim::I32)];
            let trace = Some(self.loc.clone()).filter(|loc| !loc.is_empty());
            let message = Message { parts, trace: trace.into_iter().collect() };
            self.out.push(Stm::Assert(fine, message));
        }
    }

    /// An argument of a function; nothing for what has no contents.
    pub(super) fn passed(&mut self, arg: Atom) -> Option<Arg> {
        if let Some(place) = self.place_of(arg) {
            let (mem, index) = (self.mem(place.block), self.poly(&place.lmad.offset));
            return Some(Arg::Mem { block: mem.handle, ptr: mem.ptr, index });
        }
        self.prim(arg).map(|_| Arg::Scalar(self.atom(arg)))
    }
}
