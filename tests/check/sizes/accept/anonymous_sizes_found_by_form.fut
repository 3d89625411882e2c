-- The anonymous size of a parameter is found where it is written like the size it must have.

def with_one (n: i64) (xs: []i32) : [n + 1]i32 = xs ++ [1]

def exactly (xs: []i32) : [10]i32 = xs

def one_longer (xs: []i32) (ys: []i32) = zip xs (ys ++ [1])

def both (xs: []i32) (ys: []i32) = zip (xs ++ [1]) (ys ++ [2])

-- Arithmetic still says which sizes are equal.
def around [n] (xs: [n]i32) : [n + 2]i32 = [0] ++ xs ++ [0]

entry main (n: i64) =
  let xs = with_one n (replicate n 2)
  in (one_longer xs (replicate n 3), both xs xs, around xs, exactly (replicate 10 1))
