-- error: use-after-consume

type state = {cells: [8]i32, ages: [8]i32}

def total (s: state) = i32.sum s.cells + i32.sum s.ages

def main (s: *state) =
  let cells = s.cells with [0] = 1
  in cells[0] + total s
