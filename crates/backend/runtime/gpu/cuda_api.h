// The parts of the CUDA driver and of NVRTC, its compiler, that we use, declared here so that neither is needed for
// building.

typedef void *fe_function; // CUfunction

// Two events, between which something happens.
struct fe_stamp {
  void *start, *end;
};

#define FE_CUDA_OUT_OF_MEMORY 2
#define FE_CUDA_STREAM_ALONE 1   // a stream that does not wait for others
#define FE_CUDA_EVENT_WITHOUT_TIME 2

// Kernels can write to memory that is made for copies.
#define FE_TOLD

// Functions of the driver, by the names that their current versions have in the library.
#define FE_CUDA_FUNCTIONS(F)                                                                            \
  F(init, "cuInit", (unsigned flags))                                                                   \
  F(driver_version, "cuDriverGetVersion", (int *version))                                               \
  F(error_string, "cuGetErrorString", (int error, const char **text))                                   \
  F(device_count, "cuDeviceGetCount", (int *count))                                                     \
  F(device_get, "cuDeviceGet", (int *device, int number))                                               \
  F(device_name, "cuDeviceGetName", (char *name, int size, int device))                                 \
  F(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))                  \
  F(context_retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                           \
  F(context_release, "cuDevicePrimaryCtxRelease_v2", (int device))                                      \
  F(context_set, "cuCtxSetCurrent", (void *context))                                                    \
  F(stream_create, "cuStreamCreate", (void **stream, unsigned flags))                                   \
  F(stream_wait, "cuStreamSynchronize", (void *stream))                                                 \
  F(stream_follow, "cuStreamWaitEvent", (void *stream, void *event, unsigned flags))                    \
  F(stream_destroy, "cuStreamDestroy_v2", (void *stream))                                               \
  F(module_load, "cuModuleLoadData", (void **module, const void *image))                                \
  F(module_unload, "cuModuleUnload", (void *module))                                                    \
  F(module_function, "cuModuleGetFunction", (void **function, void *module, const char *name))          \
  F(function_attribute, "cuFuncGetAttribute", (int *value, int attribute, void *function))              \
  F(function_set, "cuFuncSetAttribute", (void *function, int attribute, int value))                     \
  F(launch, "cuLaunchKernel",                                                                           \
    (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
     unsigned block_z, unsigned shared_bytes, void *stream, void **arguments, void **extra))            \
  F(alloc, "cuMemAlloc_v2", (uint64_t *address, size_t bytes))                                          \
  F(free, "cuMemFree_v2", (uint64_t address))                                                           \
  F(alloc_host, "cuMemAllocHost_v2", (void **memory, size_t bytes))                                     \
  F(free_host, "cuMemFreeHost", (void *memory))                                                         \
  F(host_register, "cuMemHostRegister_v2", (void *memory, size_t bytes, unsigned flags))                \
  F(host_unregister, "cuMemHostUnregister", (void *memory))                                             \
  F(copy_in, "cuMemcpyHtoDAsync_v2", (uint64_t to, const void *from, size_t bytes, void *stream))       \
  F(copy_out, "cuMemcpyDtoHAsync_v2", (void *to, uint64_t from, size_t bytes, void *stream))            \
  F(copy, "cuMemcpyDtoDAsync_v2", (uint64_t to, uint64_t from, size_t bytes, void *stream))             \
  F(fill, "cuMemsetD8Async", (uint64_t to, unsigned char byte, size_t bytes, void *stream))             \
  F(event_create, "cuEventCreate", (void **event, unsigned flags))                                      \
  F(event_record, "cuEventRecord", (void *event, void *stream))                                         \
  F(event_wait, "cuEventSynchronize", (void *event))                                                    \
  F(event_elapsed, "cuEventElapsedTime", (float *milliseconds, void *start, void *end))                 \
  F(event_destroy, "cuEventDestroy_v2", (void *event))

// Attributes of devices and functions.
enum {
  FE_CUDA_MAX_THREADS_PER_BLOCK = 1,
  FE_CUDA_SHARED_PER_BLOCK = 8,
  FE_CUDA_MULTIPROCESSORS = 16,
  FE_CUDA_THREADS_PER_MULTIPROCESSOR = 39,
  FE_CUDA_MAJOR = 75,
  FE_CUDA_MINOR = 76,
  FE_CUDA_SHARED_PER_BLOCK_OPTIN = 97,
  FE_CUDA_FUNCTION_SHARED = 1,
  FE_CUDA_FUNCTION_DYNAMIC_SHARED = 8
};

// Functions of NVRTC.
#define FE_NVRTC_FUNCTIONS(F)                                                                           \
  F(version, "nvrtcVersion", (int *major, int *minor))                                                  \
  F(create, "nvrtcCreateProgram",                                                                       \
    (void **program, const char *source, const char *name, int headers, const char *const *texts,       \
     const char *const *names))                                                                         \
  F(destroy, "nvrtcDestroyProgram", (void **program))                                                   \
  F(compile, "nvrtcCompileProgram", (void *program, int count, const char *const *options))             \
  F(log_size, "nvrtcGetProgramLogSize", (void *program, size_t *size))                                  \
  F(log, "nvrtcGetProgramLog", (void *program, char *log))                                              \
  F(cubin_size, "nvrtcGetCUBINSize", (void *program, size_t *size))                                     \
  F(cubin, "nvrtcGetCUBIN", (void *program, char *cubin))                                               \
  F(ptx_size, "nvrtcGetPTXSize", (void *program, size_t *size))                                         \
  F(ptx, "nvrtcGetPTX", (void *program, char *ptx))                                                     \
  F(num_archs, "nvrtcGetNumSupportedArchs", (int *count))                                               \
  F(archs, "nvrtcGetSupportedArchs", (int *archs))

#define FE_MEMBER(name, symbol, parameters) int(*name) parameters;
struct fe_cuda {
  FE_CUDA_FUNCTIONS(FE_MEMBER)
};
struct fe_nvrtc {
  FE_NVRTC_FUNCTIONS(FE_MEMBER)
};
#undef FE_MEMBER

// A launch with attributes: CUlaunchConfig.
struct fe_cuda_launch_attribute {
  int number;
  int padding;
  int value[16];
};
struct fe_cuda_launch {
  unsigned grid[3], block[3], shared_bytes;
  void *stream;
  struct fe_cuda_launch_attribute *attributes;
  unsigned num_attributes;
};
// The attribute that allows it to start before the kernels before it have ended.
#define FE_CUDA_LAUNCH_EARLY 6

// Functions of the driver that make graphs of launches. Older drivers may not have them.
#define FE_CUDA_CAPTURE_THREAD 1
#define FE_CUDA_GRAPH_FUNCTIONS(F)                                                                      \
  F(begin, "cuStreamBeginCapture_v2", (void *stream, int mode))                                         \
  F(end, "cuStreamEndCapture", (void *stream, void **graph))                                            \
  F(instantiate, "cuGraphInstantiateWithFlags", (void **exec, void *graph, unsigned long long flags))   \
  F(launch, "cuGraphLaunch", (void *exec, void *stream))                                                \
  F(destroy, "cuGraphDestroy", (void *graph))                                                           \
  F(destroy_exec, "cuGraphExecDestroy", (void *exec))
// Those that give a graph other arguments. Without them, graphs are launched as they are.
#define FE_CUDA_UPDATE_FUNCTIONS(F)                                                                                          \
  F(capture, "cuStreamGetCaptureInfo_v2",                                                                                    \
    (void *stream, int *status, uint64_t *id, void **graph, void *const **nodes, size_t *num_nodes))                         \
  F(update, "cuGraphExecKernelNodeSetParams_v2", (void *exec, void *node, const struct fe_cuda_node *params))                \
  F(update_copy, "cuGraphExecMemcpyNodeSetParams",                                                                           \
    (void *exec, void *node, const struct fe_cuda_copy *params, void *context))                                              \
  F(update_fill, "cuGraphExecMemsetNodeSetParams",                                                                           \
    (void *exec, void *node, const struct fe_cuda_fill *params, void *context))
// What a node of a graph launches: CUDA_KERNEL_NODE_PARAMS_v2.
struct fe_cuda_node {
  void *function;
  unsigned grid[3], block[3], shared_bytes;
  void **arguments, **extra;
  void *kernel, *context;
};
// What it copies: CUDA_MEMCPY3D_v2, of one dimension.
#define FE_CUDA_OF_DEVICE 2
struct fe_cuda_side {
  size_t x, y, z, lod;
  int kind;
  void *host;
  uint64_t device;
  void *array, *reserved;
  size_t pitch, height;
};
struct fe_cuda_copy {
  struct fe_cuda_side from, to;
  size_t bytes, height, depth;
};
// What it sets to zeros: CUDA_MEMSET_NODE_PARAMS_v1, of one dimension.
struct fe_cuda_fill {
  uint64_t to;
  size_t pitch;
  unsigned value, element_bytes;
  size_t width, height;
};
#define FE_MEMBER(name, symbol, parameters) int(*name) parameters;
struct fe_cuda_graphs {
  FE_CUDA_GRAPH_FUNCTIONS(FE_MEMBER)
  FE_CUDA_UPDATE_FUNCTIONS(FE_MEMBER)
};
#undef FE_MEMBER

// Launches that wait to be made together. See gpu/cuda_batch.c.
enum { FE_BATCH = 32, FE_BATCH_ARGS = 1024, FE_BATCHES = 32 };
struct fe_batched {
  fe_function kernel;            // NULL: a copy
  int64_t blocks, shared_bytes; // of a copy, the bytes
  int block_size, num_args;
};
struct fe_batch {
  uint64_t hash, shape; // with and without arguments
  int count, num_args;
  int times;             // how often it has come
  int64_t last;          // when it came last, in batches
  void *graph;           // NULL: it is none
  void *plan;            // what the graph was made of, if it gets other arguments
  bool refused;          // the driver does not give it any
  void *nodes[FE_BATCH]; // of the plan
  struct fe_batched launches[FE_BATCH];
  uint64_t args[FE_BATCH_ARGS];
};

// Values that the device is asked for and that have not arrived, at most.
enum { FE_ASKED = 2 };

struct fe_driver {
  void *library, *compiler_library;
  struct fe_cuda cuda;
  // cuLaunchKernelEx, if the driver and the device have what it takes; otherwise NULL.
  int (*launch_early)(const struct fe_cuda_launch *launch, void *function, void **arguments, void **extra);
  struct fe_nvrtc nvrtc;
  bool started; // the driver is there
  int device;
  int capability; // 90 for 9.0
  void *context, *stream;
  struct fe_cuda_graphs graphs;
  struct fe_batch *batch; // NULL: launches do not wait
  struct fe_batch *known[FE_BATCHES], *shapes[FE_BATCHES];
  int64_t batches;
  bool can_update;
  int misses, pause; // batches in a row that were no graphs, and launches that do not wait because of that
  void *second; // the stream for what is sent; NULL: nothing was yet
  void *marks[FE_ASKED]; // events; NULL: not used yet
  void *base; // an event when the context began
  int64_t base_time;
};
