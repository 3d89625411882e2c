//! `emit`: from the IR with memory to imp.
//!
//! Every operation becomes the loop that it stands for; the table of [`fehu_mem::table`] says where arrays are.
//! Statements keep their order, and nothing is decided here about memory: if an array is not where it is needed, it is
//! copied.
//!
//! The IR says who executes each operator: Segs become tasks or kernels, and all other operators are loops. [`runs`] says
//! who executes the code that is being emitted.
//!
//! Files: `index` has addresses; `scalar` operations on numbers; `array` operations that create or copy a single array;
//! `control` branches, loops and calls; `foreign` calls of functions in other languages; `screma` map, reduce and scan;
//! `epilogue` what a scan does with its elements; `write` histograms, scatters, partitions and accumulators;
//! `strip_mine` vectorised scans and histograms; `release` where blocks are released; `cheap` what may be executed
//! twice; `runs` who executes the code; `tasks`, `bins` and `rows` code for several threads; `combine` partial results,
//! at all levels; `grid` code for a device; `tuning` numbers that users may choose; `work` what profiles are told.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

mod array;
mod bins;
mod combine;
mod control;
mod dealt;
mod epilogue;
mod foreign;
mod grid;
mod index;
mod partition;
mod release;
mod rows;
mod runs;
mod scalar;
mod screma;
mod strip_mine;
mod tasks;
mod tuning;
mod work;
mod write;

use ecow::EcoString;
use fehu_base::id::Id;
use fehu_base::{IdVec, OrBug, Prim, bug};
use fehu_imp::{
    Asked, Block, Constant, Exp, From, Fun, FunId, Kind, Program, Stm, Tile, Ty, V, VarInfo,
};
use fehu_ir::{self as ir, AccInput, Atom, Body, Elem, Level, Stage, Type, Var};
use fehu_mem::lmad::Lmad;
use fehu_mem::table::{BlockId, Moment, Origin, Place, Placed, Table, contents_of};
use runs::Runs;
use rustc_hash::{FxHashMap, FxHashSet};

/// Options.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether arrays are in the memory of a device, and operators of the host become kernels.
    pub device: bool,
    /// The most threads of a block, if the devices that there may be have more than all are assumed to have.
    pub block_threads: u32,
    /// Whether sums of floats keep their order.
    pub strict_float: bool,
    /// Whether matrix products and the like have tiles, where Segs say so.
    pub tiling: bool,
    /// Whether kernels have few threads with few elements each, so that small arrays are work for several blocks: for
    /// tests.
    pub few: bool,
    /// Whether the program says what its operators do, for profiles.
    pub profiled: bool,
}

/// Translates a program.
pub fn emit(placed: &Placed, options: Options) -> Program {
    let mut program = Program { tuning: tuning::parameters(&placed.prog), ..Program::default() };
    let numbers = program.tuning.iter().enumerate();
    let tuning: FxHashMap<EcoString, usize> =
        numbers.map(|(number, param)| (param.name.clone(), number)).collect();
    let called =
        if options.device { grid::called_by_kernels(&placed.prog) } else { FxHashSet::default() };
    let needed = foreign::needed(&placed.prog, options);
    for (id, fun) in placed.prog.funs.iter() {
        if !needed.contains(&id) {
            program.funs.push(removed());
            continue;
        }
        let params: Vec<Var> = fun.params.iter().map(|param| param.var).collect();
        let mut emit = Emit::new(placed, &fun.vars, &placed.funs[id], options, program.sites);
        emit.tuning = tuning.clone();
        if called.contains(&id) {
            // Functions called by kernels are executed by one thread.
            emit.runs = Runs::ALONE;
        }
        let made = emit.function(&fun.name, &params, &fun.results, &fun.body);
        program.sites = emit.sites;
        program.funs.push(made);
    }
    for (id, constant) in placed.prog.consts.iter() {
        let mut emit =
            Emit::new(placed, &constant.vars, &placed.consts[id], options, program.sites);
        emit.tuning = tuning.clone();
        let made = emit.function(&constant.name, &[], &constant.results, &constant.body);
        program.sites = emit.sites;
        let fun = program.funs.push(made);
        program.consts.push(Constant { fun });
    }
    rename(&mut program);
    program
}

/// In the place of a function that nobody calls.
fn removed() -> Fun {
    let (name, vars) = (EcoString::new(), IdVec::default());
    Fun { name, vars, params: Vec::new(), results: Vec::new(), body: Block::new() }
}

