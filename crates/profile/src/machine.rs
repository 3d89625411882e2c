//! What a machine can do, as programs of this compiler reach it: measured once, and kept.

use serde_json::{Value, json};

/// What was measured with one back end.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// What executes the programs: the back end, and the number of threads or the device.
    pub name: String,
    /// Bytes per second from and to memory.
    pub memory: f64,
    /// Bytes per second from and to a cache.
    pub cache: f64,
    /// Operations per second: half of them multiplications, half additions.
    pub arithmetic: f64,
    /// The least time of an operator, in nanoseconds.
    pub latency: f64,
}

/// What operators move at most, so that all of it can be in a cache.
const CACHED: f64 = 1_000_000.0;

/// The program whose entry points are measured. What each does is known.
pub const PROGRAM: &str = "\
-- Two arrays are read and one is written: 12 bytes for each element.
entry triad (xs: []f32) (ys: []f32) = map2 (\\x y -> x + 3 * y) xs ys

-- The same again and again, with arrays that stay in a cache.
entry cached (xs: []f32) (ys: []f32) (k: i64) =
  loop zs = copy xs for _i < k do map2 (\\x y -> x * 0.5 + y) zs ys

-- Sixteen operations in each iteration for each element, without memory.
entry arithmetic (xs: []f32) (k: i64) =
  map (\\x ->
         let (a, b, c, d, e, f, g, h) =
           loop (a, b, c, d, e, f, g, h) = (x, x+1, x+2, x+3, x+4, x+5, x+6, x+7) for _i < k do
             (a*0.5+x, b*0.5+x, c*0.5+x, d*0.5+x, e*0.5+x, f*0.5+x, g*0.5+x, h*0.5+x)
         in a + b + c + d + e + f + g + h) xs

-- Operators with nothing to do.
entry tiny (xs: []f32) (k: i64) = loop zs = copy xs for _i < k do map (+ 1) zs
";

impl Machine {
    /// As a file.
    pub fn write(&self) -> String {
        let value = json!({
            "name": self.name,
            "memory": self.memory,
            "cache": self.cache,
            "arithmetic": self.arithmetic,
            "latency": self.latency,
        });
        format!("{value:#}\n")
    }

    /// Reads a file; none if it is something else.
    pub fn read(text: &str) -> Option<Machine> {
        let value: Value = serde_json::from_str(text).ok()?;
        let number = |name: &str| value.get(name)?.as_f64().filter(|n| n.is_finite() && *n > 0.0);
        Some(Machine {
            name: value.get("name")?.as_str()?.to_owned(),
            memory: number("memory")?,
            cache: number("cache")?,
            arithmetic: number("arithmetic")?,
            latency: number("latency")?,
        })
    }

    /// The bandwidth for an operator that moves so many bytes each time.
    pub fn bandwidth(&self, bytes_per_call: f64) -> f64 {
        if bytes_per_call < CACHED { self.cache.max(self.memory) } else { self.memory }
    }
}
