-- error: not-streamed
entry main (#[stream] x: i32) : i32 = x
