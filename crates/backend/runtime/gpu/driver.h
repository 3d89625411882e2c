// What gpu/cuda.c and gpu/opencl.c both implement. Functions that return an int return an error code, and leave
// a message if it is not FUTHARK_SUCCESS.

// Finds the driver and a device, and fills in what is known of it. What was opened is closed by fe_driver_close, also
// after a failure.
static int fe_driver_open(struct futhark_context *ctx);
static void fe_driver_close(struct futhark_context *ctx);

// Memory of the device; NULL, perhaps with a message, if there is none.
static void *fe_driver_alloc(struct futhark_context *ctx, int64_t bytes);
static void fe_driver_free(struct futhark_context *ctx, void *memory);
// Memory of ours that the device reaches without help; NULL if there is none.
static void *fe_driver_alloc_stage(struct futhark_context *ctx, size_t bytes);
static void fe_driver_free_stage(struct futhark_context *ctx, void *memory);
// The device reaches memory of ours from now on, for copies; false if that is not possible. This takes a fraction of the time that new memory
// takes. Any thread may ask for it.
static bool fe_driver_reach(struct futhark_context *ctx, void *memory, size_t bytes);
static void fe_driver_leave(struct futhark_context *ctx, void *memory);

// These only ask for something. They want addresses of the device, as fe_reach makes them. With a stamp, they note its times there.
static int fe_driver_copy_out(struct futhark_context *ctx, void *to, const void *from, size_t bytes, struct fe_stamp *stamp);
static int fe_driver_copy_in(struct futhark_context *ctx, void *to, const void *from, size_t bytes, struct fe_stamp *stamp);
static int fe_driver_copy(struct futhark_context *ctx, void *to, const void *from, size_t bytes, struct fe_stamp *stamp);
static int fe_driver_zero(struct futhark_context *ctx, void *to, size_t bytes, struct fe_stamp *stamp);
static int fe_driver_launch(struct futhark_context *ctx, fe_function kernel, int64_t blocks, int block_size,
                            int64_t shared_bytes, int num_args, const struct fe_arg *args, struct fe_stamp *stamp);
// A second queue, for copies to the device that overlap with its work. One other thread at a time may use it besides; so failures leave no messages.
static bool fe_driver_send(struct futhark_context *ctx, void *to, const void *from, size_t bytes);
// The event that all that was sent so far has arrived; NULL if there is none. Somebody has to follow or await it.
static void *fe_driver_sent(struct futhark_context *ctx);
// Waits for such an event, on any thread.
static void fe_driver_arrived(struct futhark_context *ctx, void *event);
// What is asked for from now on waits for such an event.
static int fe_driver_follow(struct futhark_context *ctx, void *event);
// Notes, under a number below FE_ASKED, that all that was asked for so far is to be done.
static int fe_driver_mark(struct futhark_context *ctx, int number);
// Waits for what was noted so.
static int fe_driver_await(struct futhark_context *ctx, int number);
// Waits until all is done.
static int fe_driver_wait(struct futhark_context *ctx);

// When something began, as fe_now tells time, and how long it took; it is done. The stamp is used up.
static void fe_driver_times(struct futhark_context *ctx, const struct fe_timing *timing, int64_t *start, int64_t *nanoseconds);

// Compiles a part of the device program, fills in its bytes, if there are any, and loads it.
static int fe_driver_compile(struct futhark_context *ctx, const char *source, const char *options, struct fe_part *part);
// Loads the bytes of a part. They may not be what they should be, so a failure leaves no message.
static int fe_driver_load(struct futhark_context *ctx, struct fe_part *part);
static void fe_driver_unload(struct futhark_context *ctx, struct fe_part *part);
// Whether each kernel should be compiled by itself, when it is needed.
static bool fe_driver_divides(struct futhark_context *ctx);
// Whether the driver keeps what it has compiled by itself, and is quicker at that than we would be.
static bool fe_driver_keeps(struct futhark_context *ctx);
static int fe_driver_kernel(struct futhark_context *ctx, struct fe_part *part, const char *name, fe_function *kernel);
static void fe_driver_release_kernel(struct futhark_context *ctx, fe_function kernel);
