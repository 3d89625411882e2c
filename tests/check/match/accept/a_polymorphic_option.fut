type option 'a = #none | #some a

def or 'a (x: option a) (y: a) : a =
  match x
  case #none -> y
  case #some z -> z

def main (x: i32) : i32 = or (#some (or #none x)) 2
