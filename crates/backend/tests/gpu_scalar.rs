//! What device programs begin with, run on OpenCL: scalar operations against the interpreter, and updates of memory by
//! many threads at once against doing one after the other.

use crate::gpu_program::{assembled, numbers};
use crate::scalar_cases::{Case, c_type, cases, compare, tuples, values};
use fehu_base::Prim;
use fehu_interp::scalar::binop;
use fehu_ir::{BinOp, Scalar};
use std::fmt::Write;

/// How many cases one kernel has: compilers take long for one with all of them.
const PER_KERNEL: usize = 40;

#[test]
fn every_operation_agrees_with_the_interpreter() {
    let cases = cases();
    let mut kernels = String::new();
    for (number, group) in cases.chunks(PER_KERNEL).enumerate() {
        let _ = writeln!(
            kernels,
            "FE_KERNEL void test_{number}(FE_FAILURE, FE_GLOBAL const uint64_t *p0, \
             FE_GLOBAL const uint64_t *p1, FE_GLOBAL const uint64_t *p2, FE_GLOBAL uint64_t *r, int64_t n, int32_t which) {{\n  \
             int64_t k = fe_block_id() * fe_block_size() + fe_thread_id();\n  \
             if (k >= n) return;\n  switch (which) {{"
        );
        for (i, case) in group.iter().enumerate() {
            let args = case.params.iter().enumerate();
            let args: Vec<String> =
                args.map(|(p, prim)| decoded(*prim, &format!("p{p}[k]"))).collect();
            let call = format!("{}({})", case.function, args.join(", "));
            let _ = writeln!(kernels, "  case {i}: r[k] = {}; break;", encoded(case.result, &call));
        }
        kernels.push_str("  }\n}\n");
    }
    let results = numbers(&assembled("gpu_scalar", &kernels, &host(&cases), &[]), &[]);
    compare(&cases, results);
}

/// A value of a type from its bits.
fn decoded(prim: Prim, bits: &str) -> String {
    match prim {
        Prim::F32 => format!("fe_bits_u32_f32((uint32_t){bits})"),
        Prim::F64 => format!("fe_bits_u64_f64({bits})"),
        Prim::Bool => format!("({bits} != 0)"),
        _ => format!("(({}){bits})", c_type(prim)),
    }
}

/// The bits of a value of a type.
fn encoded(prim: Prim, value: &str) -> String {
    match prim {
        Prim::F32 => format!("fe_bits_f32_u32({value})"),
        Prim::F64 => format!("fe_bits_f64_u64({value})"),
        Prim::Bool => format!("({value} ? 1 : 0)"),
        _ => format!("(uint64_t)(uint{}_t){value}", prim.bits()),
    }
}

/// The host's part: for every case the operands go to the device and the results' bits to standard output.
fn host(cases: &[Case]) -> String {
    let mut text = String::new();
    let mut tables = Vec::new();
    for prim in Prim::ALL {
        let numbers: Vec<String> =
            values(prim).iter().map(|v| format!("UINT64_C({:#x})", v.bits())).collect();
        let name = format!("V_{}", prim.name());
        let _ = writeln!(text, "static const uint64_t {name}[] = {{{}}};", numbers.join(","));
        tables.push(name);
    }
    text.push_str(
        "struct my_case { int arity; const uint64_t *values[3]; int64_t counts[3]; };\n\
         static const struct my_case my_cases[] = {\n",
    );
    for case in cases {
        let values_of = |prim: &Prim| format!("V_{}", prim.name());
        let lists: Vec<String> = case.params.iter().map(values_of).collect();
        let counts: Vec<String> =
            case.params.iter().map(|prim| values(*prim).len().to_string()).collect();
        let _ = writeln!(
            text,
            "  {{{}, {{{}}}, {{{}}}}},",
            case.params.len(),
            lists.join(", "),
            counts.join(", ")
        );
    }
    let most = cases.iter().map(|case| tuples(&case.params).len()).max().unwrap_or(0);
    let _ = writeln!(
        text,
        "}};\nenum {{ MY_CASES = {}, MY_MOST = {most}, MY_PER_KERNEL = {PER_KERNEL} }};",
        cases.len()
    );
    text.push_str(include_str!("c/gpu_scalar.c"));
    text
}

/// Operations whose order does not matter.
const UPDATES: [(BinOp, &str); 7] = [
    (BinOp::Add, "add"),
    (BinOp::Mul, "mul"),
    (BinOp::Min, "min"),
    (BinOp::Max, "max"),
    (BinOp::And, "and"),
    (BinOp::Or, "or"),
    (BinOp::Xor, "xor"),
];

/// How many elements there are, which threads update in turn: all threads those in global memory, and the threads of the
/// first block those in its shared memory.
const ELEMENTS: usize = 7;
const THREADS: usize = 320;
const BLOCK: usize = 80;

