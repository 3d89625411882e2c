-- The body of "remember" has run when its result is passed on, so that nothing is consumed later.

def remember 'a [m] (p: a) (marks: *[m]bool) : (bool -> a) =
  let marks[0] = true
  in \b -> if b && marks[0] then p else p

def apply 'a (x: a) (f: a -> a) : a = f x

def pass (b: bool) = apply true (remember b (replicate 3 b))

def twice (b: bool) =
  let f = remember b (replicate 3 b)
  in (f true, f false)

def (<+>) [m] (marks: *[m]bool) (i: i64) : {get: bool -> bool} = {get = \b -> marks[i] && b}

def by_operator (b: bool) = map ((replicate 3 b) <+> 1).get [true, false]
