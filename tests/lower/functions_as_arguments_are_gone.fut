-- A call with functions among its arguments is evaluated where it is. If it was not small, the next ones with the same
-- functions share an IR function, which takes what they capture as arguments.
def fourth (f: i32 -> i32) (x: i32) : i32 = f (f (f (f x)))

entry main (x: i32) (k: i32) : i32 =
  let step y = (y * k) ^ (y + 3) ^ (y >> 2)
  in fourth step x + fourth step (x * 2) + fourth step k
