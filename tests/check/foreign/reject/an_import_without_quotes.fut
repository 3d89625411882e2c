-- error: foreign-syntax
import foo
