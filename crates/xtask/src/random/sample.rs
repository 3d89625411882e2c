//! Random programs with entry points that a server can be asked for.
//!
//! Half of them are programs in general; the others consist of nested parallelism, regular or not, or of operators that
//! become kernels of each kind, stencils, operators on views, products and updates of matrices, arrays that grow and
//! scatters to boxes among them. Several become one, because compiling costs more than running. A function becomes an
//! entry point like this:
//!
//! - Sizes that arrays have come first, as a server reads them off the arrays; other numbers follow.
//! - Arrays of units are no values for the outside world: they are made inside, and not given back.
//! - Several results are a record, whose fields can be asked for.

use fehu_base::id::Id;
use fehu_driver::pipelines::GPU;
use fehu_ir::text::parse;
use fehu_ir::visit::{Visit, VisitMut, walk_exp, walk_exp_mut};
use fehu_ir::{
    Atom, ConstId, Elem, Entry, Exp, External, Field, Fun, FunId, Level, OpaqueKind, OpaqueType,
    Param, Prog, Scalar, Stm, Type, Var, VarInfo,
};
use fehu_irgen::{
    Config, box_text, growing_text, irregular_text, kernel_text, nested_text, place_text,
    product_text, ragged_text, random_prog, stencil_text, update_text, view_text,
};
use fehu_irtest::passes::transform;

/// How many programs of nested parallelism are looked at for one.
const CANDIDATES: u64 = 3;

/// A random program.
#[derive(Clone)]
pub(super) struct Sample {
    /// What it was made from.
    pub(super) seed: u64,
    /// It has one entry point, whose name tells the seed.
    pub(super) prog: Prog,
}

/// The program of a seed.
pub(super) fn sample(seed: u64) -> Result<Sample, String> {
    let mut prog = match seed % 4 {
        0 | 2 => general(seed / 2),
        1 if seed % 8 == 1 => nested(seed / 2)?,
        1 if seed % 32 == 13 => {
            parse(&view_text(seed / 32)).map_err(|error| format!("seed {seed}: {error}"))?
        }
        1 if matches!(seed % 64, 53 | 61) => {
            parse(&update_text(seed / 32)).map_err(|error| format!("seed {seed}: {error}"))?
        }
        1 if seed % 64 == 5 => {
            parse(&product_text(seed / 32)).map_err(|error| format!("seed {seed}: {error}"))?
        }
        1 if seed % 128 == 21 => {
            parse(&growing_text(seed / 128)).map_err(|error| format!("seed {seed}: {error}"))?
        }
        1 if seed % 128 == 85 => {
            parse(&box_text(seed / 128)).map_err(|error| format!("seed {seed}: {error}"))?
        }
        1 => parse(&irregular_text(seed / 8)).map_err(|error| format!("seed {seed}: {error}"))?,
        _ if seed % 16 == 15 => {
            parse(&place_text(seed / 16)).map_err(|error| format!("seed {seed}: {error}"))?
        }
        _ if seed % 16 == 11 => {
            parse(&stencil_text(seed / 16)).map_err(|error| format!("seed {seed}: {error}"))?
        }
        _ => parse(&kernel_text(seed / 4)).map_err(|error| format!("seed {seed}: {error}"))?,
    };
    exposed(&mut prog, seed)?;
    Ok(Sample { seed, prog })
}

/// A program that adds up or multiplies floats: an array, pairs of elements, and rows.
pub(super) fn sums(seed: u64) -> Result<Sample, String> {
    let prim = if seed.is_multiple_of(2) { "f32" } else { "f64" };
    let (op, neutral) = if seed % 3 == 2 { ("mul", "1.0") } else { ("add", "0.0") };
    let each = ["mul x2 y2", "sub x2 y2", "div x2 y2", "max x2 y2"][(seed / 6 % 4) as usize];
    // No name is bound twice.
    let red = |k: u32| {
        format!(
            "red comm \\(a{k}: {prim}, b{k}: {prim}) -> ({prim}) {{ \
             let (c{k}: {prim}) = {op} a{k} b{k} in (c{k}) }} neutral ({neutral}{prim})"
        )
    };
    let sum = |name: &str, of: &str, k: u32| {
        let red = red(k);
        format!(
            "let ({name}: {prim}) = screma n ({of}) map \\(x{k}: {prim}) -> ({prim}) {{(x{k})}} {red}\n"
        )
    };
    let (all, row, red) = (sum("u", "xs", 1), sum("q", "row", 3), red(2));
    let text = format!(
        "prog arrays\n\
         fun f (n: i64, m: i64, xs: [n]{prim}, ys: [n]{prim}, yss: [m][n]{prim}) \
         -> (r: {prim}, s: {prim}, t: [m]{prim}) =\n\
         {all}\
         let (v: {prim}) = screma n (xs, ys) map \\(x2: {prim}, y2: {prim}) -> ({prim}) {{ \
         let (z: {prim}) = {each} in (z) }} {red}\n\
         let (w: [m]{prim}) = screma m (yss) map \\(row: [n]{prim}) -> ({prim}) {{\n{row}in (q) }}\n\
         in (u, v, w)\n"
    );
    parsed(seed, &text)
}

