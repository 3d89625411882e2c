def f (_x: i32) (y: i32) : i32 =
  let _z = y
  let _g (_a: i32) : i32 = 1
  in loop x = y for _i < 3i32 do x + 1
