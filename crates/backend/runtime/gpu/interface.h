// What the functions of a program require of a device. Arrays are in its memory: the data of a handle is not an address, but the
// host does arithmetic with it as with one, and only the functions below know what it stands for (gpu/residence.c).
//
// Requests to the device are executed in order, and mostly asynchronously: only fe_fetch, fe_receive and fe_finish wait for it.
// They are also where failed checks in kernels are detected.

// A kernel of the program.
struct fe_kernel {
  const char *name;
  const char *place; // in the source: "file.fut:12:3"
  int code;          // the number of the kernel whose text it executes: its own, or that of one with the same text
};

// What a kernel does with an argument: it may be no pointer, or a pointer to device memory that it writes through, or one that
// it only reads through.
enum fe_use { FE_VALUE, FE_WRITTEN, FE_READ };

// An argument of a kernel. `value` points to it; if it is a pointer to device memory, then to that pointer.
struct fe_arg {
  const void *value;
  size_t size;
  enum fe_use use;
};

// Has a kernel run by so many blocks of threads, with so many bytes of shared memory for each block besides those that the
// kernel declares. Before these arguments a kernel has the failure buffer and the number of the launch.
FE_SHARED int fe_launch(struct futhark_context *ctx, int kernel, int64_t blocks, int block_size, int64_t shared_bytes,
                        int num_args, const struct fe_arg *args);

// Copies from the device to us, when all before it is done.
FE_SHARED int fe_fetch(struct futhark_context *ctx, void *to, const void *from, int64_t bytes);
// Likewise, of a small value, with the next fe_fetch: not before that one is done.
FE_SHARED int fe_fetch_with_next(struct futhark_context *ctx, void *to, const void *from, int64_t bytes);
// The same as fe_fetch in memory of its own, for `free`; NULL, with a message, if that fails. It is not NULL for no bytes.
FE_SHARED void *fe_fetch_new(struct futhark_context *ctx, const void *from, int64_t bytes);
// Asks for a small value of the device, as it is when all before it is done, and does not wait.
FE_SHARED int fe_ask(struct futhark_context *ctx, const void *from, int64_t bytes);
// Waits for the value that was asked for first, of those that were not received. At most FE_ASKED are on their way.
FE_SHARED int fe_receive(struct futhark_context *ctx, void *to, int64_t bytes);
// Copies from us to the device. What is copied may change after the call.
FE_SHARED int fe_put(struct futhark_context *ctx, void *to, const void *from, int64_t bytes);
// Copies inside of the device's memory. The two places do not overlap.
FE_SHARED int fe_device_copy(struct futhark_context *ctx, void *to, const void *from, int64_t bytes);
FE_SHARED int fe_device_zero(struct futhark_context *ctx, void *to, int64_t bytes);

// A place in the memory of a device that a request needs, and whether it writes to the block.
struct fe_needed {
  void *address;
  bool written;
};
// Makes addresses of the device of these, which are valid until the next request.
FE_SHARED int fe_reach_foreign(struct futhark_context *ctx, int count, struct fe_needed *needed, const char *symbol);
// The address of an array on the device, where it then stays; NULL, with a message, if there is no room for it.
FE_SHARED unsigned char *fe_pin(struct futhark_context *ctx, const struct fe_mem *mem);
#ifdef FE_CUDA
// The stream on which foreign functions work, like everything else. The context of the device is the current one then.
FE_SHARED void *fe_foreign_stream(struct futhark_context *ctx);
#endif
// Waits until all is done.
FE_SHARED int fe_finish(struct futhark_context *ctx);

// What a device can do.
enum fe_limit {
  FE_BLOCK_SIZE,   // the most threads of a block
  FE_SHARED_BYTES, // the most shared memory of a block
  FE_UNITS,        // multiprocessors
  FE_UNIT_THREADS, // the threads that a multiprocessor has at once
  FE_NUM_LIMITS
};
// How many blocks of so many threads keep the device busy, unless the user has set another number.
FE_SHARED int64_t fe_busy_blocks(struct futhark_context *ctx, int64_t threads);
// How much shared memory a kernel gets that would like to have so many bytes of it, but can do without.
FE_SHARED int64_t fe_shared_wish(struct futhark_context *ctx, int64_t bytes);
