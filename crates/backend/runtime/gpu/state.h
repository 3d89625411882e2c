// What a context and its configuration know about a device. After cuda_api.h or opencl_api.h, which have `struct
// fe_driver`.

// The layout of device/failure.h.
enum { FE_FAILURE_VALUES = 16 };
struct fe_failure {
  int32_t check; // one more than the number of the check that failed; 0: none did
  int32_t launch; // the number of the launch in which it failed
  int64_t values[FE_FAILURE_VALUES];
#ifdef FE_TOLD
  int32_t *told; // where a kernel tells us that a check has failed, so that we need not ask
#endif
};
// Behind it there are locks, and the counters at which blocks meet: all of them are zero between kernels.
enum { FE_LOCKS = 1 << 16, FE_COUNTERS = 1 << 12 };
enum { FE_FAILURE_BYTES = sizeof(struct fe_failure) + (FE_LOCKS + FE_COUNTERS) * sizeof(uint32_t) };

struct fe_gpu_config {
  char *device;   // "#2" or a part of its name; NULL: any
  char *platform; // of OpenCL, likewise
  char *program;  // what replaces the device program, or that program once somebody has asked for it
  char *options; // for the compiler of kernels, separated by line breaks
  int64_t memory_limit; // the most bytes of arrays on the device; 0: as many as it has room for
  // Defaults of tuning parameters; zero if nobody has set them.
  int64_t block_size, grid_size, tile_size, register_tile_size, threshold;
};

// A kernel or a copy whose times the device will know when it is done.
struct fe_timing {
  const char *name, *place;
  int64_t asked; // when it was asked for
  int track, operator_;
  int64_t bytes;
  struct fe_stamp stamp;
};

// Copies to and from the device of at most this many bytes go through memory that it can reach by itself.
enum { FE_STAGED = 1 << 14, FE_STAGE = 16 * FE_STAGED };

// Small values that are on their way from the device, at most, and the room for each of them.
enum { FE_AWAITED = 16, FE_AWAITED_BYTES = 16 };

// A part of the device program: what it was compiled to, if it was, and that as bytes that can be kept.
struct fe_part {
  void *module;
  unsigned char *image;
  size_t size;
};

struct fe_spare;

struct fe_gpu {
  bool open;
  struct fe_driver driver;
  char name[256];      // of the device
  char identity[1024]; // of the device, its driver and its compiler: what compiled kernels depend on
  int64_t limits[FE_NUM_LIMITS];
  fe_function *kernels; // without shared memory, then with it: those that were launched so, the others are NULL
  struct fe_part *parts;
  int num_parts;    // as many as kernels in that list, or one for all
  bool compiled;    // some part was
  char *cache_path; // where they are kept; NULL: nowhere
  char digest[65];  // of everything that goes into compiled kernels
  struct fe_failure *failure; // in the device's memory
  int32_t launch;             // the number of the last launch, from 1
  bool unchecked;             // kernels have run since we last looked there
  bool busy;                  // something was asked for since we last waited
  // Memory of ours that the device can reach: one part for what comes from it, the rest for what goes there, used in turn.
  unsigned char *stage;
  int64_t stage_used;
  struct {
    void *to;
    size_t bytes;
  } awaited[FE_AWAITED]; // what the next fe_fetch brings as well
  int num_awaited;
  int first_asked, num_asked; // values that fe_receive will yield, in turn
  struct fe_timing *timings;
  int64_t num_timings, max_timings;
  // Blocks by their numbers; NULL for those that nobody has. See residence.c.
  struct fe_block **blocks;
  int32_t num_blocks, max_blocks;
  int32_t *free_numbers;
  int32_t num_free_numbers;
  int64_t request; // the number of the last request, which is even
  int64_t spared;  // blocks that were used since this one are not evicted; 0: all others are
  struct fe_spare *spares;
  int64_t spare_bytes;
  struct {
    int64_t count, bytes_out, bytes_in;
  } evictions;
  // The arguments of a launch with addresses of the device.
  struct fe_arg *args;
  struct fe_needed *needed;
  int max_args;
};

FE_UNUSED static void fe_gpu_config_free(struct fe_gpu_config *cfg) {
  free(cfg->device);
  free(cfg->platform);
  free(cfg->program);
  free(cfg->options);
}

// The default of a tuning parameter of a class, if the user has set one.
FE_UNUSED static int64_t fe_gpu_standard(const struct fe_gpu_config *cfg, const char *class, int64_t standard) {
  const struct {
    const char *class;
    int64_t value;
  } set[] = {{"thread_block_size", cfg->block_size},
             {"grid_size", cfg->grid_size},
             {"tile_size", cfg->tile_size},
             {"reg_tile_size", cfg->register_tile_size},
             {"threshold", cfg->threshold}};
  for (size_t i = 0; i < sizeof set / sizeof set[0]; i++) {
    // A threshold has more in its class: what it is compared with.
    if (set[i].value != 0 && strncmp(class, set[i].class, strlen(set[i].class)) == 0) {
      return set[i].value;
    }
  }
  return standard;
}
