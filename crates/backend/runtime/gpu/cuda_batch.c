// Launches in batches: for a graph of kernels the driver needs a quarter of the time that it needs for one after the other. After
// cuda_kernels.c.
//
// Launches, and copies inside of the device's memory, are queued until something else is asked of the device, or somebody waits for it, or the
// queue is full. A batch that is the same as one before, with all arguments, becomes a graph the third time that it comes; calls of an entry
// point with arrays of the same sizes mostly get the same memory, and the iterations of a loop take turns with a few blocks.
//
// Iterations that work on different rows of an array have other arguments each time. Their batches have the same kernels, though, if not
// the same number of blocks: such a *shape* has a graph, too, whose nodes get new arguments before it is launched. A loop of twelve small kernels takes a third of
// the time then (the gradient of an ODE, H200); with copies in it, less than half (the gradient of an LSTM with diagonal weights: 48 and 21 ms). Batches that end where
// their first kernel comes again, so that they have fewer shapes, were slower.
//
// The number of a launch would always be another one. It is for kernels that may fail, so programs that have any launch directly.

enum { FE_BATCH_LEAST = 3, FE_BATCH_GRAPH = 3, FE_SHAPE_GRAPH = 8, FE_BATCH_MISSES = 100, FE_BATCH_PAUSE = 2000 };

static bool fe_batch_same(const struct fe_batch *a, const struct fe_batch *b) {
  return a->hash == b->hash && a->count == b->count && a->num_args == b->num_args
         && memcmp(a->launches, b->launches, (size_t)a->count * sizeof a->launches[0]) == 0
         && memcmp(a->args, b->args, (size_t)a->num_args * sizeof a->args[0]) == 0;
}

// Whether a graph of the first is one of the second with other arguments: the kernels are the same, and copies are where they are.
static bool fe_batch_alike(const struct fe_batch *a, const struct fe_batch *b) {
  if (a->shape != b->shape || a->count != b->count || a->num_args != b->num_args) {
    return false;
  }
  for (int i = 0; i < a->count; i++) {
    const struct fe_batched *x = &a->launches[i], *y = &b->launches[i];
    if (x->kernel != y->kernel || x->block_size != y->block_size || x->num_args != y->num_args) {
      return false;
    }
  }
  return true;
}

static void fe_batch_hash(struct fe_batch *batch) {
  uint64_t hash = 14695981039346656037u;
  for (int i = 0; i < batch->count; i++) {
    hash = (hash ^ (uint64_t)(uintptr_t)batch->launches[i].kernel) * 1099511628211u;
  }
  batch->shape = hash;
  for (int i = 0; i < batch->count; i++) {
    hash = (hash ^ (uint64_t)batch->launches[i].blocks) * 1099511628211u;
  }
  for (int i = 0; i < batch->num_args; i++) {
    hash = (hash ^ batch->args[i]) * 1099511628211u;
  }
  batch->hash = hash;
}

// The node that the stream was given last, which is being captured; NULL if that is not known.
static void *fe_batch_node(struct fe_driver *driver) {
  int status;
  uint64_t id;
  void *graph;
  void *const *nodes;
  size_t num_nodes = 0;
  int result = driver->graphs.capture(driver->stream, &status, &id, &graph, &nodes, &num_nodes);
  return result == 0 && num_nodes == 1 ? nodes[0] : NULL;
}

// One after the other; `nodes` are those of the graph that is being captured, if they are wanted.
static int fe_batch_launch(struct futhark_context *ctx, struct fe_batch *batch, void **nodes) {
  struct fe_driver *driver = &ctx->gpu.driver;
  int result = 0, first = 0;
  for (int i = 0; i < batch->count && result == 0; i++) {
    const struct fe_batched *launch = &batch->launches[i];
    uint64_t *args = &batch->args[first];
    first += launch->num_args;
    if (launch->kernel == NULL) {
      const size_t bytes = (size_t)launch->blocks;
      result = launch->num_args == 2 ? driver->cuda.copy(args[0], args[1], bytes, driver->stream)
                                     : driver->cuda.fill(args[0], 0, bytes, driver->stream);
    } else {
      void *pointers[FE_BATCH_ARGS];
      for (int k = 0; k < launch->num_args; k++) {
        pointers[k] = &args[k];
      }
      result = fe_cuda_launch(ctx, launch->kernel, launch->blocks, launch->block_size, launch->shared_bytes, pointers);
    }
    if (nodes != NULL) {
      nodes[i] = fe_batch_node(driver);
    }
  }
  return result;
}

