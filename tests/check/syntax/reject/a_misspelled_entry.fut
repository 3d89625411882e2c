-- error: unexpected-token
entery main (x: i32) = x
