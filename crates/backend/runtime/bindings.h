// How a shared library describes itself to those who load it: `fehu_bindings()` is where they begin. After types.h and streams.h.
//
// The layout of these tables and of those in types.h is part of the interface, and its number is FEHU_BINDINGS; nothing else of the runtime is.
// `rust/fehu/src/tables.rs` has the same layout and the same number. The first table may grow at its end without a new number: that is what its size is for.

enum { FEHU_BINDINGS = 3 };

// A part of the elements of a sequence: arrays with one dimension more than it has in an element.
struct fehu_column {
  const struct fe_prim *prim;
  int rank; // with the dimension of the sequence
};

// A parameter or a result that is a sequence. If its elements differ in size, then the first column has the sizes, and a parameter in memory is
// two inputs: the sizes, and the values of all elements.
struct fehu_sequence {
  const char *name; // as the program calls it; of results, the name of the field
  int place; // the number of the parameter; of results, that of the field, or -1 if it is the whole result, or -2 if it is deeper inside
  bool pieces;
  int num_columns;
  const struct fehu_column *columns;
};

struct fehu_entry {
  const char *name;
  int num_inputs;
  const char *const *input_names;
  const struct fe_type *const *inputs;
  const bool *consumed; // one flag for each input
  const struct fe_type *output;
  bool fresh; // the result shares no memory with the inputs
  int (*call)(struct futhark_context *ctx, void *out, const void *const *inputs);
  // Of entry points on sequences, else NULL: `inputs` that are sequences are not looked at, `pulls` and `pushes` have the caller's functions for
  // them, and results that are sequences are empty arrays.
  int (*stream)(struct futhark_context *ctx, void *out, const void *const *inputs, const struct fe_pull *pulls,
                const struct fe_push *pushes);
  int num_sources, num_sinks;
  const struct fehu_sequence *sources, *sinks;
};

struct fehu_bindings {
  size_t size; // of this structure
  int version; // FEHU_BINDINGS
  int num_types, num_entries;
  const struct fe_type *const *types;
  const struct fehu_entry *entries;
};
