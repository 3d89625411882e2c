//! What executes a program. All that distinguishes the programs of a back end from others is a row of [`Target::facts`].

use fehu_imp::device::DEVICE;

/// What executes a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// One thread.
    C,
    /// All cores.
    Multicore,
    /// A GPU of NVIDIA's.
    Cuda,
    /// Any device with OpenCL.
    OpenCl,
}

/// What distinguishes the programs of a target.
pub(crate) struct Facts {
    /// The name that commands, options and clients know.
    name: &'static str,
    /// Who shares the work.
    workers: Workers,
    /// What the C file begins with.
    pub(crate) define: &'static str,
    /// What the interface has beside that of all programs.
    pub(crate) interface: &'static [&'static str],
    /// What the functions of programs use, and what contexts know.
    pub(crate) state: Files,
    /// What uses contexts.
    pub(crate) sources: &'static [Files],
    /// What kernels can use.
    pub(crate) prelude: Files,
}

/// Who shares the work of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Workers {
    /// Nobody.
    One,
    /// Threads of the processor.
    Threads,
    /// A device, of which every one that there is has blocks of so many threads.
    Device { block_threads: u32 },
}

impl Target {
    /// The name that commands, options and clients know.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Whether arrays are in the memory of a device.
    pub fn is_gpu(self) -> bool {
        matches!(self.facts().workers, Workers::Device { .. })
    }

    /// The most threads of a block on all of its devices.
    pub fn block_threads(self) -> u32 {
        match self.facts().workers {
            Workers::Device { block_threads } => block_threads,
            Workers::One | Workers::Threads => 1,
        }
    }

    /// Whether the threads of a processor share tasks.
    pub fn has_tasks(self) -> bool {
        self.facts().workers == Workers::Threads
    }

    pub(crate) fn facts(self) -> &'static Facts {
        match self {
            Target::C => &Facts {
                name: "c",
                workers: Workers::One,
                define: "",
                interface: &[],
                state: &[],
                sources: &[],
                prelude: &[],
            },
            Target::Multicore => &Facts {
                name: "multicore",
                workers: Workers::Threads,
                define: "#define FE_MULTICORE\n",
                interface: &[MULTICORE],
                state: TASKS,
                sources: &[SCHEDULER],
                prelude: &[],
            },
            Target::Cuda => &Facts {
                name: "cuda",
                workers: Workers::Device { block_threads: 1024 },
                define: "#define FE_GPU\n#define FE_CUDA\n",
                interface: &[GPU, CUDA_INTERFACE],
                state: CUDA_STATE,
                sources: &[DEVICES, CUDA, DEVICE_PROGRAMS],
                prelude: CUDA_PRELUDE,
            },
            Target::OpenCl => &Facts {
                name: "opencl",
                workers: Workers::Device { block_threads: DEVICE.threads },
                define: "#define FE_GPU\n#define FE_OPENCL\n",
                interface: &[GPU, OPENCL_INTERFACE],
                state: OPENCL_STATE,
                sources: &[DEVICES, OPENCL, DEVICE_PROGRAMS],
                prelude: OPENCL_PRELUDE,
            },
        }
    }
}

/// Parts of C files, with their names.
pub(crate) type Files = &'static [(&'static str, &'static str)];

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../runtime/", $name)))),*]
    };
}
pub(crate) use files;

/// What the functions of programs use if there are several threads.
const TASKS: Files = files!["tasks.h", "atomics.h"];
/// The scheduler, which looks into the context.
const SCHEDULER: Files =
    files!["clock.c", "cores.c", "deque.c", "portion.c", "pool.c", "scheduler.c"];
/// What contexts know of devices, and what programs ask of them.
const CUDA_STATE: Files = files!["gpu/interface.h", "gpu/cuda_api.h", "gpu/state.h"];
const OPENCL_STATE: Files = files!["gpu/interface.h", "gpu/opencl_api.h", "gpu/state.h"];
/// Devices, in parts that all of them have, ...
const DEVICES: Files = files!["gpu/config.c", "gpu/driver.h", "gpu/library.c", "gpu/choose.c"];
/// ... that are each driver's own, ...
const CUDA: Files = files!["gpu/cuda.c", "gpu/cuda_kernels.c", "gpu/cuda_batch.c"];
const OPENCL: Files = files!["gpu/opencl.c", "gpu/opencl_kernels.c"];
/// ... and that use the driver.
const DEVICE_PROGRAMS: Files = files![
    "gpu/digest.c",
    "gpu/cache.c",
    "gpu/build.c",
    "gpu/profile.c",
    "gpu/residence.c",
    "gpu/transfer.c",
    "gpu/memory.c",
    "gpu/launch.c",
    "gpu/start.c",
];
/// What kernels can use.
const CUDA_PRELUDE: Files = files![
    "device/cuda.h",
    "scalar.h",
    "convert.h",
    "math.h",
    "device/atomics.h",
    "device/atomics_cuda.h",
    "device/exchange.h",
    "device/warp_cuda.h",
    "device/failure.h",
];
const OPENCL_PRELUDE: Files = files![
    "device/opencl.h",
    "scalar.h",
    "convert.h",
    "math.h",
    "device/atomics.h",
    "device/atomics_opencl.h",
    "device/exchange.h",
    "device/warp_opencl.h",
    "device/failure.h",
];

const MULTICORE: &str =
    "void futhark_context_config_set_num_threads(struct futhark_context_config *cfg, int n);\n";

const GPU: &str = "
// Devices. What `new_raw` takes and `values_raw` yields are addresses of their memory.
void futhark_context_config_set_device(struct futhark_context_config *cfg, const char *s);
// The most bytes of arrays on the device; 0, the default, is as many as it has room for. Others are evicted to host
// memory for a while, except those whose addresses `values_raw` has told.
void futhark_context_config_set_device_memory_limit(struct futhark_context_config *cfg, size_t bytes);
void futhark_context_config_set_default_thread_block_size(struct futhark_context_config *cfg, int size);
void futhark_context_config_set_default_group_size(struct futhark_context_config *cfg, int size);
void futhark_context_config_set_default_grid_size(struct futhark_context_config *cfg, int num);
void futhark_context_config_set_default_num_groups(struct futhark_context_config *cfg, int num);
void futhark_context_config_set_default_tile_size(struct futhark_context_config *cfg, int num);
void futhark_context_config_set_default_reg_tile_size(struct futhark_context_config *cfg, int num);
void futhark_context_config_set_default_threshold(struct futhark_context_config *cfg, int num);
const char *futhark_context_config_get_program(struct futhark_context_config *cfg);
void futhark_context_config_set_program(struct futhark_context_config *cfg, const char *program);
";

const CUDA_INTERFACE: &str = "\
void futhark_context_config_add_nvrtc_option(struct futhark_context_config *cfg, const char *opt);
";

const OPENCL_INTERFACE: &str = "\
void futhark_context_config_set_platform(struct futhark_context_config *cfg, const char *s);
void futhark_context_config_add_build_option(struct futhark_context_config *cfg, const char *opt);
";
