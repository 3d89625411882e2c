//! The C interface of a library, called at random: a C program is made of the prototypes in its header that calls all
//! functions in any order, with values that are NULL, sizes that are negative or too large, contexts that could not be made, and
//! stored values that were damaged. Sanitizers watch it.
//!
//! `FEHU_RANDOM_CALLS=1000000` makes a longer run, for several back ends; `FEHU_SEED` another one; `FEHU_INTERFACE` names
//! another program.
#![cfg(unix)]

use crate::common::random::number;
use crate::common::{ASAN_OPTIONS, SANITIZE, both, fehu, kept, repository, succeed};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// A function of the interface.
struct Function {
    result: String,
    name: String,
    params: Vec<(String, String)>,
}

/// The functions of values and entry points.
fn functions(header: &str) -> Vec<Function> {
    let (_, values) = header.split_once("// Values\n").expect("there are values");
    let prototypes = values.lines().filter(|line| line.ends_with(");"));
    let parameter = |text: &str| {
        let at = text.rfind([' ', '*']).expect("a parameter has a type") + 1;
        (text[..at].trim().to_owned(), text[at..].to_owned())
    };
    let function = |line: &str| {
        let (start, params) = line.split_once('(').expect("it has parameters");
        let params = params.trim_end_matches(");").split(", ").map(parameter).collect();
        let (result, name) = parameter(start);
        Function { result, name, params }
    };
    // These take as long as one asks for.
    let slow = ["futhark_entry_busy", "futhark_entry_huge"];
    prototypes.map(function).filter(|function| !slow.contains(&function.name.as_str())).collect()
}

/// The struct that a type points to, if it is an object.
fn object(ty: &str) -> Option<&str> {
    let ty = ty.strip_prefix("const ").unwrap_or(ty);
    let name = ty.strip_prefix("struct ")?.strip_suffix(" *")?;
    (name != "futhark_context").then_some(name)
}

/// What a call of a function needs before, as arguments, and afterwards.
#[derive(Default)]
struct Call {
    before: String,
    args: Vec<String>,
    after: String,
}

impl Call {
    fn of(function: &Function) -> Call {
        let mut call = Call::default();
        for (ty, name) in &function.params {
            let arg = call.argument(function, ty, name);
            call.args.push(arg);
        }
        call
    }

    fn argument(&mut self, function: &Function, ty: &str, name: &str) -> String {
        if ty == "struct futhark_context *" {
            return "ctx".to_owned();
        }
        let is = |start: &str| function.name.starts_with(start);
        if let Some(object) = object(ty) {
            if is("futhark_free_") {
                return format!("take((void **)pool_{object})");
            }
            return format!("pool_{object}[below(POOL)]");
        }
        if let Some(object) = ty.strip_prefix("struct ").and_then(|ty| ty.strip_suffix(" **")) {
            if name == "elems" {
                let _ = writeln!(self.before, "  struct {object} *elems[512];");
                let _ = writeln!(self.before, "  for (int i = 0; i < 512; i++) {{");
                let _ = writeln!(self.before, "    elems[i] = pool_{object}[below(POOL)];\n  }}");
                return "below(50) == 0 ? NULL : elems".to_owned();
            }
            let _ = writeln!(self.before, "  struct {object} *{name} = NULL;");
            let _ = writeln!(self.after, "  if (code == 0) {{");
            let _ = writeln!(self.after, "    put((void **)pool_{object}, {name}, free_{object});");
            let _ = writeln!(self.after, "  }}");
            return format!("&{name}");
        }
        match ty {
            "void **" => "stored()".to_owned(),
            "size_t *" => format!("&stored_size[KIND_{}]", kind(function)),
            "const void *" => format!("damaged(KIND_{})", kind(function)),
            // An array without elements may have any number of rows, and looking at each of them takes a while.
            "int64_t" if function.params.iter().filter(|(ty, _)| ty == "int64_t").count() > 1 => {
                "some_small_size()".to_owned()
            }
            "int64_t" | "const int64_t" => "some_size()".to_owned(),
            "const float" | "const double" => "some_float()".to_owned(),
            "const bool" => "(bool)below(2)".to_owned(),
            _ if ty.ends_with('*') => "(void *)some_memory()".to_owned(),
            _ => "(int64_t)some_integer()".to_owned(),
        }
    }
}

