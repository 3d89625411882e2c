//! Functions of imp as C functions.
