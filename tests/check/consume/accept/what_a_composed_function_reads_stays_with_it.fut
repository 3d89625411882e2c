-- What a function reads is not what it returns, also if it was made of others.
def table : [2]bool = [true, false]
def call 'b (x: b) (f: b -> b) : b = f x

def composed (i: i64) : [1]bool =
  call [true] ((\(x: [1]bool) -> (x[0], table[i])) >-> (\(x, y) -> [x && y]))

def piped (i: i64) : [1]bool =
  call [true] (id >-> (\(x: [1]bool) -> map (&& (copy table)[i]) x) >-> copy)

def section (i: i64) : [1]bool =
  let both (x: [1]bool) (f: bool -> bool) : [1]bool = map f x
  in call [true] (`both` (&& table[i]))

def returned (i: i64) : [1]bool =
  let make (k: i64) = \(x: [1]bool) -> [x[0] && table[k]]
  in call [true] (make i)
