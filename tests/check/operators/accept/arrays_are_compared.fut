-- warning: array-comparison
-- warning: array-comparison
def same [n] (xs: [n]i32) (ys: [n]i32) : bool = xs == ys

def other [n] (xs: [n][n]i32) (ys: [n][n]i32) : bool = xs != ys

def scalars (x: (i32, bool)) (y: (i32, bool)) : bool = x == y

module mine = {
  def (==) [n] (xs: [n]i32) (ys: [n]i32) : bool = and (map2 (i32.==) xs ys)
  def same [n] (xs: [n]i32) (ys: [n]i32) : bool = xs == ys
}
