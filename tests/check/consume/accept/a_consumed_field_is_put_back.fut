type state = {cells: [8]i32, ages: [8]i32}

def main (s: *state) : *state =
  let cells = s.cells with [0] = 1
  in s with cells = cells
