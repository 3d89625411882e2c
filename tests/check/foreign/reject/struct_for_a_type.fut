-- error: foreign-syntax
struct P { x: i32, y: i32 }