/// A program made of irregular nests.
pub(super) fn irregular(seed: u64) -> Result<Sample, String> {
    parsed(seed, &irregular_text(seed))
}

/// A program whose operators work on views.
pub(super) fn views(seed: u64) -> Result<Sample, String> {
    parsed(seed, &view_text(seed))
}

/// A program that changes matrices in place.
pub(super) fn updates(seed: u64) -> Result<Sample, String> {
    parsed(seed, &update_text(seed))
}

/// A program whose nests have products of matrices.
pub(super) fn products(seed: u64) -> Result<Sample, String> {
    parsed(seed, &product_text(seed))
}

/// A program whose arrays are as large as a counter says.
pub(super) fn growing(seed: u64) -> Result<Sample, String> {
    parsed(seed, &growing_text(seed))
}

/// A program with scatters to boxes of their destination.
pub(super) fn boxes(seed: u64) -> Result<Sample, String> {
    parsed(seed, &box_text(seed))
}

/// A program whose positions read elements near them.
pub(super) fn stencil(seed: u64) -> Result<Sample, String> {
    parsed(seed, &stencil_text(seed))
}

/// A program whose rows differ, as a Seg of a level.
pub(super) fn ragged(seed: u64, level: Level) -> Result<Sample, String> {
    parsed(seed, &ragged_text(seed, level))
}

/// The program with this text.
fn parsed(seed: u64, text: &str) -> Result<Sample, String> {
    let mut prog = parse(text).map_err(|why| format!("seed {seed}: {why}\n{text}"))?;
    exposed(&mut prog, seed)?;
    Ok(Sample { seed, prog })
}

/// Makes the last function, which is the one that matters, the only entry point.
pub(super) fn exposed(prog: &mut Prog, seed: u64) -> Result<(), String> {
    prog.entries.clear();
    let last = prog.funs.len().checked_sub(1).ok_or("a program without functions")?;
    expose(prog, FunId::from_index(last), &format!("p{seed}"));
    fehu_ir::verify::verify(prog).map_err(|errors| {
        format!("seed {seed}: the program is refused: {}", fehu_ir::verify::render(prog, &errors))
    })
}

/// One program of several.
pub(super) fn merge(samples: &[Sample]) -> Option<Prog> {
    let (first, others) = samples.split_first()?;
    let mut all = first.prog.clone();
    for sample in others {
        let mut prog = sample.prog.clone();
        let mut shift = Shift { funs: all.funs.len(), consts: all.consts.len() };
        for item in prog.consts.values_mut() {
            shift.body(&mut item.body);
            all.consts.push(item.clone());
        }
        for fun in prog.funs.values_mut() {
            shift.body(&mut fun.body);
            all.funs.push(fun.clone());
        }
        for mut entry in prog.entries {
            entry.fun = shift.fun(entry.fun);
            all.entries.push(entry);
        }
    }
    Some(all)
}

fn general(seed: u64) -> Prog {
    let config = Config {
        statements: 4 + (seed % 3) as usize * 4,
        inexact: false,
        failing: seed.is_multiple_of(4),
    };
    let prog = random_prog(seed, config);
    // A server computes constants when it starts, and does not start if that fails.
    if config.failing && prog.consts.iter().any(|(_, item)| Checks::are_in(&item.body)) {
        return random_prog(seed, Config { failing: false, ..config });
    }
    prog
}

/// A program of nested parallelism; of a few, the first that a GPU has several versions of.
fn nested(seed: u64) -> Result<Prog, String> {
    let mut first = None;
    for candidate in 0..CANDIDATES {
        let text = nested_text(seed * CANDIDATES + candidate);
        let prog = parse(&text).map_err(|error| format!("seed {seed}: {error}\n{text}"))?;
        // Whoever compiles it finds out if this fails.
        if transform(&prog, GPU.passes).is_ok_and(|after| has_versions(&after)) {
            return Ok(prog);
        }
        first.get_or_insert(prog);
    }
    first.ok_or_else(|| format!("seed {seed}: no candidates"))
}

fn has_versions(prog: &Prog) -> bool {
    struct Look(bool);
    impl Visit for Look {
        fn exp(&mut self, exp: &Exp) {
            self.0 |= matches!(exp, Exp::Tuning(..));
            walk_exp(self, exp);
        }
    }
    let mut look = Look(false);
    prog.bodies().for_each(|body| look.body(body));
    look.0
}

