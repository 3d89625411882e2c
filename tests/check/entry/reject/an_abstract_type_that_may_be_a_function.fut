-- error: higher-order-entry
module m : {
  type^ t
} = {
  type^ t = i32
}

entry f (_x: m.t) : i32 = 2
