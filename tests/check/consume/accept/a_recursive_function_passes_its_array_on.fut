def count_down (xs: *[]i32) (i: i64) : i32 =
  if i < 0
  then xs[0]
  else let xs[i] = 1 in count_down xs (i - 1)

def main (xs: *[]i32) = count_down xs 3
