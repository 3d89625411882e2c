// The parts of OpenCL that we use, declared here so that no header is needed for building.
//
// Memory is coarse-grained shared virtual memory, so that an array is an address with which we can do arithmetic, as
// with CUDA.

typedef void *fe_function; // cl_kernel

struct fe_stamp {
  void *event;
};

#define FE_CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)
#define FE_CL_OUT_OF_RESOURCES (-5)
#define FE_CL_OUT_OF_HOST_MEMORY (-6)

#define FE_OPENCL_FUNCTIONS(F)                                                                          \
  F(int, platforms, "clGetPlatformIDs", (unsigned most, void **platforms, unsigned *count))             \
  F(int, platform_info, "clGetPlatformInfo", (void *platform, unsigned what, size_t size, void *value, size_t *needed)) \
  F(int, devices, "clGetDeviceIDs",                                                                     \
    (void *platform, uint64_t type, unsigned most, void **devices, unsigned *count))                    \
  F(int, device_info, "clGetDeviceInfo", (void *device, unsigned what, size_t size, void *value, size_t *needed)) \
  F(void *, context_create, "clCreateContext",                                                          \
    (const intptr_t *properties, unsigned count, void *const *devices, void *notify, void *data, int *error)) \
  F(int, context_release, "clReleaseContext", (void *context))                                          \
  F(void *, queue_create, "clCreateCommandQueueWithProperties",                                         \
    (void *context, void *device, const uint64_t *properties, int *error))                              \
  F(int, queue_release, "clReleaseCommandQueue", (void *queue))                                         \
  F(int, finish, "clFinish", (void *queue))                                                             \
  F(void *, program_source, "clCreateProgramWithSource",                                                \
    (void *context, unsigned count, const char **texts, const size_t *lengths, int *error))             \
  F(void *, program_binary, "clCreateProgramWithBinary",                                                \
    (void *context, unsigned count, void *const *devices, const size_t *lengths, const unsigned char **binaries, \
     int *status, int *error))                                                                          \
  F(int, program_build, "clBuildProgram",                                                               \
    (void *program, unsigned count, void *const *devices, const char *options, void *notify, void *data)) \
  F(int, build_info, "clGetProgramBuildInfo",                                                           \
    (void *program, void *device, unsigned what, size_t size, void *value, size_t *needed))             \
  F(int, program_info, "clGetProgramInfo", (void *program, unsigned what, size_t size, void *value, size_t *needed)) \
  F(int, program_release, "clReleaseProgram", (void *program))                                          \
  F(void *, kernel_create, "clCreateKernel", (void *program, const char *name, int *error))             \
  F(int, kernel_release, "clReleaseKernel", (void *kernel))                                             \
  F(int, kernel_arg, "clSetKernelArg", (void *kernel, unsigned number, size_t size, const void *value)) \
  F(int, kernel_arg_pointer, "clSetKernelArgSVMPointer", (void *kernel, unsigned number, const void *value)) \
  F(int, launch, "clEnqueueNDRangeKernel",                                                              \
    (void *queue, void *kernel, unsigned dimensions, const size_t *offset, const size_t *global, const size_t *local, \
     unsigned waits, void *const *wait, void **event))                                                  \
  F(void *, alloc, "clSVMAlloc", (void *context, uint64_t flags, size_t bytes, unsigned alignment))     \
  F(void, free, "clSVMFree", (void *context, void *memory))                                             \
  F(int, copy, "clEnqueueSVMMemcpy",                                                                    \
    (void *queue, unsigned blocking, void *to, const void *from, size_t bytes, unsigned waits, void *const *wait, \
     void **event))                                                                                     \
  F(int, fill, "clEnqueueSVMMemFill",                                                                   \
    (void *queue, void *to, const void *pattern, size_t pattern_size, size_t bytes, unsigned waits, void *const *wait, \
     void **event))                                                                                     \
  F(int, barrier, "clEnqueueBarrierWithWaitList", (void *queue, unsigned waits, void *const *wait, void **event)) \
  F(int, event_wait, "clWaitForEvents", (unsigned count, void *const *events))                          \
  F(int, flush, "clFlush", (void *queue))                                                               \
  F(int, event_times, "clGetEventProfilingInfo", (void *event, unsigned what, size_t size, void *value, size_t *needed)) \
  F(int, event_release, "clReleaseEvent", (void *event))

// What can be asked for.
enum {
  FE_CL_PLATFORM_VERSION = 0x0901,
  FE_CL_PLATFORM_NAME = 0x0902,
  FE_CL_DEVICE_TYPE = 0x1000,
  FE_CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
  FE_CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
  FE_CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
  FE_CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
  FE_CL_DEVICE_NAME = 0x102B,
  FE_CL_DRIVER_VERSION = 0x102D,
  FE_CL_DEVICE_VERSION = 0x102F,
  FE_CL_DEVICE_EXTENSIONS = 0x1030,
  FE_CL_DEVICE_SVM_CAPABILITIES = 0x1053,
  FE_CL_CONTEXT_PLATFORM = 0x1084,
  FE_CL_QUEUE_PROPERTIES = 0x1093,
  FE_CL_PROGRAM_BINARY_SIZES = 0x1165,
  FE_CL_PROGRAM_BINARIES = 0x1166,
  FE_CL_PROGRAM_BUILD_LOG = 0x1183,
  FE_CL_PROFILING_QUEUED = 0x1280,
  FE_CL_PROFILING_START = 0x1282,
  FE_CL_PROFILING_END = 0x1283,
  FE_CL_CORRECT_DIVIDE = 1 << 7, // in a configuration of floats
  FE_CL_TYPE_GPU = 1 << 2
};

#define FE_MEMBER(type, name, symbol, parameters) type(*name) parameters;
struct fe_opencl {
  FE_OPENCL_FUNCTIONS(FE_MEMBER)
};
#undef FE_MEMBER

// Values that the device is asked for and that have not arrived, at most.
enum { FE_ASKED = 2 };

struct fe_driver {
  void *library;
  struct fe_opencl cl;
  void *platform, *device, *context, *queue;
  void *second; // the queue for what is sent; NULL: nothing was yet
  void *marks[FE_ASKED]; // events; NULL: none
  int version;         // 30 for OpenCL 3.0
  bool correct_divide; // f32 can be divided as IEEE wants it
};
