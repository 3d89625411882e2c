def f (r: {x: i32, y: i32}) =
  let r.x = r.x + 1
  in r
