//! The languages that foreign functions are written in.

/// A language that symbols are written in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Platform {
    /// C, for processors.
    C,
    /// CUDA.
    Cuda,
    /// OpenCL C.
    OpenCl,
}

impl Platform {
    /// All of them.
    pub const ALL: [Platform; 3] = [Platform::C, Platform::Cuda, Platform::OpenCl];

    /// The name, in attributes and in the text of programs.
    pub fn name(self) -> &'static str {
        match self {
            Platform::C => "c",
            Platform::Cuda => "cuda",
            Platform::OpenCl => "opencl",
        }
    }

    /// The platform with this name.
    pub fn from_name(name: &str) -> Option<Platform> {
        Platform::ALL.into_iter().find(|platform| platform.name() == name)
    }

    /// Whether the arrays of programs are in the memory of a device.
    pub fn is_device(self) -> bool {
        match self {
            Platform::C => false,
            Platform::Cuda | Platform::OpenCl => true,
        }
    }
}

/// Whether a text is an identifier of the languages that there are.
pub fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
