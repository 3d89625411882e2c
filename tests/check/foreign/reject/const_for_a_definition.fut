-- error: foreign-syntax
const x = 3
