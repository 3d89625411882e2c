//! The C sources that every program has a copy of.
