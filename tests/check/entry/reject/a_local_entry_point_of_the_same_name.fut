-- error: duplicate-definition
local entry f (x: i32) = x

entry f (x: i64) = x
