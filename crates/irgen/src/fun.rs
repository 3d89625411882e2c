//! Functions, constants and whole programs.

use crate::rng::Rng;
use crate::state::Gen;
use crate::{Config, MAX_PARAM_SIZE};
use fehu_base::{IdVec, Prim};
use fehu_ir::{
    Atom, BinOp, CmpOp, Const, ConstId, Elem, Entry, Exp, External, Fun, FunId, Param, Prog, Stage,
    Type, Var,
};

/// A program from a seed; its entry point is `main`.
pub fn random_prog(seed: u64, config: Config) -> Prog {
    random_of(Stage::Arrays, seed, config)
}

/// Likewise, of the stage that has Segs.
pub fn random_segs(seed: u64, config: Config) -> Prog {
    random_of(Stage::Segs, seed, config)
}

fn random_of(stage: Stage, seed: u64, config: Config) -> Prog {
    let mut rng = Rng::new(seed);
    let mut prog = Prog { stage, consts: IdVec::new(), funs: IdVec::new(), entries: Vec::new() };
    let mut costs = Vec::new();
    for _ in 0..rng.below(3) {
        let item = constant(&mut rng, config, &prog, &costs);
        prog.consts.push(item);
    }
    for index in 0..rng.below(4) {
        let (fun, cost) = if rng.chance(20) {
            (recursive(&mut rng, config, stage, FunId(index as u32)), 50)
        } else {
            function("f", &mut rng, config, &prog, &costs)
        };
        prog.funs.push(fun);
        costs.push(cost);
    }
    let (main, _) = function("main", &mut rng, config, &prog, &costs);
    let entry = entry(&main, FunId(prog.funs.len() as u32));
    prog.funs.push(main);
    prog.entries.push(entry);
    prog
}

fn constant(rng: &mut Rng, config: Config, prog: &Prog, costs: &[i64]) -> Const {
    let mut g = Gen::new(rng, config, prog.stage, &prog.funs, costs, &prog.consts);
    g.statements(3);
    let mut types: Vec<Type> = Vec::new();
    for _ in 0..2 {
        // Only constant sizes: the types are seen outside.
        let ty = g.any_type();
        if ty.shape().iter().all(|size| size.var().is_none()) {
            types.push(ty);
        }
    }
    let values = g.random_results(&types);
    let results = types.into_iter().map(|ty| g.var("r", ty)).collect();
    let (vars, body, _) = g.finish(values);
    Const { name: "c".into(), vars, results, body }
}

fn function(name: &str, rng: &mut Rng, config: Config, prog: &Prog, costs: &[i64]) -> (Fun, i64) {
    let mut g = Gen::new(rng, config, prog.stage, &prog.funs, costs, &prog.consts);
    let mut params = Vec::new();
    for _ in 0..g.rng.below(3) {
        // The hint tells calls that this is a size.
        let size = g.var("n", Type::I64);
        g.bounds.insert(size, MAX_PARAM_SIZE);
        g.bring(size);
        params.push(Param { var: size, consumed: false });
    }
    for _ in 0..1 + g.rng.below(4) {
        let ty = g.any_type();
        let consumed = ty.is_array() && g.rng.chance(40);
        let var = g.var("p", ty);
        g.bring(var);
        if consumed {
            g.set_fresh(var);
        }
        params.push(Param { var, consumed });
    }
    let count = config.statements / 2 + g.rng.below(config.statements.max(1));
    g.statements(count);

    // Some results of types that the parameters determine, and perhaps one of unknown size.
    let inside: Vec<Var> = params.iter().map(|param| param.var).collect();
    let mut types: Vec<Type> = Vec::new();
    for _ in 0..1 + g.rng.below(3) {
        let ty = g.any_type();
        let known = |size: &Atom| size.var().is_none_or(|var| inside.contains(&var));
        if ty.shape().iter().all(known) {
            types.push(ty);
        }
    }
    let unknown = g.rng.chance(40);
    let mut results: Vec<Var> = Vec::new();
    let mut values = Vec::new();
    if unknown {
        let size = g.var("k", Type::I64);
        let elem = g.prim();
        let found = g.pick(|ty| ty.rank() == 1 && ty.elem() == Some(Elem::Prim(elem)));
        let array = found.unwrap_or_else(|| {
            let size = g.size();
            g.new_array(&Type::Array(elem.into(), vec![size]))
        });
        g.shared(array);
        values.extend([g.vars[array].ty.shape()[0], array.into()]);
        let var = g.var("ks", Type::Array(elem.into(), vec![size.into()]));
        results.extend([size, var]);
    }
    values.extend(g.random_results(&types));
    results.extend(types.into_iter().map(|ty| g.var("r", ty)).collect::<Vec<_>>());
    let (vars, body, cost) = g.finish(values);
    let attrs = Vec::new();
    (Fun { name: name.into(), vars, params, results, body, attrs, foreign: None }, cost.max(1))
}