// Makes a graph of a batch, if that is possible; `again` says whether it gets other arguments later.
static void fe_batch_graph(struct futhark_context *ctx, struct fe_batch *batch, bool again) {
  struct fe_driver *driver = &ctx->gpu.driver;
  const struct fe_cuda_graphs *graphs = &driver->graphs;
  void *graph = NULL;
  if (graphs->begin(driver->stream, FE_CUDA_CAPTURE_THREAD) != 0) {
    return;
  }
  int result = fe_batch_launch(ctx, batch, again ? batch->nodes : NULL);
  int ended = graphs->end(driver->stream, &graph);
  if (result == 0 && ended == 0 && graph != NULL && graphs->instantiate(&batch->graph, graph, 0) != 0) {
    batch->graph = NULL;
  }
  if (again && batch->graph != NULL) {
    batch->plan = graph;
  } else if (graph != NULL) {
    graphs->destroy(graph);
  }
}

static void fe_batch_forget(struct fe_driver *driver, struct fe_batch *batch) {
  if (batch->graph != NULL) {
    driver->graphs.destroy_exec(batch->graph);
  }
  if (batch->plan != NULL) {
    driver->graphs.destroy(batch->plan);
  }
  batch->graph = batch->plan = NULL;
}

// The batch of a table that equals this one; from now on, in the place of the one that has not come for the longest time, if there was none.
static struct fe_batch *fe_batch_find(struct fe_driver *driver, struct fe_batch **table, const struct fe_batch *batch,
                                      bool (*equals)(const struct fe_batch *, const struct fe_batch *)) {
  struct fe_batch **at = table;
  for (int i = 0; i < FE_BATCHES; i++) {
    if (table[i] == NULL) {
      at = &table[i];
      break;
    }
    if (equals(table[i], batch)) {
      table[i]->last = driver->batches;
      table[i]->times++;
      return table[i];
    }
    if (table[i]->last < (*at)->last) {
      at = &table[i];
    }
  }
  if (*at == NULL) {
    *at = malloc(sizeof **at);
  } else {
    fe_batch_forget(driver, *at);
  }
  if (*at != NULL) {
    **at = *batch;
    (*at)->times = 1;
    (*at)->last = driver->batches;
    (*at)->graph = (*at)->plan = NULL;
    (*at)->refused = false;
  }
  return *at;
}

// Gives a node other arguments.
static int fe_batch_update_node(struct fe_driver *driver, void *graph, void *node, const struct fe_batched *launch, uint64_t *args) {
  const size_t bytes = (size_t)launch->blocks;
  if (launch->kernel == NULL && launch->num_args == 2) {
    const struct fe_cuda_copy copy = {.from = {.kind = FE_CUDA_OF_DEVICE, .device = args[1]},
                                      .to = {.kind = FE_CUDA_OF_DEVICE, .device = args[0]}, .bytes = bytes, .height = 1, .depth = 1};
    return driver->graphs.update_copy(graph, node, &copy, driver->context);
  }
  if (launch->kernel == NULL) {
    const struct fe_cuda_fill fill = {.to = args[0], .element_bytes = 1, .width = bytes, .height = 1};
    return driver->graphs.update_fill(graph, node, &fill, driver->context);
  }
  void *pointers[FE_BATCH_ARGS];
  for (int k = 0; k < launch->num_args; k++) {
    pointers[k] = &args[k];
  }
  const struct fe_cuda_node kernel = {.function = launch->kernel, .grid = {(unsigned)launch->blocks, 1, 1},
                                      .block = {(unsigned)launch->block_size, 1, 1},
                                      .shared_bytes = (unsigned)launch->shared_bytes, .arguments = pointers};
  return driver->graphs.update(graph, node, &kernel);
}

