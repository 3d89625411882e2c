type state = {cells: [8]i32, ages: [8]i32}

def main (s: *state) : *state =
  let s.cells[0] = 1
  let s.ages[0] = s.cells[0]
  in s
