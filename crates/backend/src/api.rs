//! What the outside world calls.
