-- error: unexpected-token
tpye t = i32
