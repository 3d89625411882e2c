-- error: foreign-syntax
from foo import bar
