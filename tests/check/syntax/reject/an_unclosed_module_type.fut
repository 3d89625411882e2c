-- error: unclosed-bracket
module type m = {
  val x : i32

def z = 3
