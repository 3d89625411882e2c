-- error: unclosed-bracket
def f (x: i32) =
  let y = (x + (1 * 2)
  in y