// Gives the graph of a shape the arguments of a batch; false if that is not possible.
static bool fe_batch_update(struct futhark_context *ctx, struct fe_batch *shape, const struct fe_batch *batch) {
  struct fe_driver *driver = &ctx->gpu.driver;
  int first = 0;
  for (int i = 0; i < batch->count; i++) {
    const struct fe_batched *launch = &batch->launches[i], *old = &shape->launches[i];
    uint64_t *args = &shape->args[first];
    const size_t bytes = (size_t)launch->num_args * sizeof *args;
    const bool same = launch->blocks == old->blocks && launch->shared_bytes == old->shared_bytes;
    if (!same || memcmp(args, &batch->args[first], bytes) != 0) {
      memcpy(args, &batch->args[first], bytes);
      if (shape->nodes[i] == NULL || fe_batch_update_node(driver, shape->graph, shape->nodes[i], launch, args) != 0) {
        return false;
      }
      shape->launches[i] = *launch;
    }
    first += launch->num_args;
  }
  return true;
}

// The graph of a batch by its shape; NULL if there is none.
static void *fe_batch_shaped(struct futhark_context *ctx, const struct fe_batch *batch) {
  struct fe_driver *driver = &ctx->gpu.driver;
  if (!driver->can_update) {
    return NULL;
  }
  struct fe_batch *shape = fe_batch_find(driver, driver->shapes, batch, fe_batch_alike);
  if (shape == NULL || shape->refused) {
    return NULL;
  }
  if (shape->times == FE_SHAPE_GRAPH) {
    memcpy(shape->launches, batch->launches, sizeof batch->launches);
    memcpy(shape->args, batch->args, sizeof batch->args);
    fe_batch_graph(ctx, shape, true);
  }
  if (shape->graph != NULL && !fe_batch_update(ctx, shape, batch)) {
    fe_batch_forget(driver, shape);
    shape->refused = true;
  }
  return shape->graph;
}

static int fe_batch_flush(struct futhark_context *ctx) {
  struct fe_driver *driver = &ctx->gpu.driver;
  struct fe_batch *batch = driver->batch;
  if (batch == NULL || batch->count == 0) {
    return FUTHARK_SUCCESS;
  }
  fe_cuda(ctx);
  void *graph = NULL;
  if (batch->count >= FE_BATCH_LEAST) {
    driver->batches++;
    fe_batch_hash(batch);
    struct fe_batch *known = fe_batch_find(driver, driver->known, batch, fe_batch_same);
    if (known != NULL && known->times == FE_BATCH_GRAPH) {
      fe_batch_graph(ctx, known, false);
    }
    graph = known != NULL && known->graph != NULL ? known->graph : fe_batch_shaped(ctx, batch);
    const bool missed = graph == NULL;
    driver->misses = missed ? driver->misses + 1 : 0;
    if (driver->misses > FE_BATCH_MISSES) {
      driver->misses = 0;
      driver->pause = FE_BATCH_PAUSE;
    }
  }
  int result = graph != NULL ? driver->graphs.launch(graph, driver->stream) : fe_batch_launch(ctx, batch, NULL);
  batch->count = batch->num_args = 0;
  return fe_cuda_check(ctx, result, "launch a kernel");
}

// The queue, if so many more arguments can wait there; NULL otherwise.
static struct fe_batch *fe_batch_open(struct futhark_context *ctx, int num_args) {
  struct fe_driver *driver = &ctx->gpu.driver;
  struct fe_batch *batch = driver->batch;
  if (driver->pause > 0) {
    driver->pause--;
    return NULL;
  }
  return batch == NULL || ctx->debugging || batch->num_args + num_args > FE_BATCH_ARGS ? NULL : batch;
}

// Something was added to the queue.
static int fe_batch_added(struct futhark_context *ctx) {
  return ctx->gpu.driver.batch->count == FE_BATCH ? fe_batch_flush(ctx) : FUTHARK_SUCCESS;
}

