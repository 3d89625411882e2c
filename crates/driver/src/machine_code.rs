//! Machine code of this process: that of `fehu-jit`. In WebAssembly a program cannot make any: the compiler is the same
//! there without it.

#[cfg(not(target_family = "wasm"))]
pub(crate) use fehu_jit::{Call, Jit, Threads};
#[cfg(target_family = "wasm")]
pub(crate) use none::{Call, Jit, Threads};

/// Whether there is any.
pub(crate) const EXISTS: bool = !cfg!(target_family = "wasm");

#[cfg(target_family = "wasm")]
mod none {
    use fehu_interp::{Error, ErrorKind, Value};
    use fehu_ir::{ConstId, FunId, Prog};
    use std::fmt;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    /// When loops are shared, and by how many.
    #[derive(Debug)]
    pub enum Threads {
        /// Where it pays.
        WhereItPays,
        /// Always, by so many.
        Always(usize),
    }

    /// A program that cannot be called.
    #[derive(Debug)]
    pub struct Jit(Box<fehu_imp::Program>);

    /// What a call has to do with the world.
    #[derive(Default)]
    pub struct Call<'a> {
        /// Set from outside to end it.
        pub interrupt: Option<Arc<AtomicBool>>,
        /// Receives what the program traces.
        pub sink: Option<&'a mut (dyn FnMut(&str, &Value) + Send)>,
        /// The most bytes that its blocks may have together, if there is a limit.
        pub most_bytes: Option<u64>,
    }

    impl Jit {
        /// A program in the core IR, and as imp code for one thread.
        pub fn new(_: Box<Prog>, program: Box<fehu_imp::Program>, _: Threads) -> Jit {
            Jit(program)
        }

        /// Says that it cannot be called.
        pub fn call(&self, _: FunId, _: &[Value], _: Call<'_>) -> Result<Vec<Value>, Error> {
            Err(refused())
        }

        /// Says that it has no constants.
        pub fn set_constant(&self, _: ConstId, _: &[Value]) -> Result<(), Error> {
            Err(refused())
        }

        /// Nothing is ever computed.
        pub fn constant(&self, _: ConstId) -> Option<Result<Vec<Value>, Error>> {
            None
        }
    }

    fn refused() -> Error {
        let message = "there is no machine code in WebAssembly; only the interpreter runs programs";
        Error { kind: ErrorKind::Resource, message: message.to_owned(), trace: Vec::new() }
    }

    impl fmt::Display for Jit {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.fmt(f)
        }
    }
}
