-- error: foreign-syntax
type t = Foo i32 | Bar
def x : t = Foo 1
