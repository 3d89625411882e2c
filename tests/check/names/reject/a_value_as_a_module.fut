-- error: value-as-module
def m = 1i32
open m
