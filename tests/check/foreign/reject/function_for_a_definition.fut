-- error: foreign-syntax
function f(x) { return x + 1; }
