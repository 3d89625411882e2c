-- error: foreign-interface
-- error: foreign-interface
-- error: foreign-interface
-- error: foreign-interface
-- error: foreign-interface
-- error: foreign-interface
-- error: foreign-interface
-- error: foreign-interface
-- error: foreign-interface
-- error: foreign-interface
-- error: foreign-interface
#[foreign(c(f))]
def a : f64 = 2

#[foreign(c(f))]
def b 't (x: t) : t = x

#[foreign(c(f))]
def c (f: i32 -> i32) (x: i32) : i32 = f x

#[foreign(c(f))]
def d (x: #no | #yes i32) : i32 = match x case #no -> 0 case #yes x -> x

#[foreign(c(f))]
def e (x: f16) : f16 = x

#[foreign(c(f))]
def f [n] (xs: [n]i32) : [n + 1]i32 = xs ++ [0] :> [n + 1]i32

#[foreign(c(f))]
def g (xs: []i32) : []i32 = filter (> 0) xs

#[foreign(c(f))]
def h (x: i32) : () = let _ = x in ()

#[foreign(opencl(f))]
def i [n] (xs: [n]i32) : [n]i32 = xs

#[foreign(c(f))]
def j (xs: seq i32) : i32 = seq.reduce (+) 0 xs

module type m = { type t val x : t }
module n (m: m) = {
  #[foreign(c(f))]
  def l (x: m.t) : m.t = x
}
