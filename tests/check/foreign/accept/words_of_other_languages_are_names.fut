-- What other languages have as keywords may be the name of anything.
def elif (return: i32) (where: i32) : i32 = return + where
def fn (var: bool) (mut: bool) : bool = var && mut
def lambda (x: i32) : i32 = let const = elif x 1 in const // 2
def (=>) (a: bool) (b: bool) : bool = !a || b
def implies (begin: bool) (end: bool) : bool = begin => end
def quotient (x: i32) : i32 =
  x
  // 2
type int = i32
def same (x: int) : int = x
def all_of (xss: [][]bool) : []bool = map and xss