/// Gives functions distinct names that are identifiers.
fn rename(program: &mut Program) {
    let mut taken: FxHashMap<EcoString, usize> = FxHashMap::default();
    for fun in program.funs.values_mut().filter(|fun| !fun.name.is_empty()) {
        let plain: String =
            fun.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let plain = EcoString::from(plain);
        let count = taken.entry(plain.clone()).or_default();
        fun.name = if *count == 0 { plain } else { ecow::eco_format!("{plain}_{count}") };
        *count += 1;
    }
}

/// Which positions of an operator a thread of a CPU executes together.
#[derive(Clone, Default)]
struct Together {
    /// As lanes of vectors, which the operator here asks for.
    lanes: Option<Asked>,
    /// In tiles.
    tile: Option<Tile>,
}

impl Together {
    /// What a Seg at this place says about its operator.
    fn of(seg: &ir::Seg, has_tiles: bool, place: &EcoString) -> Together {
        let dims = match seg.tiling.as_ref().filter(|_| has_tiles) {
            Some(ir::Tiling::Fold(tiling)) => Some(tiling.dims.len()),
            Some(ir::Tiling::Windows(_)) | None => None,
        };
        let tile = match (seg.level, dims) {
            (Level::Task | Level::Thread, Some(1)) => Some(Tile::Columns),
            (Level::Task | Level::Thread, Some(_)) => Some(Tile::Square),
            (Level::Grid | Level::Blocks | Level::Warps | Level::Block, Some(_)) | (_, None) => {
                None
            }
        };
        Together { lanes: seg.lanes.then(|| Asked(place.clone())), tile }
    }

    /// The kind of a loop over the positions, if it would be this one otherwise.
    fn kind(&self, kind: Kind) -> Kind {
        let kind = match &self.lanes {
            Some(asked) => kind.in_lanes(asked.clone()),
            None => kind,
        };
        match self.tile {
            Some(tile) => kind.in_tiles(tile),
            None => kind,
        }
    }
}

/// The work on one function.
struct Emit<'a> {
    placed: &'a Placed,
    ir: &'a IdVec<Var, ir::VarInfo>,
    table: &'a Table,
    options: Options,
    vars: IdVec<V, VarInfo>,
    /// What the scalars of the IR are represented by: constants or variables.
    scalars: FxHashMap<Var, Exp>,
    /// What some variables are in terms of others, which have one value each: see [`index`].
    linear: FxHashMap<V, index::Terms>,
    /// What blocks are represented by.
    blocks: FxHashMap<BlockId, Mem>,
    /// The blocks that are allocated before the statement that binds a variable.
    allocations: FxHashMap<Var, Vec<BlockId>>,
    /// The inputs of the existing accumulators, by their certificates.
    accs: FxHashMap<Var, &'a AccInput>,
    /// Those that a block of threads of a device has for itself.
    own_accs: FxHashMap<Var, grid::OwnAcc<'a>>,
    /// Elements that the threads of a block have copied to shared memory, by the variables that are bound to them.
    in_boxes: FxHashMap<Var, grid::InBox>,
    /// The conditions of branches whose values are known.
    known_guards: FxHashMap<Var, bool>,
    /// The statements of the current block.
    out: Block,
    /// Who executes the code.
    runs: Runs,
    /// Which positions of the current operator are executed together.
    together: Together,
    /// Whether statements are marked for profiles: not in operators that are.
    marks: bool,
    /// Whether the program is one for several threads of a CPU.
    parallel: bool,
    sites: usize,
    /// The source location of the current statement.
    loc: EcoString,
    /// The numbers of tuning parameters.
    tuning: FxHashMap<EcoString, usize>,
    /// The epilogues of scans, by the first variables that the scans bind.
    epilogues: FxHashMap<Var, epilogue::Epilogue<'a>>,
}

/// A block at run time.
#[derive(Clone, Copy, Debug)]
struct Mem {
    /// A pointer to its beginning, or a local array.
    ptr: V,
    /// Its handle; none if it is local or certainly outlives its uses.
    handle: Option<V>,
}

