-- error: consuming-argument

def put (marks: *[3]bool) (b: bool) : bool =
  let marks[0] = b
  in marks[0]

def give 'a '^b (f: *a -> b) (x: *a) : (b, bool -> bool) = (f x, \b -> b)

def main (b: bool) = map (give put (replicate 3 b)).0 [true, false]
