-- error: consuming-argument

def put [m] (marks: *[m]bool) (b: bool) : bool =
  let marks[0] = b
  in marks[0]

def prepare [m] (marks: *[m]bool) : (bool -> bool) = put marks

def main (b: bool) = map (prepare (replicate 3 b)) [true, false]
