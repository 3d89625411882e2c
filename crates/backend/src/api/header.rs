//! The header that comes with a library. The C file begins with the same declarations, so that the two
//! cannot disagree.

use super::types::Types;
use crate::Target;

/// The declarations of the interface, given the prototypes that depend on the program.
pub(super) fn declarations(types: &Types, target: Target, objects: &str, entries: &str) -> String {
    let mut out = common(target);
    out.push_str("\n// Types\n");
    for ty in types.objects() {
        out.push_str(&format!("struct {};\n", ty.c_name));
    }
    out.push_str("\n// Values\n");
    out.push_str(objects);
    out.push_str("\n// Entry points\n");
    out.push_str(entries);
    out
}

/// What the interfaces of all programs have.
pub(super) fn common(target: Target) -> String {
    let mut out = String::from(START);
    out.extend(target.facts().interface.iter().copied());
    out
}

/// The whole header.
pub(super) fn header(declarations: &str, target: Target) -> String {
    let name = target.name();
    format!("{BEFORE}#define FUTHARK_BACKEND_{name}\n\n{declarations}{AFTER}")
}

const BEFORE: &str = "\
// Made by fehu from a program, together with the C file of the same name.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern \"C\" {
#endif

#define FUTHARK_SUCCESS 0
#define FUTHARK_PROGRAM_ERROR 2
#define FUTHARK_OUT_OF_MEMORY 3
";

const AFTER: &str = "
#ifdef __cplusplus
}
#endif
";

const START: &str = "\
// Configuration
struct futhark_context_config;
struct futhark_context_config *futhark_context_config_new(void);
void futhark_context_config_free(struct futhark_context_config *cfg);
void futhark_context_config_set_debugging(struct futhark_context_config *cfg, int flag);
void futhark_context_config_set_profiling(struct futhark_context_config *cfg, int flag);
void futhark_context_config_set_logging(struct futhark_context_config *cfg, int flag);
void futhark_context_config_set_cache_file(struct futhark_context_config *cfg, const char *f);
int futhark_context_config_set_tuning_param(struct futhark_context_config *cfg, const char *param_name, size_t new_value);
int futhark_get_tuning_param_count(void);
const char *futhark_get_tuning_param_name(int);
const char *futhark_get_tuning_param_class(int);

// Context
struct futhark_context;
struct futhark_context *futhark_context_new(struct futhark_context_config *cfg);
void futhark_context_free(struct futhark_context *ctx);
int futhark_context_sync(struct futhark_context *ctx);
char *futhark_context_get_error(struct futhark_context *ctx);
void futhark_context_set_logging_file(struct futhark_context *ctx, FILE *f);
void futhark_context_pause_profiling(struct futhark_context *ctx);
void futhark_context_unpause_profiling(struct futhark_context *ctx);
char *futhark_context_report(struct futhark_context *ctx);
int futhark_context_clear_caches(struct futhark_context *ctx);
// Asks the call in progress to stop as soon as it can, with an error; with 0, allows calls again. Also for signal handlers.
void futhark_context_cancel(struct futhark_context *ctx, int flag);

// Sequences: some elements in row-major order, an address for each part of an element. If elements differ in size, then
// the first part has their sizes, as int64_t, and the others have the values of all elements, `total` of them.
struct futhark_chunk {
  int64_t count, total;
  const void *const *columns;
  const int64_t *sizes; // of the dimensions of an element, for all parts in turn; a source may say NULL if other arguments tell them
};
// Yields the next elements: about `want`, and none at the end. They stay where they are until the next call. If `want`
// is 0, then the next call is to yield the first ones again. Returns 0, or a code if that is not possible.
typedef int futhark_source(void *state, int64_t want, struct futhark_chunk *chunk);
// Takes elements, which are there until it returns 0, or a code if it cannot take them.
typedef int futhark_sink(void *state, const struct futhark_chunk *chunk);
";
