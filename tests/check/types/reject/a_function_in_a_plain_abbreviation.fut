-- error: unlifted-abbreviation
type f = i32 -> i32
