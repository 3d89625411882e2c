//! Whatever the bytes are, a reader gives values or an error, without panic and without asking for memory that
//! the input does not justify.

use crate::values::value;
use fehu_base::Prim;
use fehu_data::generate::{Bounds, Rng, Spec};
use fehu_data::reader::read_all;
use fehu_data::text::Style;
use fehu_data::{Reader, ValueType, binary, npy, text};

/// Reads in all ways. What can be read is written and read again.
fn read(bytes: &[u8], rng: &mut Rng) {
    let elem = Prim::ALL[rng.up_to(11) as usize];
    let expected = ValueType { elem, rank: rng.up_to(2) as usize };
    let _ = Reader::new(bytes).next_value(Some(&expected));
    let _ = npy::read(bytes);
    match read_all(bytes) {
        Ok(values) => {
            for value in values {
                let written = text::to_string(&value, Style::SHORT);
                read_all(written.as_bytes()).expect("what was written can be read");
            }
        }
        Err(error) => {
            assert!(error.offset <= bytes.len(), "{error}");
            assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty());
            assert!(error.to_string().len() < 1000, "{error}");
        }
    }
    let text = String::from_utf8_lossy(bytes);
    let _ = Spec::parse_all(&text);
    let _ = Bounds::parse(elem, &text);
}

#[test]
fn random_bytes() {
    let mut rng = Rng::new(1);
    for _ in 0..50_000 {
        let length = rng.up_to(40);
        let bytes: Vec<u8> = (0..length).map(|_| rng.next_u64() as u8).collect();
        read(&bytes, &mut rng);
    }
}

#[test]
fn random_words() {
    let words: Vec<&str> = "[ ] [ ] , , 1 -1 2i8 0x 0x1F 0b1 0b2 1_0 1e 1e5 1e-5f32 1.5 . .. - + -- \n \" \\ \\x ( ) \
        empty( empty ([0] i32 f16 f32.nan -f64.inf nan inf true false b \u{e9} 0x1.8p3 p 99999999999999999999 1f16 \
        [10]i32 :"
        .split(' ')
        .collect();
    let mut rng = Rng::new(2);
    for _ in 0..100_000 {
        let mut text = String::new();
        for _ in 0..rng.up_to(8) {
            text.push_str(words[rng.up_to(words.len() as u64 - 1) as usize]);
            if rng.up_to(1) == 0 {
                text.push(' ');
            }
        }
        read(text.as_bytes(), &mut rng);
    }
}

#[test]
fn damaged_values() {
    let mut rng = Rng::new(3);
    for round in 0..30_000 {
        let value = value(&mut rng);
        let mut bytes = Vec::new();
        match round % 3 {
            0 => text::write(&mut bytes, &value, Style::DATASET).expect("memory"),
            1 => binary::write(&mut bytes, &value).expect("memory"),
            _ => npy::write(&mut bytes, &value).expect("memory"),
        }
        for _ in 0..=rng.up_to(2) {
            // Most of the time damage the start, where headers are.
            let last = bytes.len() as u64 - 1;
            let anywhere = rng.up_to(3) == 0;
            let at = rng.up_to(if anywhere { last } else { last.min(20) }) as usize;
            match rng.up_to(3) {
                0 => bytes[at] = rng.next_u64() as u8,
                1 => bytes[at] ^= 1 << rng.up_to(7),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at + 1),
            }
            if bytes.is_empty() {
                break;
            }
        }
        read(&bytes, &mut rng);
    }
}

#[test]
fn headers_that_lie() {
    let mut rng = Rng::new(4);
    for _ in 0..20_000 {
        let rank = rng.up_to(4) as u8;
        let mut bytes = vec![b'b', 2, rank];
        bytes.extend(format!("{:>4}", Prim::ALL[rng.up_to(11) as usize].name()).as_bytes());
        for _ in 0..rank {
            let size = rng.next_u64() >> rng.up_to(63);
            let size = if rng.up_to(3) == 0 { 0 } else { size };
            bytes.extend(size.to_le_bytes());
        }
        bytes.extend((0..rng.up_to(20)).map(|_| 1));
        read(&bytes, &mut rng);
    }
}

#[test]
fn deep_brackets() {
    let mut rng = Rng::new(5);
    for depth in [254, 255, 256, 100_000] {
        let text = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(read_all(text.as_bytes()).is_ok(), depth <= 255);
        read(text.as_bytes(), &mut rng);
    }
    read("(".repeat(100_000).as_bytes(), &mut rng);
    read("9".repeat(100_000).as_bytes(), &mut rng);
    read(format!("0x{}p9", "9".repeat(100_000)).as_bytes(), &mut rng);
    read(format!("1e{}", "9".repeat(100_000)).as_bytes(), &mut rng);
}
