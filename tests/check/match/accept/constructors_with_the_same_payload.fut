type op = #add i32 | #sub i32 | #nop

def step (acc: i32) (op: op) : i32 =
  match op
  case #nop -> acc
  case #sub x -> acc - x
  case #add x -> acc + x

def main (xs: []i32) : i32 =
  foldl step 0 (map (\x -> if x < 0 then #sub x else if x > 0 then #add x else #nop) xs)