/// What the thread of this number contributes.
fn contribution(prim: Prim, op: BinOp, thread: usize) -> Scalar {
    let number = (thread as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3;
    match prim {
        // Small numbers, so that sums are exact and products are finite.
        Prim::F16 | Prim::F32 | Prim::F64 => {
            let small = if op == BinOp::Mul { 1.0 } else { (number % 5) as f64 - 2.0 };
            fehu_interp::scalar::convert(prim, Scalar::F64(small)).unwrap_or(Scalar::Unit)
        }
        Prim::Bool => Scalar::Bool(number & 1 == 1),
        // Products of odd numbers do not vanish.
        _ => Scalar::from_bits(prim, if op == BinOp::Mul { number | 1 } else { number }),
    }
}

#[test]
fn many_threads_update_memory_at_once() {
    let one = |prim| contribution(prim, BinOp::Mul, 1);
    let updates: Vec<(Prim, BinOp, &str)> = Prim::ALL
        .into_iter()
        .flat_map(|prim| UPDATES.map(|(op, name)| (prim, op, name)))
        .filter(|(prim, op, _)| binop(*op, one(*prim), one(*prim)).is_some())
        .collect();
    let mut kernels = String::new();
    for prim in Prim::ALL {
        // One kernel for each type, since compiling kernels takes time.
        let (ty, prim_name) = (c_type(prim), prim.name());
        let calls = |target: &str, index: &str| -> String {
            let own = updates.iter().enumerate().filter(|(_, (other, ..))| *other == prim);
            let call = |(i, (_, _, name)): (usize, &(Prim, BinOp, &str))| {
                format!(
                    "    case {i}: fe_atomic_{name}_{prim_name}({target} + {index} % {ELEMENTS}, x[g]); break;\n"
                )
            };
            own.map(call).collect()
        };
        let _ = writeln!(
            kernels,
            "FE_KERNEL void update_{prim_name}(FE_FAILURE, FE_GLOBAL {ty} *p, FE_GLOBAL const {ty} *x, int32_t which) {{\n  \
             FE_SHARED {ty} shared[{ELEMENTS}];\n  int t = fe_thread_id();\n  \
             int64_t g = fe_block_id() * fe_block_size() + t;\n  \
             if (t < {ELEMENTS}) shared[t] = x[t];\n  FE_BARRIER();\n  \
             if (t >= {ELEMENTS}) {{\n    switch (which) {{\n{}    }}\n  }}\n  \
             switch (which) {{\n{}  }}\n  FE_BARRIER();\n  \
             if (g < {ELEMENTS}) fe_atomic_exchange_{prim_name}(p + {ELEMENTS} + t, fe_volatile_load_{prim_name}(shared + t));\n}}",
            calls("shared", "t"),
            calls("p", "g")
        );
    }
    let mut inputs = String::from("static const uint64_t my_inputs[] = {\n");
    for (prim, op, _) in &updates {
        for thread in 0..THREADS {
            let _ = write!(inputs, "UINT64_C({:#x}),", contribution(*prim, *op, thread).bits());
        }
        inputs.push('\n');
    }
    inputs.push_str("};\nstatic const int my_sizes[] = {");
    for (prim, ..) in &updates {
        let _ = write!(inputs, "{}, ", prim.bits().max(8) / 8);
    }
    inputs.push_str("};\nstatic const int my_kernels[] = {");
    for (prim, ..) in &updates {
        let kernel = Prim::ALL.iter().position(|other| other == prim);
        let _ = write!(inputs, "{}, ", kernel.unwrap_or_default());
    }
    let _ = writeln!(
        inputs,
        "}};\nenum {{ MY_UPDATES = {}, MY_ELEMENTS = {ELEMENTS}, MY_THREADS = {THREADS}, MY_BLOCK = {BLOCK} }};",
        updates.len()
    );
    inputs.push_str(include_str!("c/gpu_update.c"));
    let results = numbers(&assembled("gpu_update", &kernels, &inputs, &[]), &[]);
    let mut results = results.into_iter();
    for (prim, op, name) in updates {
        // First in global memory, where elements start with those of the first threads as well, then in shared memory.
        for (skipped, end) in [(0, THREADS), (ELEMENTS, BLOCK)] {
            for element in 0..ELEMENTS {
                let threads = (element + skipped..end).step_by(ELEMENTS);
                let expected = threads.fold(contribution(prim, op, element), |sum, thread| {
                    binop(op, sum, contribution(prim, op, thread)).unwrap_or(Scalar::Unit)
                });
                let actual = results.next().map(|bits| Scalar::from_bits(prim, bits));
                assert_eq!(actual, Some(expected), "{name} {} {element} {skipped}", prim.name());
            }
        }
    }
    assert_eq!(results.next(), None);
}