/// The type whose values a function stores or restores.
fn kind(function: &Function) -> &str {
    let name = function.name.trim_start_matches("futhark_");
    name.trim_start_matches("restore_").trim_start_matches("store_")
}

/// The program that calls all of them.
fn driver(functions: &[Function]) -> String {
    let mut text = DRIVER_START.to_owned();
    let objects: Vec<&str> = functions
        .iter()
        .filter_map(|function| function.name.strip_prefix("futhark_free_"))
        .collect();
    for name in &objects {
        let object = format!("futhark_{name}");
        let _ = writeln!(text, "static struct {object} *pool_{object}[POOL];");
        let free = format!("futhark_free_{name}");
        let _ = writeln!(text, "static void free_{object}(void *p) {{\n  {free}(good, p);\n}}");
    }
    let stored: Vec<&Function> =
        functions.iter().filter(|f| f.name.starts_with("futhark_store_")).collect();
    let _ = writeln!(text, "enum {{");
    for function in &stored {
        let _ = writeln!(text, "  KIND_{},", kind(function));
    }
    let _ = writeln!(text, "  NUM_KINDS\n}};");
    text += DRIVER_STORE;
    for (i, function) in functions.iter().enumerate() {
        let call = Call::of(function);
        let Function { result, name, .. } = function;
        let _ =
            writeln!(text, "static void call{i}(struct futhark_context *ctx) {{\n{}", call.before);
        // A broken context has other memory than the objects, so it must not free or change them.
        if name.starts_with("futhark_free_") || name.starts_with("futhark_set_") {
            text += "  if (ctx != good) {\n    return;\n  }\n";
        }
        let args = call.args.join(", ");
        match object(result) {
            Some(object) => {
                let _ = writeln!(text, "  struct {object} *result = {name}({args});");
                let _ = writeln!(text, "  check(ctx, result == NULL, \"{name}\");");
                let _ = writeln!(text, "  put((void **)pool_{object}, result, free_{object});");
            }
            None if result == "int" && !name.starts_with("futhark_variant_") => {
                let _ = writeln!(text, "  int code = {name}({args});");
                let _ = writeln!(text, "  check(ctx, code != 0, \"{name}\");\n{}", call.after);
                if name.starts_with("futhark_store_") {
                    let _ = writeln!(text, "  keep(code, KIND_{});", kind(function));
                }
            }
            None => {
                let _ = writeln!(text, "  (void){name}({args});");
            }
        }
        text += "}\n";
    }
    let calls: Vec<String> = (0..functions.len()).map(|i| format!("call{i}")).collect();
    let _ = writeln!(
        text,
        "static void (*const calls[])(struct futhark_context *) = {{{}}};",
        calls.join(", ")
    );
    text += "static void free_all(void) {\n";
    for name in &objects {
        let object = format!("futhark_{name}");
        let _ = writeln!(text, "  for (int i = 0; i < POOL; i++) {{");
        let _ = writeln!(text, "    free_{object}(pool_{object}[i]);\n  }}");
    }
    text += "}\n";
    text + DRIVER_END
}

