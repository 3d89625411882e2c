//! Mutants of programs: mutations of their tokens, and of the trees that brackets make of them.
//!
//! Few mutants of tokens alone have types, so most mutations replace a thing by another of its kind: a name
//! by a name, an operator by an operator, a literal by an extreme one, a type everywhere by another, what is
//! between brackets by what is between others.

use fehu_irgen::rng::Rng;

const PRIMS: [&str; 12] =
    ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "bool"];

const INTEGERS: [&str; 19] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "-1",
    "(-1)",
    "(-2)",
    "127",
    "128",
    "255",
    "65535",
    "1000000",
    "2147483647",
    "(-2147483648)",
    "4294967296",
    "9223372036854775807",
    "(-9223372036854775808)",
    "0x7f",
];

const FLOATS: [&str; 8] =
    ["0.0", "(-0.0)", "1.0", "1e38", "1e-45", "f32.inf", "f32.nan", "(1.0 / 0.0)"];

const OPERATORS: [&[&str]; 5] = [
    &["+", "-", "*", "/", "%", "//", "%%", "**", "<<", ">>", "&", "|", "^"],
    &["==", "!=", "<", "<=", ">", ">="],
    &["&&", "||"],
    &["..<", "..>", "..."],
    &["|>", "<|", "++"],
];

const WORDS: [&[&str]; 6] = [
    &["map", "filter", "rotate 1", "reverse", "copy", "indices", "scan (+) 0", "tabulate 3", "rep"],
    &["reduce", "scan", "reduce_comm"],
    &["zip", "map2", "scatter", "concat", "zip3"],
    &["iota", "replicate 2", "rep", "length"],
    &["take", "drop", "replicate"],
    &["flatten", "unflatten", "transpose", "head", "last", "unzip"],
];

/// A program with some mutations.
pub fn mutant(text: &str, random: &mut Rng) -> String {
    let mut tokens = tokens(text);
    let often = [1, 1, 1, 2, 2, 3, 5][random.below(7)];
    for _ in 0..often {
        mutate(&mut tokens, random);
    }
    tokens.concat()
}

fn mutate(tokens: &mut Vec<String>, random: &mut Rng) {
    let words: Vec<usize> =
        (0..tokens.len()).filter(|i| kind(&tokens[*i]) != Kind::Blank).collect();
    let (Some(a), Some(b)) = (random.pick(&words), random.pick(&words)) else { return };
    match random.below(20) {
        0 => {
            tokens.remove(a);
        }
        1 => tokens.insert(a, tokens[b].clone()),
        2 => tokens.swap(a, b),
        3..=5 => same_kind(tokens, a, &words, random),
        6..=8 => literal(tokens, random),
        9 | 10 => operator(tokens, random),
        11 => primitive(tokens, random),
        12 | 13 => function(tokens, random),
        14..=16 => group(tokens, random),
        17 => size(tokens, random),
        18 => line(tokens, random),
        _ => wrap(tokens, random),
    }
}

/// A word for a word, a sign for a sign.
fn same_kind(tokens: &mut [String], at: usize, all: &[usize], random: &mut Rng) {
    let wanted = kind(&tokens[at]);
    let alike: Vec<usize> = all.iter().copied().filter(|i| kind(&tokens[*i]) == wanted).collect();
    if let Some(other) = random.pick(&alike) {
        tokens[at] = tokens[other].clone();
    }
}