// Adds a copy inside of the device's memory, or zeros if there is nothing to copy from; false if it cannot wait.
static bool fe_batch_copy(struct futhark_context *ctx, void *to, const void *from, size_t bytes) {
  struct fe_batch *batch = fe_batch_open(ctx, 2);
  if (batch == NULL) {
    return false;
  }
  const int num_args = from == NULL ? 1 : 2;
  batch->args[batch->num_args] = (uint64_t)(uintptr_t)to;
  if (from != NULL) {
    batch->args[batch->num_args + 1] = (uint64_t)(uintptr_t)from;
  }
  batch->launches[batch->count++] = (struct fe_batched){NULL, (int64_t)bytes, 0, 0, num_args};
  batch->num_args += num_args;
  return true;
}

// Adds a launch to the queue; false if it cannot wait there.
static bool fe_batch_add(struct futhark_context *ctx, fe_function kernel, int64_t blocks, int block_size, int64_t shared_bytes,
                         int num_args, const struct fe_arg *args) {
  struct fe_batch *batch = fe_batch_open(ctx, num_args + 2);
  if (batch == NULL) {
    return false;
  }
  uint64_t *values = &batch->args[batch->num_args];
  values[0] = (uint64_t)(uintptr_t)ctx->gpu.failure;
  values[1] = 0; // the number of the launch
  for (int i = 0; i < num_args; i++) {
    if (args[i].size > sizeof values[0]) {
      return false;
    }
    values[i + 2] = 0;
    memcpy(&values[i + 2], args[i].value, args[i].size);
  }
  batch->launches[batch->count++] = (struct fe_batched){kernel, blocks, shared_bytes, block_size, num_args + 2};
  batch->num_args += num_args + 2;
  return true;
}

// Finds what it takes for batches, if the driver has it.
static void fe_batch_init(struct futhark_context *ctx) {
  struct fe_driver *driver = &ctx->gpu.driver;
  bool found = fe_program.num_checks == 0 && !ctx->profiling;
#define FE_FIND(name, symbol, parameters) \
  found = found && fe_library_find(driver->library, symbol, &driver->graphs.name, sizeof driver->graphs.name);
  FE_CUDA_GRAPH_FUNCTIONS(FE_FIND)
  driver->batch = found ? calloc(1, sizeof *driver->batch) : NULL;
  FE_CUDA_UPDATE_FUNCTIONS(FE_FIND)
#undef FE_FIND
  driver->can_update = found;
}

static void fe_batch_free(struct futhark_context *ctx) {
  struct fe_driver *driver = &ctx->gpu.driver;
  for (int i = 0; i < 2 * FE_BATCHES; i++) {
    struct fe_batch **at = i < FE_BATCHES ? &driver->known[i] : &driver->shapes[i - FE_BATCHES];
    if (*at != NULL) {
      fe_batch_forget(driver, *at);
    }
    free(*at);
    *at = NULL;
  }
  free(driver->batch);
  driver->batch = NULL;
}

static int fe_driver_launch(struct futhark_context *ctx, fe_function kernel, int64_t blocks, int block_size,
                            int64_t shared_bytes, int num_args, const struct fe_arg *args, struct fe_stamp *stamp) {
  if (stamp == NULL && fe_batch_add(ctx, kernel, blocks, block_size, shared_bytes, num_args, args)) {
    return fe_batch_added(ctx);
  }
  int code = fe_batch_flush(ctx);
  if (code != FUTHARK_SUCCESS) {
    return code;
  }
  void *few[32];
  void **pointers = num_args + 2 <= 32 ? few : malloc(((size_t)num_args + 2) * sizeof *pointers);
  if (pointers == NULL) {
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot launch a kernel");
  }
  // The driver copies the arguments before it returns; it takes them as if it could change them.
  pointers[0] = &ctx->gpu.failure;
  pointers[1] = &ctx->gpu.launch;
  for (int i = 0; i < num_args; i++) {
    memcpy(&pointers[i + 2], &args[i].value, sizeof(void *));
  }
  fe_cuda(ctx);
  fe_stamp_start(ctx, stamp);
  int result = fe_cuda_launch(ctx, kernel, blocks, block_size, shared_bytes, pointers);
  fe_stamp_end(ctx, stamp);
  if (pointers != few) {
    free(pointers);
  }
  return fe_cuda_check(ctx, result, "launch a kernel");
}

// What is queued is given to the device.
FE_SHARED void fe_submit(struct futhark_context *ctx) {
  if (ctx->gpu.open) {
    fe_batch_flush(ctx);
  }
}