/// A function that calls itself a few times.
fn recursive(rng: &mut Rng, config: Config, stage: Stage, this: FunId) -> Fun {
    let (funs, consts) = (IdVec::new(), IdVec::<ConstId, Const>::new());
    let mut g = Gen::new(rng, config, stage, &funs, &[], &consts);
    let fuel = g.var("fuel", Type::I64);
    let prim = g.integer();
    let x = g.var("x", Type::prim(prim));
    let n = g.var("n", Type::I64);
    let ty = Type::Array(Prim::I32.into(), vec![n.into()]);
    let xs = g.var("xs", ty.clone());
    for var in [fuel, x, n, xs] {
        g.bring(var);
    }
    g.bounds.insert(n, MAX_PARAM_SIZE);
    // At most three times, whatever the argument.
    let low = g.exp("low", Exp::BinOp(BinOp::And, fuel.into(), Atom::i64(3)));
    let done = g.exp("done", Exp::CmpOp(CmpOp::Le, low.into(), Atom::i64(0)));
    let types = [Type::prim(prim), ty.clone()];
    let stop = g.body(|g| g.random_results(&types));
    let go = g.body(|g| {
        let less = g.exp("less", Exp::BinOp(BinOp::Sub, low.into(), Atom::i64(1)));
        let y = g.scalar(prim);
        let pat = vec![g.var("a", Type::prim(prim)), g.var("as", ty.clone())];
        let args = vec![less.into(), y, n.into(), xs.into()];
        g.stm(pat.clone(), Exp::Call(this, args));
        g.random_results(&types)
    });
    let pat = vec![g.var("b", Type::prim(prim)), g.var("bs", ty.clone())];
    g.stm(pat.clone(), Exp::If(done.into(), Box::new([stop, go])));
    let results = vec![g.var("r", Type::prim(prim)), g.var("rs", ty)];
    let params = [fuel, x, n, xs].map(|var| Param { var, consumed: false }).to_vec();
    let (vars, body, _) = g.finish(pat.into_iter().map(Atom::Var).collect());
    Fun { name: "rec".into(), vars, params, results, body, attrs: Vec::new(), foreign: None }
}

fn entry(main: &Fun, fun: FunId) -> Entry {
    let ty = |var: Var| main.vars[var].ty.clone();
    let sizes = main.params.iter().take_while(|param| main.vars[param.var].hint == "n").count();
    let mut params = Vec::new();
    for (index, param) in main.params[sizes..].iter().enumerate() {
        let external = External::Transparent(ty(param.var), param.consumed);
        params.push((format!("p{index}").into(), external));
    }
    let unknown = main.results.first().is_some_and(|var| main.vars[*var].hint == "k");
    let parts: Vec<Type> =
        main.results[usize::from(unknown)..].iter().map(|var| ty(*var)).collect();
    let result = match <[Type; 1]>::try_from(parts) {
        Ok([ty]) => External::Transparent(ty, false),
        Err(parts) => External::Opaque(fehu_ir::OpaqueType::plain("results", parts), false),
    };
    Entry { name: "main".into(), fun, params, result, attrs: Vec::new(), doc: None }
}
