-- error: use-after-consume

def main (matrix: *[][]f32) =
  let first = matrix[0]
  let matrix[1, 0] = 2
  in (matrix, first)
