def f (n: i64) : i32 =
  let (#state a) =
    loop (#state x) = #state 1 : #state i32
    for i < n do #state (x + i32.i64 i)
  in a
