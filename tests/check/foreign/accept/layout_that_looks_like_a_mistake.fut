-- Nothing of this is a mistake, although it looks like one that people make.
def f (x: i32) : i32 =
  let y = x
  + 1
  in y
def g (x: i32) : i32 = if x > 0
  then x
  else -x
def h (xs: []i32) : []i32 = map (
  \x -> x + 1
) xs
let k = 1i32
let l (x: i32) :
  i32 = x
def sum (xs: []i32) = reduce (+) 0 xs
def minus (x: i32) : i32 = x
  - 1
