-- error: not-consumable

def update_it (f: i32 -> []i32) =
  let xs = f 1
  in xs with [0] = 2
