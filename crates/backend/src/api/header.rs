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
";
