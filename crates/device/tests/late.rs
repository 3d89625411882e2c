//! What the host waits for, and when.

use fehu_device::{Options, device};
use fehu_imp::text::parse;
use fehu_imp::verify::{Phase, verify};

/// The lines of a function of the host after this stage, for code that begins with a kernel that stores a number, which is then `found`.
fn after(code: &str) -> Vec<String> {
    let text = format!(
        "prog imp
         fun f(n: i64) -> (r: i64, r_mem: mem) {{
           var sum_mem: mem
           var sum: *i64
           sum_mem = alloc i64[1]
           sum = data sum_mem[0]
           var xs_mem: mem
           var xs: *i64
           xs_mem = alloc i64[n]
           xs = data xs_mem[0]
           launch \"sum\" at \"\" block a of n thread b of 32 {{
             sum[0] = n
           }}
           var found: i64 = sum[0]
           free sum_mem
           {code}
         }}"
    );
    let mut program = parse(&text).expect("it is a program");
    verify(&program, Phase::Emitted).expect("it keeps the rules");
    device(&mut program, Options { interleaving: false, copies: true });
    if let Err(errors) = verify(&program, Phase::Device) {
        panic!("{}\n{program}", errors[0]);
    }
    program.to_string().lines().map(|line| line.trim().to_owned()).collect()
}

/// The numbers of the lines that contain something.
fn lines(code: &[String], text: &str) -> Vec<usize> {
    (0..code.len()).filter(|k| code[*k].contains(text)).collect()
}

/// A kernel that stores the half of what was found.
const STORE: &str = "var half: i64 = quot_i64(found, 2)
    launch \"map\" at \"\" block c of n thread d of 32 {
      xs[d] = half
    }";

#[test]
fn what_only_kernels_need_is_not_fetched() {
    let code = after(&format!("{STORE} r = n"));
    assert!(lines(&code, "fetch").is_empty(), "{code:#?}");
    let (launch, free) = (lines(&code, "launch \"map\"")[0], lines(&code, "free sum_mem")[0]);
    assert!(launch < free, "{code:#?}");
}

#[test]
fn kernels_that_need_a_value_come_before_the_host() {
    let code = after(&format!("{STORE} r = found"));
    assert!(lines(&code, "launch \"map\"")[0] < lines(&code, "fetch")[0], "{code:#?}");
}

#[test]
fn a_value_is_fetched_before_its_memory_changes() {
    let code = after(
        "launch \"map\" at \"\" block c of n thread d of 32 {
           xs[d] = sum[0]
           sum[0] = 0
         }
         r = found",
    );
    assert!(lines(&code, "fetch")[0] < lines(&code, "launch \"map\"")[0], "{code:#?}");
}

#[test]
fn a_value_is_fetched_before_a_check_of_the_host() {
    let check = "assert le_i64(0, n), \"negative\" at \"\"";
    let code = after(&format!("{check} {STORE} r = found"));
    assert!(lines(&code, "fetch")[0] < lines(&code, "assert")[0], "{code:#?}");
}

#[test]
fn the_number_of_blocks_is_fetched() {
    let code = after(
        "launch \"map\" at \"\" block c of found thread d of 32 {
           xs[d] = 0
         }
         r = n",
    );
    assert!(lines(&code, "fetch")[0] < lines(&code, "launch \"map\"")[0], "{code:#?}");
}
