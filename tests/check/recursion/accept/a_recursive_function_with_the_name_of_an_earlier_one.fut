def sum (n: i64) : i64 = n

module m = {
  def sum (n: i64) : i64 = if n == 0 then 0 else n + sum (n - 1)
}
