type state = {cells: [8]i32, ages: [8]i32, turn: i32}

def main (s: *state) =
  let cells = s.cells
  let cells[0] = s.turn
  in (cells, s.ages, s.turn)
