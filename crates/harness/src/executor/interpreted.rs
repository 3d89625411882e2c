//! The interpreter as an executor.

use super::{Executor, Failure, Limit, Object, Res, Signature};
use fehu_data::Value;
use fehu_driver::run::{self, Compiled, RunError, type_name};
use fehu_ir::External;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

/// A program in the interpreter.
pub struct Interpreted {
    compiled: Compiled,
    objects: Vec<run::Object>,
    watch: Option<Watch>,
}

/// Interrupts the interpreter when the time is over, unless it is told before that the work is.
struct Watch {
    finished: Sender<()>,
    thread: JoinHandle<()>,
}

impl Interpreted {
    /// The executor of a compiled program.
    pub fn new(compiled: Compiled) -> Interpreted {
        Interpreted { compiled, objects: Vec::new(), watch: None }
    }

    fn add(&mut self, object: run::Object) -> Object {
        self.objects.push(object);
        let id = self.objects.len() - 1;
        Object { ty: self.objects[id].type_name(), id }
    }

    fn get(&self, object: &Object) -> Res<run::Object> {
        let found = self.objects.get(object.id).cloned();
        found.ok_or_else(|| Failure::Request("this value no longer exists".to_owned()))
    }

    /// The opaque type with this name.
    fn opaque(&self, name: &str) -> Option<External> {
        let entries = self.compiled.prog().into_iter().flat_map(|prog| &prog.entries);
        let mut types = entries
            .flat_map(|entry| entry.params.iter().map(|(_, ty)| ty).chain([&entry.result]))
            .filter_map(|ty| find(ty, name));
        types.next().cloned()
    }

    /// Runs the program; a panic is a failure.
    fn guarded<T>(&mut self, work: impl FnOnce(&mut Compiled) -> Result<T, RunError>) -> Res<T> {
        let compiled = &mut self.compiled;
        match panic::catch_unwind(AssertUnwindSafe(|| work(compiled))) {
            Ok(result) => result.map_err(|error| failure(&error)),
            Err(payload) => {
                let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
                let text = text.unwrap_or_default();
                Err(Failure::Broken(format!("the interpreter failed: {text}")))
            }
        }
    }
}

impl Executor for Interpreted {
    fn begin(&mut self, limit: Duration) {
        self.end();
        self.objects.clear();
        // There are no threads in WebAssembly; who has started it ends it.
        if cfg!(target_family = "wasm") {
            return;
        }
        let flag = Arc::new(AtomicBool::new(false));
        self.compiled.interp_mut().options_mut().interrupt = Some(Arc::clone(&flag));
        let (finished, waiting) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            // The other end is dropped when the work is over.
            if waiting.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                flag.store(true, Ordering::Relaxed);
            }
        });
        self.watch = Some(Watch { finished, thread });
    }

    fn end(&mut self) {
        if let Some(Watch { finished, thread }) = self.watch.take() {
            drop(finished);
            // It does nothing that could panic.
            let _ = thread.join();
        }
        self.compiled.interp_mut().options_mut().interrupt = None;
    }

    fn signature(&mut self, entry: &str) -> Res<Signature> {
        let entry = self.compiled.entry(entry).map_err(|error| failure(&error))?;
        let params = entry.params.iter().map(|(name, ty)| (name.to_string(), type_name(ty)));
        Ok(Signature { params: params.collect(), result: type_name(&entry.result) })
    }

    fn fields(&mut self, ty: &str) -> Res<Vec<(String, String)>> {
        let Some(External::Opaque(opaque, _)) = self.opaque(ty) else {
            return Ok(Vec::new());
        };
        Ok(opaque
            .columns()
            .iter()
            .map(|field| (field.name.to_string(), type_name(&field.ty)))
            .collect())
    }

    fn run(&mut self, entry: &str, values: &[Value]) -> Res<Object> {
        let result = self.guarded(|compiled| compiled.apply(entry, values.to_vec()))?;
        Ok(self.add(result))
    }

    fn call(&mut self, entry: &str, args: &[Object]) -> Res<Object> {
        let args = args.iter().map(|object| self.get(object)).collect::<Res<Vec<_>>>()?;
        let result = self.guarded(|compiled| compiled.call(entry, args))?;
        Ok(self.add(result))
    }

    fn put(&mut self, ty: &str, values: &[Value]) -> Res<Object> {
        let object = match (self.opaque(ty), values) {
            (Some(ty), values) => run::Object::from_values(&ty, values.to_vec()),
            (None, [value]) if value.value_type().to_string() == ty => {
                run::Object::from_value(value.clone())
            }
            (None, _) => Err(RunError::Arguments(format!("this is not a value of type {ty}"))),
        };
        let object = object.map_err(|error| failure(&error))?;
        Ok(self.add(object))
    }

    fn shows(&mut self, _: &str) -> Res<bool> {
        Ok(true)
    }

    fn values(&mut self, object: &Object) -> Res<Vec<Value>> {
        self.get(object)?.into_values().map_err(|error| failure(&error))
    }

    fn record(&mut self, ty: &str, fields: &[Object]) -> Res<Object> {
        let fields = fields.iter().map(|field| self.get(field)).collect::<Res<Vec<_>>>()?;
        let record = self.opaque(ty).and_then(|ty| run::Object::record(&ty, fields));
        match record {
            Some(record) => Ok(self.add(record)),
            None => Err(Failure::Request(format!("these are not the fields of {ty}"))),
        }
    }

    fn project(&mut self, object: &Object, field: &str) -> Res<Object> {
        let fields = self.get(object)?.fields().unwrap_or_default();
        match fields.into_iter().find(|(name, _)| name == field) {
            Some((_, field)) => Ok(self.add(field)),
            None => Err(Failure::Request(format!("{} has no field \"{field}\"", object.ty))),
        }
    }

    fn forget(&mut self, kept: usize) {
        self.objects.truncate(kept);
    }

    fn count(&self) -> usize {
        self.objects.len()
    }

    fn close(&mut self) -> Res<()> {
        Ok(())
    }
}

fn find<'t>(ty: &'t External, name: &str) -> Option<&'t External> {
    match ty {
        External::Transparent(..) => None,
        External::Opaque(opaque, _) if opaque.name == name => Some(ty),
        External::Opaque(..) => ty.children().into_iter().find_map(|child| find(child, name)),
    }
}

fn failure(error: &RunError) -> Failure {
    let text = error.to_string();
    match () {
        () if error.is_interrupt() => Failure::Limit(Limit::Time),
        () if error.is_limit() => Failure::Limit(Limit::Resources(text)),
        () if error.is_program() => Failure::Program(text),
        () => Failure::Request(super::no_entry(error)),
    }
}
