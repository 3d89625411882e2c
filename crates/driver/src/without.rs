//! Parts of the compiler that are left out, to see what they are worth (`--without`).

/// What is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Without {
    /// Operators are not fused.
    pub fusion: bool,
    /// What derivatives add up is added one by one.
    pub unaccumulation: bool,
    /// Updates change copies.
    pub in_place: bool,
    /// Arrays of a device are in row-major order, and the memory of its threads is not interleaved.
    pub coalescing: bool,
    /// Matrix products and the like are not tiled.
    pub tiling: bool,
    /// Arrays are copied to where they belong instead of being made there.
    pub short_circuiting: bool,
    /// Functions are not copied into the kernels that call them.
    pub inlining: bool,
    /// The host waits for every element that it asks for, each kernel is launched by itself, and no loop of the host is a kernel.
    pub host_free_loops: bool,
}

/// The names, in the order of the fields.
const NAMES: [&str; 8] = [
    "fusion",
    "unaccumulation",
    "in-place",
    "coalescing",
    "tiling",
    "short-circuiting",
    "inlining",
    "host-free-loops",
];

impl Without {
    /// From names with commas between them; otherwise a sentence that lists those that there are.
    pub fn parse(names: &str) -> Result<Without, String> {
        let mut without = Without::default();
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match name {
                "fusion" => without.fusion = true,
                "unaccumulation" => without.unaccumulation = true,
                "in-place" => without.in_place = true,
                "coalescing" => without.coalescing = true,
                "tiling" => without.tiling = true,
                "short-circuiting" => without.short_circuiting = true,
                "inlining" => without.inlining = true,
                "host-free-loops" => without.host_free_loops = true,
                other => {
                    let known = NAMES.map(|name| format!("\"{name}\"")).join(", ");
                    return Err(format!(
                        "\"{other}\" cannot be disabled; the parts that can are {known}"
                    ));
                }
            }
        }
        Ok(without)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed() {
        let two = Without { fusion: true, tiling: true, ..Without::default() };
        assert_eq!(Without::parse("tiling, fusion"), Ok(two));
        assert_eq!(Without::parse(""), Ok(Without::default()));
        let error = Without::parse("fission").expect_err("there is no such part");
        assert!(NAMES.iter().all(|name| error.contains(name)), "{error}");
    }
}