impl<'a> Emit<'a> {
    fn new(
        placed: &'a Placed,
        ir: &'a IdVec<Var, ir::VarInfo>,
        table: &'a Table,
        options: Options,
        sites: usize,
    ) -> Emit<'a> {
        let mut allocations: FxHashMap<Var, Vec<BlockId>> = FxHashMap::default();
        for (id, block) in table.blocks.iter() {
            if let Origin::Fresh { before, .. } = &block.origin {
                allocations.entry(*before).or_default().push(id);
            }
        }
        Emit {
            placed,
            ir,
            table,
            options,
            vars: IdVec::default(),
            scalars: FxHashMap::default(),
            linear: FxHashMap::default(),
            blocks: FxHashMap::default(),
            allocations,
            accs: FxHashMap::default(),
            own_accs: FxHashMap::default(),
            in_boxes: FxHashMap::default(),
            known_guards: FxHashMap::default(),
            out: Block::new(),
            runs: Runs::Host,
            together: Together::default(),
            marks: options.profiled,
            parallel: placed.prog.stage == Stage::Segs && !options.device,
            sites,
            loc: EcoString::new(),
            tuning: FxHashMap::default(),
            epilogues: FxHashMap::default(),
        }
    }

    fn function(
        &mut self,
        name: &EcoString,
        params: &[Var],
        results: &[Var],
        body: &'a Body,
    ) -> Fun {
        let params = params.iter().filter_map(|param| self.param(*param)).collect();
        // What is where an argument is needs no handle.
        let is_returned = |k: usize| self.table.returned.get(k).is_none_or(|param| param.is_none());
        let is_returned: Vec<bool> = (0..results.len()).map(is_returned).collect();
        let results: Vec<Option<V>> = results
            .iter()
            .zip(is_returned)
            .map(|(result, is_returned)| self.result(*result).filter(|_| is_returned))
            .collect();
        self.body(body);
        for (result, atom) in results.iter().zip(&body.results) {
            let Some(result) = *result else { continue };
            match self.place_of(*atom) {
                Some(place) => {
                    let mem = self.mem(place.block);
                    let index = self.poly(&place.lmad.offset);
                    self.out.push(Stm::Export {
                        to: result,
                        block: mem.handle,
                        ptr: mem.ptr,
                        index,
                    });
                }
                None => {
                    let value = self.atom(*atom);
                    self.out.push(Stm::Assign(result, value));
                }
            }
        }
        Fun {
            name: name.clone(),
            vars: std::mem::take(&mut self.vars),
            params,
            results: results.into_iter().flatten().collect(),
            body: std::mem::take(&mut self.out),
        }
    }

    fn param(&mut self, var: Var) -> Option<V> {
        if let Some(place) = self.table.place(var) {
            let elem = self.table.blocks[place.block].elem;
            let handle = self.new_var(&hinted(&self.ir[var].hint, "_mem"), Ty::Mem);
            let ptr = self.new_var(&self.ir[var].hint, Ty::ptr(elem));
            self.out.push(Stm::Declare(ptr, None));
            self.out.push(Stm::Point(ptr, From::Mem(handle), Exp::int(0)));
            self.blocks.insert(place.block, Mem { ptr, handle: Some(handle) });
            return Some(handle);
        }
        let Type::Scalar(Elem::Prim(prim)) = self.ir[var].ty else { return None };
        let v = self.new_var(&self.ir[var].hint, Ty::Scalar(prim));
        self.scalars.insert(var, Exp::Var(v));
        Some(v)
    }

    fn result(&mut self, var: Var) -> Option<V> {
        let ty = match &self.ir[var].ty {
            Type::Scalar(Elem::Prim(prim)) => Ty::Scalar(*prim),
            Type::Array(Elem::Prim(_), _) => Ty::Mem,
            Type::Scalar(Elem::Unit) | Type::Array(Elem::Unit, _) | Type::Acc(_) => return None,
        };
        Some(self.new_var("result", ty))
    }

    /// Emits the statements of a body.
    fn body(&mut self, body: &'a Body) {
        let around = std::mem::take(&mut self.together);
        for stm in &body.stms {
            self.stm(stm);
            self.release(&stm.pat, Moment::After);
        }
        self.together = around;
    }

    /// Emits into a block of its own.
    fn block(&mut self, work: impl FnOnce(&mut Self)) -> Block {
        let outer = std::mem::take(&mut self.out);
        work(self);
        std::mem::replace(&mut self.out, outer)
    }

    fn stm(&mut self, stm: &'a ir::Stm) {
        self.profiled(stm, |this| this.stm_itself(stm));
    }

    fn stm_itself(&mut self, stm: &'a ir::Stm) {
        self.allocate_for(stm);
        if let Some(loc) = &stm.loc {
            self.loc = loc.0.clone();
        }
        if let ir::Exp::Seg(seg) = &stm.exp {
            return self.seg(&stm.pat, seg);
        }
        if self.runs.block().is_some() {
            return self.stm_cooperative(stm);
        }
        self.plain_stm(stm);
    }

    fn seg(&mut self, pat: &'a [Var], seg: &'a ir::Seg) {
        let together = Together::of(seg, self.options.tiling, &self.loc);
        let around = std::mem::replace(&mut self.together, together);
        match seg.level {
            Level::Task => self.seg_in_tasks(pat, seg),
            Level::Thread => self.seg_here(pat, seg),
            Level::Grid | Level::Blocks | Level::Warps | Level::Block => {
                self.seg_on_device(pat, seg);
            }
        }
        self.together = around;
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others have a single result")]
    fn plain_stm(&mut self, stm: &'a ir::Stm) {
        match &stm.exp {
            ir::Exp::If(cond, bodies) => match self.in_box_alone(&stm.pat) {
                Some((var, value)) => self.bind(var, value),
                None => self.if_(&stm.pat, *cond, bodies),
            },
            ir::Exp::Switch(on, switch) => self.switch(&stm.pat, *on, switch),
            ir::Exp::Loop(params, form, body) => self.loop_(&stm.pat, params, *form, body),
            ir::Exp::Call(fun, args) => self.call(&stm.pat, *fun, args),
            ir::Exp::Const(id) => self.constant(&stm.pat, *id),
            ir::Exp::Fail(check) => self.fail(&stm.pat, check),
            ir::Exp::Screma(op) => self.screma_here(&stm.pat, op),
            ir::Exp::Hist(op) => self.hist_here(&stm.pat, op),
            ir::Exp::Scatter(op) => self.scatter_here(&stm.pat, op),
            ir::Exp::Partition(op) => self.partition(&stm.pat, op),
            ir::Exp::WithAcc(inputs, lambda) => self.with_acc(&stm.pat, inputs, lambda),
            ir::Exp::UpdateAcc(acc, indices, values) => self.update_acc(*acc, indices, values),
            ir::Exp::Tuning(name, standard) => self.tuning(&stm.pat, name, *standard),
            ir::Exp::Threads => self.number_of_threads(&stm.pat),
            ir::Exp::Stream(_) => bug("streams become loops before memory is assigned"),
            ir::Exp::Diff(_) => bug("derivatives are taken before memory is assigned"),
            ir::Exp::Flatmap(_) => bug("flatmaps are written out before memory is assigned"),
            exp => match stm.pat.as_slice() {
                [var] => self.single(*var, exp),
                pat => bug(format_args!("{} variables for one result", pat.len())),
            },
        }
    }

    /// Starts the lifetime of the blocks that a statement needs.
    fn allocate_for(&mut self, stm: &ir::Stm) {
        for var in &stm.pat {
            for block in self.allocations.get(var).cloned().unwrap_or_default() {
                self.allocate(block);
            }
        }
    }

    /// Starts the lifetime of a block.
    fn allocate(&mut self, id: BlockId) {
        let block = &self.table.blocks[id];
        let Origin::Fresh { size, .. } = &block.origin else {
            bug(format_args!("{id:?} is not allocated: {:?}", block.origin))
        };
        if let Some(size) = self.table.local_size(id)
            && !self.is_beside_device()
        {
            let size = u32::try_from(size.max(1)).ok().or_bug("room for a local array");
            let ptr = self.new_var(&block.hint, Ty::Local(block.elem, size));
            self.out.push(Stm::Declare(ptr, None));
            self.blocks.insert(id, Mem { ptr, handle: None });
            return;
        }
        let mut count = Exp::int(1);
        for size in size {
            count = self.product(count, *size);
        }
        let mem = self.declare_mem(id);
        if let Some(handle) = mem.handle {
            self.out.push(Stm::Alloc(handle, block.elem, count));
            self.out.push(Stm::Point(mem.ptr, From::Mem(handle), Exp::int(0)));
        }
    }

    /// A handle and a pointer for a block.
    fn declare_mem(&mut self, id: BlockId) -> Mem {
        let block = &self.table.blocks[id];
        let handle = self.new_var(&hinted(&block.hint, "_mem"), Ty::Mem);
        let ptr = self.new_var(&block.hint, Ty::ptr(block.elem));
        self.out.push(Stm::Declare(handle, None));
        self.out.push(Stm::Declare(ptr, None));
        let mem = Mem { ptr, handle: Some(handle) };
        self.blocks.insert(id, mem);
        mem
    }

    /// A block that is known to exist.
    fn mem(&mut self, id: BlockId) -> Mem {
        match self.blocks.get(&id) {
            Some(mem) => *mem,
            // Only code that is never executed uses a block that was not allocated.
            None => self.declare_mem(id),
        }
    }

    /// Where an array is. Scalars have no place, nor have arrays without contents, those whose elements are computed where
    /// they are read, and those that only an epilogue reads.
    fn place(&self, var: Var) -> Option<&'a Place> {
        let place = self.table.place(var);
        if place.is_none() && contents_of(var, self.ir).is_some() && !self.needs_no_memory(var) {
            bug(format_args!("the array {} has no place", self.named(var)));
        }
        place
    }

    /// Whether the elements of an array are computed where they are read, or only read by an epilogue.
    fn needs_no_memory(&self, var: Var) -> bool {
        self.table.computed.contains_key(&var) || self.table.elided.contains(&var)
    }

    fn place_of(&self, atom: Atom) -> Option<&'a Place> {
        self.place(atom.var()?)
    }

    fn new_var(&mut self, hint: &str, ty: Ty) -> V {
        self.vars.push(VarInfo { hint: hint.into(), ty })
    }

    /// A new variable with a value.
    fn declare(&mut self, hint: &str, prim: Prim, value: Option<Exp>) -> V {
        let v = self.new_var(hint, Ty::Scalar(prim));
        self.out.push(Stm::Declare(v, value));
        v
    }

    /// The value of an expression as an operand: a variable or a constant.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is no operand gets a variable")]
    fn operand(&mut self, hint: &str, prim: Prim, exp: Exp) -> Exp {
        match exp {
            Exp::Const(_) | Exp::Var(_) => exp,
            other => Exp::Var(self.declare(hint, prim, Some(other))),
        }
    }

    /// A scalar of the IR gets a value.
    fn bind(&mut self, var: Var, value: Exp) {
        let Some(prim) = self.prim(var.into()) else {
            bug(format_args!("{} gets a value, but is no scalar", self.named(var)))
        };
        let value = self.operand(&self.ir[var].hint.clone(), prim, value);
        self.scalars.insert(var, value);
    }

    /// The operand, a scalar.
    fn atom(&self, atom: Atom) -> Exp {
        match atom {
            Atom::Const(scalar) => Exp::Const(scalar),
            Atom::Var(var) => match self.scalars.get(&var) {
                Some(value) => value.clone(),
                None => bug(format_args!("the value of {} is not known", self.named(var))),
            },
        }
    }

    /// The operand, if it is a scalar.
    fn value(&self, atom: Atom) -> Option<Exp> {
        self.prim(atom).map(|_| self.atom(atom))
    }

    /// A variable, as the text of the program has it.
    fn named(&self, var: Var) -> String {
        let hint = self.ir.get(var).map_or("?", |info| &info.hint);
        format!("\"{hint}_{}\"", var.index())
    }

    /// The type of a scalar operand; none for certificates and arrays.
    fn prim(&self, atom: Atom) -> Option<Prim> {
        match ir::builder::atom_type(atom, self.ir) {
            Type::Scalar(Elem::Prim(prim)) => Some(prim),
            Type::Scalar(Elem::Unit) | Type::Array(..) | Type::Acc(_) => None,
        }
    }

    /// The type of an operand that is a scalar with a value.
    fn prim_of(&self, atom: Atom) -> Prim {
        self.prim(atom).or_bug(format_args!("value of {atom:?}"))
    }

    fn fun_id(id: ir::FunId) -> FunId {
        FunId::from_index(id.index())
    }
}

/// A part of a place.
fn part_of(place: &Place, part: impl FnOnce(&Lmad) -> Option<Lmad>) -> Place {
    match part(&place.lmad) {
        Some(lmad) => Place { block: place.block, lmad },
        None => bug(format_args!("the indices of a part of {place:?} have too many terms")),
    }
}

fn hinted(hint: &str, suffix: &str) -> EcoString {
    ecow::eco_format!("{hint}{suffix}")
}
