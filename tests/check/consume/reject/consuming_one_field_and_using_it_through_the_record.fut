-- error: use-after-consume

type state = {cells: [8]i32, ages: [8]i32}

def main (s: *state) =
  let cells = s.cells
  let cells[0] = 1
  in (cells, s.cells[1])
