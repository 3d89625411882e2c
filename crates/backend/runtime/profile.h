// Where the time goes: what a program notes while it runs, if anybody wants to know it. Before context.h.
//
// Programs that were compiled to be profiled say where operators begin and end, and what these do (fe_begin, fe_end); others only
// know their calls, and devices their kernels. What operators take is summed up for each of them; of single events, as many are kept
// as there is room for.

#if defined(FE_MULTICORE) && defined(FE_THREADS)
#define FE_BUSY // Several threads work.
#endif

// An operator of a program, or a frame around some; written by the compiler.
struct fe_operator {
  const char *name, *function, *place;
  bool exact;       // what it does depends on sizes only
  int first, parts; // its parts among fe_program.operator_parts; frames have none
};

// Who executes something: a thread by its number, or one of these.
enum { FE_ON_DEVICE = -1, FE_ON_BUS = -2 };

// Something that took time.
struct fe_event {
  const char *name; // these two must live as long as the context
  const char *provenance;
  int64_t start; // nanoseconds since the context was made
  int64_t end;
  int track;     // who executed it
  int operator_; // the operator that it is, or is part of; -1: none
  int64_t bytes; // of a copy, those that were copied; of operators, those in use at the end
};

// What the executions of an operator took, in nanoseconds.
struct fe_spent {
  int64_t count, total, own, least, most;
  int64_t allocation;     // for memory
  int64_t busy, busiest;  // by all threads together, and by the one that took longest
  int64_t device, kernels; // by the device, and how many requests that was
};

// An operator that has begun.
struct fe_open {
  int operator_;
  int64_t start, inside, allocation;
};

struct fe_profile {
  struct fe_event *events;
  int64_t num_events, max_events, lost_events;
  struct fe_spent *spent; // for each operator
  int64_t *amounts;       // for each part: bytes read, bytes written, operations
  struct fe_open *open;
  int num_open, max_open;
  int ignored; // operators that have begun inside of another, which has the time
  int64_t allocations, allocation;
#ifdef FE_BUSY
  _Atomic int64_t *busy; // how long each thread worked for the operator
#endif
};

// Events that no memory is left for are lost.
FE_SHARED void fe_event_add(struct futhark_context *ctx, struct fe_event event);
// An operator begins, and does so much for each of its parts: what it reads, what it writes, operations. NULL: it is a frame.
FE_COLD FE_SHARED void fe_begin(struct futhark_context *ctx, int operator_, const int64_t *amounts);
// The one that began last ends.
FE_COLD FE_SHARED void fe_end(struct futhark_context *ctx);
// A call ends that began then. What it has not ended ends as well: it has failed.
FE_COLD FE_SHARED void fe_call_end(struct futhark_context *ctx, const char *name, int64_t start);
#ifdef FE_BUSY
// A thread has executed a part of an operator.
FE_COLD FE_SHARED void fe_piece_end(struct futhark_context *ctx, int worker, int64_t start);
#endif
FE_COLD FE_SHARED void fe_alloc_end(struct futhark_context *ctx, int64_t start);
// The operator that has begun last; -1 if there is none.
FE_SHARED int fe_current_operator(const struct futhark_context *ctx);
