def class (c: u8) : i32 =
  match c
  case 'a' -> 1
  case 98 -> 2
  case 0x63 -> 3
  case _ -> 0