const DRIVER_START: &str = r#"#include "library.h"
#include <stdlib.h>
#include <string.h>
enum { POOL = 6 };
static uint64_t state;
static struct futhark_context *good, *bad;
static uint64_t bits(void) {
  state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = state;
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}
static int below(int n) {
  return (int)(bits() % (uint64_t)n);
}
// Some are no sizes. The others are small, so that there is room for their elements.
static int64_t some_size(void) {
  static const int64_t odd[] = {-1, INT64_MIN, INT64_MAX, INT64_C(1) << 61, (INT64_C(1) << 62) + 1, -8};
  return below(12) == 0 ? odd[below(6)] : below(9);
}
static int64_t some_small_size(void) {
  return below(12) == 0 ? -1 : below(9);
}
static int64_t some_integer(void) {
  static const int64_t odd[] = {0, 1, -1, INT32_MIN, INT32_MAX, INT64_MIN};
  return below(2) == 0 ? odd[below(6)] : (int64_t)bits();
}
static double some_float(void) {
  return below(8) == 0 ? 1.0 / 0.0 : (double)below(100) / 7;
}
// 8 * 8 * 8 elements of 8 bytes, from which arrays are made, and to which they are written.
static void *some_memory(void) {
  static uint64_t memory[512];
  for (int i = 0; i < 512; i++) {
    memory[i] &= UINT64_C(0x0101010101010101); // so that it has no wrong bool
  }
  return memory;
}
static void *take(void **pool) {
  int i = below(POOL);
  void *taken = pool[i];
  pool[i] = NULL;
  return taken;
}
static void put(void **pool, void *object, void (*free_one)(void *)) {
  int i = below(POOL);
  free_one(pool[i]);
  pool[i] = object;
}
static long failures, successes;
static void check(struct futhark_context *ctx, int failed, const char *name) {
  failures += failed;
  successes += !failed;
  if (below(4) == 0 || failed) {
    char *error = futhark_context_get_error(ctx);
    if (failed && error == NULL) {
      fprintf(stderr, "%s fails without a message\n", name);
      exit(1);
    }
    free(error);
  }
}
"#;

const DRIVER_STORE: &str = r#"
static void *store_pointer;
static unsigned char *stored_bytes[NUM_KINDS + 1];
static size_t stored_size[NUM_KINDS + 1], kept_size[NUM_KINDS + 1];
static void **stored(void) {
  store_pointer = NULL;
  return below(10) == 0 ? NULL : &store_pointer;
}
static void keep(int code, int kind) {
  if (code == 0 && store_pointer != NULL) {
    free(stored_bytes[kind]);
    stored_bytes[kind] = store_pointer;
    kept_size[kind] = stored_size[kind];
    store_pointer = NULL;
  }
}
// The function that restores a value does not know how many bytes there are, so they never say that there are more. They have
// memory of their own size, so that reading beyond it is noticed.
static void *last;
static const void *damaged(int kind) {
  free(last);
  last = NULL;
  if (stored_bytes[kind] == NULL) {
    return NULL;
  }
  size_t size = kept_size[kind];
  unsigned char *bytes = last = malloc(size);
  memcpy(bytes, stored_bytes[kind], size);
  for (int i = below(4); i > 0; i--) {
    size_t at = (size_t)bits() % size;
    if (below(2) == 0 && size >= 32) {
      // A size of an array, perhaps.
      int64_t number = some_small_size();
      memcpy(bytes + at / 4 * 4 % (size - 7), &number, 8);
    } else {
      bytes[at] ^= (unsigned char)(1 << below(8));
    }
  }
  uint64_t told;
  memcpy(&told, bytes + 8, 8);
  if (told > size) {
    told = below(2) == 0 ? size : bits() % size;
    memcpy(bytes + 8, &told, 8);
  }
  return bytes;
}
"#;

