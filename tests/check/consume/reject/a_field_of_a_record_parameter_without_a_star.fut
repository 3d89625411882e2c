-- error: not-consumable

type~ state = {cells: []i32, turn: i32}

def main (s: state) = s with cells[0] = s.turn
