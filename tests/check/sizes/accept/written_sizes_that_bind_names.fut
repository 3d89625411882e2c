-- A written size may be any expression; two that bind names are equal if they are written alike.
def twice (f: i64 -> i64) (x: i64) = f (f x)

def square (n: i64) (xs: [let m = n + 1 in m * m]i32) : [let m = n + 1 in m * m]i32 = xs

def cases (n: i64) (xs: [match n case 0 -> 1 case m -> m + 1]i32)
  : [match n case 0 -> 1 case m -> m+1]i32 =
  xs

def triangle (n: i64) (xs: [loop s = 0 for i < n do s + i]i32) : [loop s = 0 for i < n do s + i]i32 =
  xs

def lambda (n: i64) (xs: [twice (\x -> x + n) 1]i32) : [twice (\x -> x + n) 1]i32 = xs

def inside (n: i64) (xs: [let f (x: i64) = x + n in f (f 1)]i32) = length xs

def called (n: i64) (xs: []i32) =
  square n (square n (xs :> [let m = n + 1 in m * m]i32))

def called_with_another_name (k: i64) (xs: []i32) =
  square k (square k (xs :> [let m = k + 1 in m * m]i32))