/// A literal becomes an extreme one.
fn literal(tokens: &mut [String], random: &mut Rng) {
    let numbers: Vec<usize> = (0..tokens.len())
        .filter(|i| tokens[*i].starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    let Some(at) = random.pick(&numbers) else { return };
    let old = &tokens[at];
    let suffix = PRIMS.iter().find(|prim| old.ends_with(**prim)).copied().unwrap_or("");
    let float = old.contains('.') || suffix.starts_with('f');
    let new = if float { random.pick(&FLOATS) } else { random.pick(&INTEGERS) };
    let Some(new) = new else { return };
    tokens[at] = match new.strip_suffix(')') {
        Some(open) if !new.contains(' ') => format!("{open}{suffix})"),
        _ if new.contains("inf") || new.contains("nan") || new.contains(' ') => new.to_owned(),
        _ => format!("{new}{suffix}"),
    };
}

fn operator(tokens: &mut [String], random: &mut Rng) {
    let class = OPERATORS[random.below(OPERATORS.len())];
    replace_one(tokens, class, random);
}

fn function(tokens: &mut [String], random: &mut Rng) {
    let class = WORDS[random.below(WORDS.len())];
    replace_one(tokens, class, random);
}

fn replace_one(tokens: &mut [String], class: &[&str], random: &mut Rng) {
    let found: Vec<usize> =
        (0..tokens.len()).filter(|i| class.contains(&tokens[*i].as_str())).collect();
    if let (Some(at), Some(new)) = (random.pick(&found), random.pick(class)) {
        tokens[at] = new.to_owned();
    }
}

/// A primitive type becomes another, in one place or everywhere.
fn primitive(tokens: &mut [String], random: &mut Rng) {
    let found: Vec<usize> =
        (0..tokens.len()).filter(|i| PRIMS.contains(&tokens[*i].as_str())).collect();
    let (Some(at), Some(new)) = (random.pick(&found), random.pick(&PRIMS)) else { return };
    let old = tokens[at].clone();
    if random.below(2) == 0 {
        tokens[at] = new.to_owned();
        return;
    }
    for token in tokens {
        if *token == old {
            *token = new.to_owned();
        } else if let Some(number) = token.strip_suffix(old.as_str())
            && number.starts_with(|c: char| c.is_ascii_digit())
        {
            *token = format!("{number}{new}");
        }
    }
}

/// What is between brackets: exchanged, repeated, put into another, or removed.
fn group(tokens: &mut Vec<String>, random: &mut Rng) {
    let groups = groups(tokens);
    let Some((start, end)) = random.pick(&groups) else { return };
    let open = tokens[start].clone();
    let alike: Vec<(usize, usize)> =
        groups.iter().copied().filter(|(s, _)| tokens[*s] == open).collect();
    let Some((from, to)) = random.pick(&alike) else { return };
    let other: Vec<String> = tokens[from..=to].to_vec();
    match random.below(5) {
        0 => {
            tokens.drain(start..=end);
        }
        1 => {
            let at = end + 1;
            tokens.splice(at..at, other);
        }
        2 => {
            // The brackets go, what is in them stays.
            tokens.remove(end);
            tokens.remove(start);
        }
        _ => {
            tokens.splice(start..=end, other);
        }
    }
}

/// A size in a type or the bounds of a slice.
fn size(tokens: &mut Vec<String>, random: &mut Rng) {
    let new = [
        "[0]",
        "[1]",
        "[]",
        "[n]",
        "[n+1]",
        "[2*n]",
        "[3]",
        "[1000000:2]",
        "[::-1]",
        "[:2]",
        "[-1]",
    ];
    let groups: Vec<(usize, usize)> =
        groups(tokens).into_iter().filter(|(s, _)| tokens[*s] == "[").collect();
    if let (Some((start, end)), Some(new)) = (random.pick(&groups), random.pick(&new)) {
        tokens.splice(start..=end, [new.to_owned()]);
    }
}

/// A line is removed, repeated or moved.
fn line(tokens: &mut Vec<String>, random: &mut Rng) {
    let text = tokens.concat();
    let mut lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
    if lines.len() < 2 {
        return;
    }
    let (a, b) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(4) {
        0 => {
            lines.remove(a);
        }
        1 => lines.swap(a, b),
        _ => {
            let line = lines[a].clone();
            lines.insert(b, line);
        }
    }
    *tokens = self::tokens(&lines.concat());
}

/// A group in parentheses gets something around it.
fn wrap(tokens: &mut Vec<String>, random: &mut Rng) {
    let groups: Vec<(usize, usize)> =
        groups(tokens).into_iter().filter(|(s, _)| tokens[*s] == "(").collect();
    let Some((start, end)) = random.pick(&groups) else { return };
    let around = [
        ("(", " :> [1]i64)"),
        ("(", " :> [n]i32)"),
        ("(copy ", ")"),
        ("(opaque ", ")"),
        ("(#[sequential] ", ")"),
        ("(#[unroll] ", ")"),
        ("(#[unsafe] ", ")"),
        ("(if true then ", " else ???)"),
        ("(loop x = ", " for i < 3 do x)"),
        ("(map (\\x -> x) ", ")"),
        ("(", " with [0] = 1)"),
        ("(", "[0:1])"),
        ("(assert false ", ")"),
        ("(flatten [", "])"),
        ("(id ", ")"),
    ];
    let Some((before, after)) = random.pick(&around) else { return };
    tokens.insert(end + 1, after.to_owned());
    tokens.insert(start, before.to_owned());
}

/// The places of brackets and of those that close them.
fn groups(tokens: &[String]) -> Vec<(usize, usize)> {
    let mut open = Vec::new();
    let mut groups = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "(" | "[" | "{" => open.push(i),
            ")" | "]" | "}" => {
                if let Some(start) = open.pop() {
                    groups.push((start, i));
                }
            }
            _ => {}
        }
    }
    groups
}

/// Words, blanks and signs. Joined together they are the text again, without its comments.
pub fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for line in text.lines() {
        let code = line.split("--").next().unwrap_or("");
        for c in code.chars().chain(['\n']) {
            match tokens.last_mut() {
                Some(last) if joins(last, c) => last.push(c),
                _ => tokens.push(c.to_string()),
            }
        }
    }
    tokens
}

/// What a token consists of.
#[derive(PartialEq, Eq)]
enum Kind {
    Word,
    Blank,
    Operator,
    Sign,
}

fn kind(token: &str) -> Kind {
    match token.chars().next() {
        Some(c) if c.is_alphanumeric() || "_'#".contains(c) => Kind::Word,
        Some(c) if c.is_whitespace() => Kind::Blank,
        Some(c) if "+-*/%=!><|&^.".contains(c) => Kind::Operator,
        Some(_) | None => Kind::Sign,
    }
}

fn joins(token: &str, c: char) -> bool {
    let kind = kind(token);
    let number = token.starts_with(|c: char| c.is_ascii_digit());
    kind != Kind::Sign
        && (kind == self::kind(c.encode_utf8(&mut [0; 4]))
            || (number && c == '.' && !token.contains('.')))
}
