-- error: foreign-syntax
open "foo"
