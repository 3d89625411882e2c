// The tables that describe entry points on sequences: how they are executed chunk by chunk. After types.h and memory.h.

enum { FE_PART_RANK = 16 };

// For those who feed entry points: the most sequences that a pass reads, and the parts of an element; the bytes that a source is asked for.
enum { FE_MAX_SEQUENCES = 32, FE_MAX_PARTS = 32 };
#ifdef FE_GPU
enum { FE_FED_BYTES = 1 << 26 };
#else
enum { FE_FED_BYTES = 1 << 22 };
#endif

// A value that lives from one step to another: a scalar, or an array with its sizes.
struct fe_held {
  union {
    unsigned char bytes[8];
    int64_t i64;
    double f64;
  } scalar;
  struct fe_mem mem;
  int64_t shape[FE_PART_RANK];
  bool known;
};

// A type of values, and where their sizes are: the number of a slot, or -1 for those in `sizes`.
struct fe_column {
  const struct fe_prim *prim;
  int rank;
  int slots[FE_PART_RANK];
  int64_t sizes[FE_PART_RANK];
};

// A parameter or a part of the result that is a sequence. Its columns are arrays of elements, with the outermost dimension. If elements differ
// in size, then the first column has the sizes, and the others what all elements consist of.
struct fe_sequence {
  const char *name;
  int first; // of its parts, among all of them
  bool pieces;
  int num_columns;
  const struct fe_column *columns;
};

// What a pass yields besides its states: a number, and arrays of that many elements.
struct fe_sink {
  int count;         // the slot for the sum of the numbers
  int num_parts;
  const int *arrays; // the slots for the concatenations of the arrays; NULL if nobody asks for them
  int out, column;   // the sequence of the result that they are written to, from which column on; -1: none
};

// A function that is called once, or, if it is a pass, for each chunk; or a jump to another step. See the documentation of `Streaming` in the compiler.
struct fe_step {
  bool pass, jump;
  int unless, to; // of jumps: a slot with a truth value, or -1; the number of a step
  int num_args, num_results;
  const int *args, *results; // slots
  int num_sources, num_states, num_sinks;
  const int *sources, *states;
  const struct fe_sink *sinks;
  int width; // a slot; -1 if the sources know
  int (*call)(struct futhark_context *ctx, struct fe_held *const *out, struct fe_held *const *in);
};

struct fe_streaming {
  int num_sources, num_sinks, num_slots, num_steps, num_params, num_parts;
  const struct fe_sequence *sources, *sinks;
  const bool *again; // whether a source may be read more than once
  const struct fe_column *slots;
  const struct fe_step *steps;
  // The parts of the parameters: their types, and their slots; -1 for those of sequences.
  const struct fe_column *params;
  const int *param_slots;
  // The slots of the parts of the result; -1 for those of sequences.
  const struct fe_column *parts;
  const int *part_slots;
};

// The functions of a library's caller for a sequence, and what they are called with.
struct fe_pull {
  futhark_source *source;
  void *state;
};
struct fe_push {
  futhark_sink *sink;
  void *state;
};
