//! How fast ten million numbers are written and read: `cargo run --release --example speed`.
#![expect(clippy::print_stdout, reason = "a program to look at")]

use fehu_data::compare::{Options, compare};
use fehu_data::generate::{Generator, Spec};
use fehu_data::reader::read_all;
use fehu_data::text::Style;
use fehu_data::{Value, binary, npy, text};
use std::time::Instant;

fn main() {
    for ty in ["[10000000]f32", "[1000][10000]f64", "[10000000]i32", "[10000000]f16"] {
        let spec = Spec::parse(ty).expect("a type");
        let value = time(&format!("{ty} generate"), || Generator::new(1).value(&spec));
        let values = [value.expect("enough memory")];
        let value = &values[0];
        for (name, style) in [("program", Style::PROGRAM), ("dataset", Style::DATASET)] {
            let mut bytes = Vec::new();
            time(&format!("{ty} write text, {name}"), || text::write(&mut bytes, value, style))
                .expect("memory");
            read_and_compare(ty, "text", &bytes, &values);
        }
        let bytes = time(&format!("{ty} write binary"), || binary::to_bytes(value));
        read_and_compare(ty, "binary", &bytes, &values);
        let mut bytes = Vec::new();
        time(&format!("{ty} write npy"), || npy::write(&mut bytes, value)).expect("memory");
        read_and_compare(ty, "npy", &bytes, &values);
    }
}

fn read_and_compare(ty: &str, format: &str, bytes: &[u8], values: &[Value]) {
    let megabytes = bytes.len() / 1_000_000;
    let read = time(&format!("{ty} read {format}, {megabytes} MB"), || read_all(bytes));
    let read = read.expect("what was written");
    let exact = Options { tolerance: 0.0, ..Options::default() };
    let result = time(&format!("{ty} compare"), || compare(values, &read, &exact));
    assert!(result.is_equal(), "{}", result.summary());
}

fn time<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    println!("{:8.1} ms  {what}", start.elapsed().as_secs_f64() * 1e3);
    result
}
