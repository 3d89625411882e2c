//! Transformations of loops, in files.

mod file;
mod files;
mod header;
