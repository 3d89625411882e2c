//! Blocks, and a record of all reads and writes in them. Also used by machines of later stages.

use super::{Fault, Limits, Res, wrong};
use fehu_base::Prim;
use fehu_ir::Scalar;
use rustc_hash::FxHashMap;

/// A position in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mem {
    /// The number of the block.
    pub block: usize,
    /// Addresses are counted from this element.
    pub base: i64,
}

/// All blocks that ever existed, and the active parallel operators.
pub struct Store {
    blocks: Vec<Block>,
    levels: Vec<Level>,
    steps: u64,
    elements: usize,
    limits: Limits,
    /// How accesses are recorded at the moment.
    mode: Mode,
    /// Whether several iterations may write the same value to an element.
    pub lenient: bool,
}

struct Block {
    elements: Vec<Scalar>,
    alive: bool,
}

/// A parallel operator under way.
struct Level {
    accesses: FxHashMap<(usize, usize), Access>,
    /// The iteration that is being executed.
    iteration: i64,
    /// The blocks from here on belong to the iteration.
    born: usize,
}

/// What iterations have done to an element.
#[derive(Clone, Copy, Default)]
struct Access {
    reader: Who,
    writer: Who,
    contributor: Who,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Who {
    #[default]
    Nobody,
    One(i64),
    Several,
}

/// How an access is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// As a read or write.
    Plain,
    /// As a contribution, of which there may be several to one element.
    Contribution,
    /// Not at all: for operations that happen in order, whatever is parallel around them.
    Quiet,
}

impl Who {
    fn others(self, iteration: i64) -> bool {
        match self {
            Who::Nobody => false,
            Who::One(other) => other != iteration,
            Who::Several => true,
        }
    }

    fn add(&mut self, iteration: i64) {
        *self = match *self {
            Who::Nobody => Who::One(iteration),
            Who::One(other) if other == iteration => Who::One(other),
            Who::One(_) | Who::Several => Who::Several,
        };
    }
}

impl Store {
    /// An empty store.
    pub fn new(limits: Limits) -> Store {
        Store {
            blocks: Vec::new(),
            levels: Vec::new(),
            steps: 0,
            elements: 0,
            limits,
            mode: Mode::Plain,
            lenient: false,
        }
    }

    /// Counts a step.
    pub fn step(&mut self) -> Res<()> {
        self.steps += 1;
        if self.steps > self.limits.steps { Err(Fault::Limit) } else { Ok(()) }
    }

    /// A new block with these elements.
    pub fn filled(&mut self, elements: Vec<Scalar>) -> Res<usize> {
        self.elements = self.elements.saturating_add(elements.len());
        self.blocks.push(Block { elements, alive: true });
        if self.elements > self.limits.elements {
            Err(Fault::Limit)
        } else {
            Ok(self.blocks.len() - 1)
        }
    }

    /// A new block filled with garbage.
    pub fn fresh(&mut self, elem: Prim, count: i64) -> Res<usize> {
        // A negative size is that of an array which is not there; a check has failed.
        let count = usize::try_from(count).unwrap_or(0);
        if self.elements.saturating_add(count) > self.limits.elements {
            return Err(Fault::Limit);
        }
        self.filled(vec![nonsense(elem); count])
    }

    /// A block ends.
    pub fn end(&mut self, block: usize) {
        let block = &mut self.blocks[block];
        block.alive = false;
        self.elements -= block.elements.len();
        block.elements = Vec::new();
    }

    /// The element at an address.
    pub fn read(&mut self, mem: Mem, at: i64) -> Res<Scalar> {
        let at = self.checked(mem, at)?;
        let (mode, key) = (self.mode, (mem.block, at));
        for level in self.levels.iter_mut().filter(|level| mem.block < level.born) {
            let access = level.accesses.entry(key).or_default();
            match mode {
                // What contributions read of their destination, they write.
                Mode::Quiet | Mode::Contribution => {}
                Mode::Plain => {
                    access.reader.add(level.iteration);
                    if access.writer.others(level.iteration)
                        || access.contributor.others(level.iteration)
                    {
                        return Err(race(key, level.iteration, "reads"));
                    }
                }
            }
        }
        Ok(self.blocks[mem.block].elements[at])
    }

    /// The element at an address becomes this.
    pub fn write(&mut self, mem: Mem, at: i64, value: Scalar) -> Res<()> {
        let at = self.checked(mem, at)?;
        let (mode, key) = (self.mode, (mem.block, at));
        let same = self.lenient && self.blocks[mem.block].elements[at] == value;
        for level in self.levels.iter_mut().filter(|level| mem.block < level.born) {
            let access = level.accesses.entry(key).or_default();
            let met = access.reader.others(level.iteration)
                || access.writer.others(level.iteration) && !same;
            let contributed = access.contributor.others(level.iteration);
            match mode {
                Mode::Quiet => {}
                Mode::Contribution if met => return Err(race(key, level.iteration, "adds to")),
                Mode::Contribution => access.contributor.add(level.iteration),
                Mode::Plain if met || contributed => {
                    return Err(race(key, level.iteration, "writes"));
                }
                Mode::Plain => access.writer.add(level.iteration),
            }
        }
        let element = &mut self.blocks[mem.block].elements[at];
        if element.elem() != value.elem() {
            return Err(wrong("an element gets a value of another type"));
        }
        *element = value;
        Ok(())
    }

    fn checked(&mut self, mem: Mem, at: i64) -> Res<usize> {
        self.step()?;
        let block = &self.blocks[mem.block];
        if !block.alive {
            return Err(wrong(format!("block {} is used after its end", mem.block)));
        }
        let address = mem.base.checked_add(at).and_then(|at| usize::try_from(at).ok());
        address.filter(|at| *at < block.elements.len()).ok_or_else(|| {
            wrong(format!(
                "element {at} from {} on is outside of block {}, which has {}",
                mem.base,
                mem.block,
                block.elements.len()
            ))
        })
    }

    /// A parallel operator begins.
    pub fn enter(&mut self) {
        let born = self.blocks.len();
        self.levels.push(Level { accesses: FxHashMap::default(), iteration: 0, born });
    }

    /// Its next iteration begins.
    pub fn iteration(&mut self, iteration: i64) {
        let born = self.blocks.len();
        if let Some(level) = self.levels.last_mut() {
            (level.iteration, level.born) = (iteration, born);
        }
    }

    /// The innermost parallel operator ends.
    pub fn leave(&mut self) {
        self.levels.pop();
    }

    /// How the next accesses are recorded. What is quiet stays so.
    pub fn set_mode(&mut self, mode: Mode) -> Mode {
        let old = self.mode;
        if old != Mode::Quiet {
            self.mode = mode;
        }
        old
    }

    /// Back to what it was.
    pub fn restore_mode(&mut self, mode: Mode) {
        self.mode = mode;
    }
}

fn race((block, at): (usize, usize), iteration: i64, what: &str) -> Fault {
    wrong(format!(
        "a race: iteration {iteration} {what} element {at} of block {block}, which another iteration uses"
    ))
}

/// A number that nobody expects.
fn nonsense(elem: Prim) -> Scalar {
    Scalar::from_bits(elem, 0x5bad_c0de_5bad_c0de)
}