const DRIVER_END: &str = r#"
static void context_call(struct futhark_context *ctx) {
  switch (below(8)) {
  case 0:
    futhark_context_sync(ctx);
    break;
  case 1:
    futhark_context_clear_caches(ctx);
    break;
  case 2:
    futhark_context_pause_profiling(ctx);
    break;
  case 3:
    futhark_context_unpause_profiling(ctx);
    break;
  case 4:
    free(futhark_context_report(ctx));
    break;
  case 5:
    futhark_context_set_logging_file(ctx, NULL);
    break;
  default:
    free(futhark_context_get_error(ctx));
  }
}
int main(int argc, char **argv) {
  (void)argc;
  state = (uint64_t)atoll(argv[1]);
  long count = atol(argv[2]);
  struct futhark_context_config *cfg = futhark_context_config_new();
  futhark_context_config_set_profiling(cfg, 1);
  futhark_context_config_set_cache_file(cfg, NULL);
  if (futhark_context_config_set_tuning_param(cfg, "nothing", 1) == 0 ||
      futhark_context_config_set_tuning_param(cfg, NULL, 1) == 0 || futhark_get_tuning_param_name(-1) != NULL ||
      futhark_get_tuning_param_class(futhark_get_tuning_param_count()) != NULL || futhark_context_new(NULL) != NULL) {
    return 1;
  }
  good = futhark_context_new(cfg);
  bad = futhark_context_new(cfg); // one configuration, two contexts
  char *why = futhark_context_get_error(bad);
  if (futhark_context_get_error(good) != NULL || why == NULL) {
    return 1;
  }
  free(why);
  for (long i = 0; i < count; i++) {
    struct futhark_context *ctx = below(20) == 0 ? bad : good;
    if (below(10) == 0) {
      context_call(ctx);
    } else {
      calls[below((int)(sizeof calls / sizeof calls[0]))](ctx);
    }
  }
  free_all();
  for (int i = 0; i < NUM_KINDS; i++) {
    free(stored_bytes[i]);
  }
  free(last);
  // The configuration may be freed first, since the context knows that it needs it.
  bool early = below(2) == 0;
  if (early) {
    futhark_context_config_free(cfg);
  }
  futhark_context_free(bad);
  futhark_context_free(good);
  futhark_context_free(NULL);
  if (!early) {
    futhark_context_config_free(cfg);
  }
  printf("%ld calls succeeded, %ld failed\n", successes, failures);
  return 0;
}
"#;

/// Makes the library and the program that calls it.
fn make(folder: &Path, backend: &str, source: &Path) {
    let mut command = fehu();
    command.args([backend, "--library"]).arg(source).args(["-o", "library"]).current_dir(folder);
    succeed(&mut command);
    let header = std::fs::read_to_string(folder.join("library.h")).expect("there is a header");
    let text = driver(&functions(&header));
    std::fs::write(folder.join("driver.c"), &text).expect("it can be written");
    // The C compiler takes longer than everything else, so it is only called for something new.
    let library = std::fs::read_to_string(folder.join("library.c")).expect("there is a library");
    let made_of = format!("{SANITIZE}\n{library}\n{text}");
    let stamp = folder.join("made-of");
    if std::fs::read_to_string(&stamp).is_ok_and(|before| before == made_of) {
        return;
    }
    let mut cc = Command::new("cc");
    cc.args([
        "-std=c11",
        "-O0",
        "-o",
        "driver",
        "driver.c",
        "library.c",
        "-lm",
        "-lpthread",
        "-ldl",
    ]);
    succeed(cc.args(SANITIZE.split(' ')).current_dir(folder));
    std::fs::write(&stamp, made_of).expect("it can be written");
}

#[test]
fn any_calls_in_any_order_are_survived() {
    let count = number("FEHU_RANDOM_CALLS", 20_000);
    let long = std::env::var_os("FEHU_RANDOM_CALLS").is_some();
    let own = repository().join("crates/cli/tests/programs/types.fut");
    let sources = match std::env::var_os("FEHU_INTERFACE") {
        Some(path) => vec![std::path::absolute(path).expect("it is a path")],
        None if long => vec![own, repository().join("tests/clients/library.fut")],
        None => vec![own],
    };
    let backends = if long { &["c", "multicore"][..] } else { &["c"] };
    for (backend, source) in backends.iter().flat_map(|b| sources.iter().map(move |s| (b, s))) {
        let stem = source.file_stem().unwrap_or_default().display();
        let (folder, _lock) = kept(&format!("interface-{backend}-{stem}"));
        make(&folder, backend, source);
        let mut command = Command::new(folder.join("driver"));
        command.args([number("FEHU_SEED", 1).to_string(), count.to_string()]);
        let output = command.env("ASAN_OPTIONS", ASAN_OPTIONS).output().expect("it runs");
        assert!(output.status.success(), "{backend}: {}", both(&output));
    }
}
