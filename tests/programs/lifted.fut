-- Types with sizes inside that their users do not see.

module bag
  : {
      type~ t
      val of : i64 -> *t
      val size : t -> i64
    } = {
  type~ t = #one ([]i32) | #two ([]i32) ([]i64)
  def of (n: i64) : *t = if n % 2 == 0 then #one (replicate n 7) else #two (replicate n 1) (iota (2 * n))

  def size (b: t) : i64 =
    match b
    case #one xs -> length xs
    case #two xs ys -> length xs + length ys
}

-- ==
-- entry: sizes
-- input { 4i64 3i64 } output { 409i64 }
-- input { 3i64 0i64 } output { 900i64 }

entry sizes (a: i64) (b: i64) : i64 = bag.size (bag.of a) * 100 + bag.size (bag.of b)

entry make (n: i64) : *bag.t = bag.of n

entry measure (b: bag.t) : i64 = bag.size b
