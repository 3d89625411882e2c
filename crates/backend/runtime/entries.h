// The tables that describe a program to the runtime: its entry points, for the command line and the server, and what contexts, the
// scheduler and devices need to know. After types.h.

struct fe_kernel;
struct fe_operator;
struct fe_streaming;

struct fe_entry {
  const char *name;
  int num_inputs;
  const char *const *input_names;
  const struct fe_type *const *inputs;
  const bool *consumed; // one flag for each input
  const struct fe_type *output;
  bool fresh;
  int num_tuning_params;
  const int *tuning_params; // indices of parameters of the context
  int num_attributes;
  const char *const *attributes;
  int (*call)(struct futhark_context *ctx, void *out, const void *const *inputs);
  const struct fe_streaming *streaming; // NULL if it is not on sequences
};

// How a program computes floats, for what compiles its kernels.
enum fe_floats { FE_FLOATS_STRICT, FE_FLOATS_CONTRACTED, FE_FLOATS_FAST };

// Written by the compiler at the end of the program.
struct fe_program {
  // Tuning parameters.
  int num_tuning_params;
  const char *const *tuning_names, *const *tuning_classes;
  // Places with a parallel operation; the scheduler knows something of each.
  int num_sites;
  // What profiles know: operators, and where the parts of all of them are in the source. None if it was not asked for.
  int num_operators;
  const struct fe_operator *operators;
  const char *const *operator_parts;
  // Values that are computed once. What `constants_init` has allocated is released by `constants_free`, also if it
  // fails in the middle.
  size_t constants_size;
  int (*constants_init)(struct futhark_context *ctx);
  void (*constants_free)(struct futhark_context *ctx);
  // Kernels. Their text is in pieces, with NULL at the end; that of kernel k, if it has its own, is between
  // `#if !defined FE_PART || FE_PART == k` and `#endif`.
  int num_kernels;
  const struct fe_kernel *kernels;
  const char *const *device_source;
  enum fe_floats floats;
  int num_checks; // in all kernels
  // Records the error of a failed check, with the values that the kernel has left.
  void (*device_error)(struct futhark_context *ctx, int check, const int64_t *values);
  // Types and entry points, for main(); libraries have none here.
  int num_types;
  const struct fe_type *const *types;
  int num_entries;
  const struct fe_entry *entries;
};

FE_SHARED_DATA const struct fe_program fe_program;
