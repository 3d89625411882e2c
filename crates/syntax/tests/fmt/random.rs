//! Programs of the cases with line breaks, empty lines and comments put in and taken out between
//! their tokens at random. White space never changes the meaning of a program except directly
//! before a `[`, inside tokens, and before an `import` that is an argument; what does not parse any
//! more, or is another program, is not counted.

use super::check;
use std::path::Path;

/// A linear congruential generator, so that failures can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

#[test]
fn mutated_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fmt/cases");
    let mut texts = Vec::new();
    for file in ["comments.fut", "declarations.fut", "expressions.fut"] {
        let text = std::fs::read_to_string(folder.join(file)).expect("the cases");
        for case in text.split("-- ====\n") {
            texts.extend(case.split("-- ==>\n").map(str::to_owned));
        }
    }
    let rounds = std::env::var("FEHU_FMT_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(20);
    let mut random = Random(1);
    let mut programs = 0;
    for _ in 0..rounds {
        for text in &texts {
            let often = 1 + random.below(12);
            let mutated = mutate(text, &mut random, often);
            match check(&mutated) {
                None => {}
                Some(Ok(_)) => programs += 1,
                Some(Err(why)) => panic!("{why}\nfrom:\n{mutated}"),
            }
        }
    }
    assert!(programs > texts.len() * rounds / 3, "only {programs} programs");
}

/// Changes white space, each place with a probability of one in `often`.
fn mutate(text: &str, random: &mut Random, often: u64) -> String {
    let mut out = String::new();
    let mut in_string = false;
    for line in text.lines() {
        let (code, comment) = match line.find("--") {
            // A string that contains `--`: leave the line alone.
            Some(_) if line.contains('"') => (line, None),
            Some(at) => (&line[..at], Some(&line[at..])),
            None => (line, None),
        };
        let mut previous = ' ';
        for c in code.chars() {
            in_string ^= c == '"' && previous != '\\';
            let boundary = !in_string && (c == ' ' || "(){},".contains(previous));
            if boundary && c != '[' && random.below(often) == 0 {
                out.push_str(match random.below(6) {
                    0 => " -- c1\n",
                    1 => "\n-- c2\n\n  ",
                    2 => "\n\n\n",
                    3 => " -- c3\n -- | c4\n",
                    _ => "\n",
                });
            }
            out.push(c);
            previous = c;
        }
        in_string = false;
        match comment {
            Some(comment) if random.below(often) > 0 => {
                out.push_str(comment);
                out.push('\n');
            }
            _ if random.below(often) == 0 => out.push(' '),
            _ => out.push('\n'),
        }
    }
    out
}
