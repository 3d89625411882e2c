def toggle (b: bool) : bool =
  match b
  case true -> false
  case false -> true
