//! Numbers for people.

/// A time in nanoseconds.
pub fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "us"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    format!("{} {unit}", short(value))
}

/// A number of bytes.
pub fn bytes(bytes: f64) -> String {
    let (value, unit) = match bytes {
        b if b < 1e3 => (b, "B"),
        b if b < 1e6 => (b / 1e3, "kB"),
        b if b < 1e9 => (b / 1e6, "MB"),
        b => (b / 1e9, "GB"),
    };
    format!("{} {unit}", short(value))
}

/// With three significant digits, or as many as there are before the point.
pub fn short(value: f64) -> String {
    match value.abs() {
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A share, in per cent.
pub fn percent(share: f64) -> String {
    let value = 100.0 * share;
    if value >= 9.95 || value == 0.0 { format!("{value:.0} %") } else { format!("{value:.1} %") }
}