/// Makes a function that nobody calls an entry point.
fn expose(prog: &mut Prog, id: FunId, name: &str) {
    let fun = &mut prog.funs[id];
    fun.name = name.into();
    without_units(fun);
    let inside: Vec<Type> = fun.params.iter().map(|param| fun.vars[param.var].ty.clone()).collect();
    let is_size = |param: &Param| mentions(&inside, param.var);
    let (sizes, others): (Vec<Param>, Vec<Param>) = fun.params.iter().partition(|p| is_size(p));
    fun.params = [sizes, others.clone()].concat();
    let ty = |var: Var| fun.vars[var].ty.clone();
    let params = others.iter().enumerate().map(|(index, param)| {
        let external = External::Transparent(ty(param.var), param.consumed);
        (format!("p{index}").into(), external)
    });
    let parts: Vec<Type> = fun.results[result_sizes(fun)..].iter().map(|var| ty(*var)).collect();
    let result = match <[Type; 1]>::try_from(parts) {
        Ok([ty]) => External::Transparent(ty, false),
        Err(parts) => {
            let field = |(index, ty): (usize, &Type)| Field {
                name: index.to_string().into(),
                ty: External::Transparent(ty.clone(), false),
            };
            let kind = OpaqueKind::Record(parts.iter().enumerate().map(field).collect());
            External::Opaque(OpaqueType { name: format!("of_{name}").into(), parts, kind }, false)
        }
    };
    let params = params.collect();
    let (sources, sinks, attrs) = (Vec::new(), Vec::new(), Vec::new());
    let entry =
        Entry { name: name.into(), fun: id, params, result, sources, sinks, attrs, doc: None };
    prog.entries.push(entry);
}

/// How many of the results are sizes of others, which come first.
pub(super) fn result_sizes(fun: &Fun) -> usize {
    let types: Vec<Type> = fun.results.iter().map(|var| fun.vars[*var].ty.clone()).collect();
    fun.results.iter().take_while(|var| mentions(&types, **var)).count()
}

/// How many of the parameters are sizes of others, which come first.
pub(super) fn param_sizes(fun: &Fun) -> usize {
    let types: Vec<Type> = fun.params.iter().map(|param| fun.vars[param.var].ty.clone()).collect();
    fun.params.iter().take_while(|param| mentions(&types, param.var)).count()
}

fn mentions(types: &[Type], size: Var) -> bool {
    types.iter().any(|ty| ty.shape().contains(&Atom::Var(size)))
}

/// Arrays of units are made inside, and are no results.
fn without_units(fun: &mut Fun) {
    let mut made = Vec::new();
    let vars = &fun.vars;
    fun.params.retain(|param| match &vars[param.var].ty {
        Type::Array(Elem::Unit, shape) => {
            let exp = Exp::Replicate(shape.clone(), Atom::Const(Scalar::Unit));
            made.push(Stm::new(vec![param.var], exp));
            false
        }
        Type::Array(Elem::Prim(_), _) | Type::Scalar(_) | Type::Acc(_) => true,
    });
    fun.body.stms.splice(0..0, made);
    let pairs: Vec<(Var, Atom)> = fun
        .results
        .iter()
        .copied()
        .zip(fun.body.results.iter().copied())
        .filter(|(var, _)| fun.vars[*var].ty.elem() != Some(Elem::Unit))
        .collect();
    (fun.results, fun.body.results) = pairs.into_iter().unzip();
    if fun.results.is_empty() {
        // What is left to see is whether it fails.
        let var = fun.vars.push(VarInfo { hint: "r".into(), ty: Type::I64 });
        fun.results.push(var);
        fun.body.results.push(Atom::i64(0));
    }
}

/// Renames functions and constants of a program that is put after another one.
struct Shift {
    funs: usize,
    consts: usize,
}

impl Shift {
    fn fun(&self, id: FunId) -> FunId {
        FunId::from_index(id.index() + self.funs)
    }
}

impl VisitMut for Shift {
    fn exp(&mut self, exp: &mut Exp) {
        if let Exp::Call(id, _) = exp {
            *id = self.fun(*id);
        } else if let Exp::Const(id) = exp {
            *id = ConstId::from_index(id.index() + self.consts);
        }
        walk_exp_mut(self, exp);
    }
}

/// Looks for what may fail.
struct Checks(bool);

impl Checks {
    fn are_in(body: &fehu_ir::Body) -> bool {
        let mut look = Checks(false);
        look.body(body);
        look.0
    }
}

impl Visit for Checks {
    fn exp(&mut self, exp: &Exp) {
        self.0 |= matches!(exp, Exp::Assert(..) | Exp::Fail(_));
        walk_exp(self, exp);
    }
}
