-- error: return-aliased

def main (xs: *[]i32) =
  let get (_: i32) : *[]i32 = xs
  in get 1
