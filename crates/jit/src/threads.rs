//! Loops by several threads.
//!
//! Code calls [`run`] for a loop whose iterations have nothing to do with each other, with a *task*: a function for a
//! range of them, which `outline` has made. A short loop is over before other threads would notice, so the beginning of
//! it is executed and measured, and only if the rest takes long it is shared. Each thread takes the next range until
//! there is none left. What comes out is the same by any number of threads, because no sum is divided: such loops only
//! write to memory, each iteration to places of its own. Of several checks that fail, the one counts that would have
//! failed first.
//!
//! A thread has a [`Machine`] of its own, with its own blocks: tasks count no references of blocks that are not theirs.
//! Threads begin with the first loop that is shared, and end with the program.

use crate::Call;
use crate::context::{Context, Machine, SUCCESS, Texts};
use crate::raw::{self, Task};
use fehu_interp::Error;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A loop that takes less time is not shared: that costs some microseconds for each thread.
const LONG: Duration = Duration::from_micros(100);

/// A loop with fewer cycles, by an estimate, is not even measured.
const FEW_CYCLES: i64 = 20_000;

/// The part of a loop that is measured.
const MEASURED: i64 = 64;

/// How many ranges there are for each thread, so that those that finish early take some more.
const RANGES: i64 = 8;

/// The stack of a thread. Tasks call no functions that call themselves.
const STACK_BYTES: usize = 16 << 20;

/// When loops are shared, and by how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threads {
    /// By as many threads as the machine has processors, where it pays.
    WhereItPays,
    /// Always, by so many: for tests.
    Always(usize),
}

/// A loop: `for var = from .. to by step`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    pub(crate) task: Task,
    /// Where the values are that it needs from outside.
    pub(crate) env: u64,
    pub(crate) from: i64,
    pub(crate) to: i64,
    pub(crate) step: i64,
    /// About how many cycles an iteration takes.
    pub(crate) cycles: i64,
}

impl Loop {
    fn count(&self) -> i64 {
        let span = self.to.saturating_sub(self.from).max(0);
        span / self.step + i64::from(span % self.step != 0)
    }

    /// Executes some iterations, by their numbers.
    fn range(&self, context: &mut Context<'_>, first: i64, end: i64) -> i32 {
        let low = self.from + first * self.step;
        let high = if end == self.count() { self.to } else { self.from + end * self.step };
        raw::call_task(self.task, context, self.env, low, high)
    }
}

/// The threads of a program, and what is known about its loops.
#[derive(Default)]
pub(crate) struct Workers {
    pub(crate) threads: Option<Threads>,
    /// Where they take their jobs from, as far as they have begun.
    waiting: Vec<Sender<Arc<Job>>>,
    /// How long an iteration of a loop has taken, in nanoseconds.
    known: FxHashMap<Task, f64>,
}

/// Executes a loop.
pub(crate) fn run(context: &mut Context<'_>, this: Loop) -> i32 {
    let count = this.count();
    let workers = &context.machine.workers;
    let threads = match workers.threads {
        Some(Threads::Always(threads)) => threads,
        Some(Threads::WhereItPays) if this.cycles.saturating_mul(count) >= FEW_CYCLES => {
            std::thread::available_parallelism().map_or(1, |threads| threads.get())
        }
        // Threads that work for others do so alone.
        Some(Threads::WhereItPays) | None => 1,
    };
    if threads < 2 || count < 2 {
        return this.range(context, 0, count);
    }
    let mut done = 0;
    if let Some(Threads::WhereItPays) = workers.threads {
        let each = match workers.known.get(&this.task) {
            Some(each) => *each,
            None => {
                done = (count / MEASURED).max(1);
                let start = Instant::now();
                let code = this.range(context, 0, done);
                if code != SUCCESS {
                    return code;
                }
                let each = start.elapsed().as_nanos() as f64 / done as f64;
                context.machine.workers.known.insert(this.task, each);
                each
            }
        };
        let rest = each * (count - done) as f64;
        if rest < LONG.as_nanos() as f64 {
            return this.range(context, done, count);
        }
    }
    share(context, this, done, threads)
}

/// Executes the iterations from one on by several threads, this one among them.
fn share(context: &mut Context<'_>, this: Loop, first: i64, threads: usize) -> i32 {
    let helpers = threads - 1;
    let rest = this.count() - first;
    let job = Arc::new(Job {
        this,
        next: AtomicI64::new(first),
        size: (rest / (threads as i64 * RANGES)).max(1),
        stop: context.stop_flag(),
        texts: Arc::clone(&context.machine.texts),
        // What others need is not known; together they may have what is left.
        limit: context.machine.pool.left().map(|left| left / threads as u64),
        state: Mutex::new(State { working: helpers, failure: None }),
        all_done: Condvar::new(),
    });
    let workers = &mut context.machine.workers;
    while workers.waiting.len() < helpers {
        let (give, take) = channel();
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        if thread.spawn(move || work(&take)).is_err() {
            break;
        }
        workers.waiting.push(give);
    }
    let mut missing = helpers;
    for worker in workers.waiting.iter().take(helpers) {
        missing -= usize::from(worker.send(Arc::clone(&job)).is_ok());
    }
    job.state().working -= missing;
    let own = workers.threads.take();
    job.work(context);
    context.machine.workers.threads = own;
    let mut state = job.state();
    while state.working > 0 {
        state = job.all_done.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    match state.failure.take() {
        None => SUCCESS,
        Some((_, error)) => context.fail_as(error),
    }
}

/// A loop that is shared.
struct Job {
    this: Loop,
    /// The next iteration that nobody has taken.
    next: AtomicI64,
    /// How many are taken at once.
    size: i64,
    stop: Arc<AtomicBool>,
    texts: Arc<Texts>,
    limit: Option<u64>,
    state: Mutex<State>,
    all_done: Condvar,
}

struct State {
    /// How many threads have not finished, besides the one that waits for them.
    working: usize,
    /// The failure of the first iterations of all that failed, and their number.
    failure: Option<(i64, Option<Error>)>,
}

impl Job {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes ranges until there are none left, or one has failed: those before it have been taken.
    fn work(&self, context: &mut Context<'_>) {
        let count = self.this.count();
        loop {
            let first = self.next.fetch_add(self.size, Ordering::Relaxed);
            if first >= count {
                return;
            }
            let code = self.this.range(context, first, (first + self.size).min(count));
            if code != SUCCESS {
                self.next.store(count, Ordering::Relaxed);
                let mut state = self.state();
                if state.failure.as_ref().is_none_or(|(other, _)| first < *other) {
                    state.failure = Some((first, context.failure.take()));
                }
                return;
            }
        }
    }
}

/// What a thread does until the program ends.
fn work(jobs: &Receiver<Arc<Job>>) {
    let mut machine = Machine::default();
    for job in jobs {
        machine.texts = Arc::clone(&job.texts);
        let call = Call { most_bytes: job.limit, ..Call::default() };
        job.work(&mut Context::new(&mut machine, call, Arc::clone(&job.stop), STACK_BYTES));
        machine.texts = Arc::default();
        job.state().working -= 1;
        job.all_done.notify_one();
    }
}
