-- error: foreign-syntax
pub def f (x: i32) = x
