//! What CUDA programs begin with, and kernels that use it, compiled by NVRTC for a GPU that need not be there.

use crate::gpu_program;
use crate::nvrtc_compiler::{fast_ptx, ptx};
use crate::scalar_cases::{c_type, cases};
use fehu_backend::Target;
use fehu_backend::runtime::device_prelude;
use fehu_base::Prim;
use std::fmt::Write;

#[test]
fn kernels_are_compiled() {
    let source = device_prelude(Target::Cuda) + gpu_program::KERNELS;
    let text = ptx("kernels", &source);
    for kernel in ["my_scale", "my_dot", "my_evens", "my_check", "my_points", "my_area"] {
        assert!(text.contains(&format!(".visible .entry {kernel}(")), "{kernel}");
    }
    // One instruction in shared memory, one in global memory.
    assert!(text.contains("atom.shared.add.u32") || text.contains("red.shared.add.u32"));
    assert!(text.contains("global.add.u64"), "{text}");
}

#[test]
fn divisions_by_constants_are_no_divisions() {
    let kernel = "FE_KERNEL void halve(FE_FAILURE, FE_GLOBAL int64_t *p) {\n  \
                  p[0] = fe_div_i64(p[1], 8) + fe_mod_i64(p[2], 10);\n}\n";
    let text = ptx("constants", &(device_prelude(Target::Cuda) + kernel));
    assert!(text.contains("shr.s64") && text.contains("mul.hi.s64"), "{text}");
    assert!(!text.contains("div.") && !text.contains("rem."), "{text}");
}

/// The kernel before this one may still write what is constant in this one, until this one waits for it.
#[test]
fn constants_are_read_after_the_kernel_before() {
    let kernel = "FE_KERNEL void twice(FE_FAILURE, FE_GLOBAL float *p, FE_GLOBAL const float *FE_RESTRICT q) {\n  \
                  FE_BEGIN();\n  p[fe_thread_id()] = 2.0f * q[fe_thread_id()];\n}\n";
    let text = ptx("constants_wait", &(device_prelude(Target::Cuda) + kernel));
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} is missing: {text}"));
    assert!(at("griddepcontrol.wait") < at("ld.global.nc"), "{text}");
}

#[test]
fn with_fast_math_quotients_and_roots_are_approximate() {
    let kernel = "FE_KERNEL void invert(FE_FAILURE, FE_GLOBAL float *p) {\n  \
                  p[0] = fe_div_f32(1.0f, fe_sqrt_f32(p[1]));\n  \
                  p[2] = fe_min_f32(p[3], p[4]);\n  p[5] = fe_isnan_f32(p[6]) ? 1.0f : 0.0f;\n  \
                  p[7] = fe_rsqrt_f32(p[8]);\n}\n";
    let source = device_prelude(Target::Cuda) + kernel;
    let text = ptx("exact_root", &source);
    assert!(text.contains("sqrt.rn.f32") && !text.contains("div.approx"), "{text}");
    let text = fast_ptx("fast_root", &source);
    assert_eq!(text.matches("rsqrt.approx").count(), 2, "{text}");
    assert!(!text.contains("\tsqrt.") && !text.contains("div."), "{text}");
    assert!(!text.contains(".rn.f32"), "{text}");
    // Elementary functions stay what they are.
    let kernel = "FE_KERNEL void turn(FE_FAILURE, FE_GLOBAL float *p) {\n  \
                  p[0] = fe_sin_f32(p[1]) + fe_log_f32(p[2]);\n}\n";
    let text = fast_ptx("fast_sine", &(device_prelude(Target::Cuda) + kernel));
    assert!(!text.contains("sin.approx") && !text.contains("lg2.approx"), "{text}");
}

/// Every function that programs may call, with every type.
#[test]
fn everything_compiles() {
    let mut kernels = String::new();
    for (i, case) in cases().iter().enumerate() {
        let params = case.params.iter().enumerate();
        let declared: String =
            params.map(|(p, prim)| format!(", FE_GLOBAL const {} *p{p}", c_type(*prim))).collect();
        let args: Vec<String> = (0..case.params.len()).map(|p| format!("p{p}[0]")).collect();
        let _ = writeln!(
            kernels,
            "FE_KERNEL void case_{i}(FE_FAILURE, FE_GLOBAL {} *r{declared}) {{ *r = {}({}); }}",
            c_type(case.result),
            case.function,
            args.join(", ")
        );
    }
    for function in fehu_ir::MathFn::ALL.iter().filter(|function| function.arity() == 1) {
        let name = function.name();
        if !["popc", "clz", "ctz", "isnan", "isinf"].contains(&name) {
            for prim in [Prim::F16, Prim::F32, Prim::F64] {
                let ty = c_type(prim);
                let _ = writeln!(
                    kernels,
                    "FE_KERNEL void {name}_{prim}(FE_FAILURE, FE_GLOBAL {ty} *p) {{ *p = fe_{name}_{prim}(*p); }}"
                );
            }
        }
    }
    for prim in Prim::ALL {
        let (ty, name) = (c_type(prim), prim.name());
        let _ = writeln!(
            kernels,
            "FE_KERNEL void warp_{name}(FE_FAILURE, FE_GLOBAL {ty} *p) {{\n  {ty} v = p[fe_thread_id()];\n  \
             FE_SHUFFLE_UP({name}, {ty}, v, 1, v);\n  FE_SHUFFLE_DOWN({name}, {ty}, v, 2, v);\n  \
             FE_SHUFFLE_AT({name}, {ty}, v, 0, v);\n  FE_WARP_BARRIER();\n  \
             if (fe_eq_{name}(v, v)) fe_atomic_exchange_{name}(p, v);\n  \
             if (fe_same_{name}(fe_atomic_cas_{name}(p, p[1], v), v)) p[2] = v;\n  \
             FE_FENCE();\n  p[1] = fe_volatile_load_{name}(p);\n}}"
        );
    }
    let text = ptx("everything", &(device_prelude(Target::Cuda) + &kernels));
    assert!(["up", "down", "idx"].iter().all(|way| text.contains(&format!("shfl.sync.{way}.b32"))));
}
