//! IR with memory -> imp.
