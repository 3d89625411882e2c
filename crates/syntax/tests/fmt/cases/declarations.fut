def   x=1
-- ==>
def x = 1
-- ====
def f x y=x
let g (x:i32):i32=x
entry main [n] (xs:[n]i32):[n]i32=xs
-- ==>
def f x y = x
let g (x: i32) : i32 = x
entry main [n] (xs: [n]i32) : [n]i32 = xs
-- ====
def (+^) (a: i32) (b: i32) = a
def a -^ b = a
def (x: i32) `plus` (y: i32) : i32 = x
-- ==>
def (+^) (a: i32) (b: i32) = a
def a -^ b = a
def (x: i32) `plus` (y: i32) : i32 = x
-- ====
def f 'a [n] '^b '~c (x: a)
 (y: [n]b) : c =
   y
-- ==>
def f 'a [n] '^b '~c
    (x: a)
    (y: [n]b) : c =
  y
-- ====
def long_name
  (x: i32) (y: i32)
  : (i32, i32) = (x, y)
-- ==>
def long_name
    (x: i32)
    (y: i32)
    : (i32, i32) = (x, y)
-- ====
type t=i32
type~ u = []i32
type^ v 'a [n] = a->[n]i32
-- ==>
type t = i32
type~ u = []i32
type^ v 'a [n] = a -> [n]i32
-- ====
type vec = {x:f32,y:f32}
type pair =
  (i32,
   i32)
type big = { x : f32, -- First.
             y : f32  -- Second.
           }
-- ==>
type vec = {x: f32, y: f32}
type pair =
  ( i32
  , i32
  )
type big =
  { x: f32 -- First.
  , y: f32 -- Second.
  }
-- ====
type shape = #circle f32 | #square f32 f32
type shape2 = #circle f32 |
   #square f32 [2]f32 | #none
-- ==>
type shape = #circle f32 | #square f32 f32
type shape2 =
  #circle f32
  | #square f32 [2]f32
  | #none
-- ====
import "a"
open import "b"
local open m
local   def x = 1
local
def y = 2
module c = import "c"
-- ==>
import "a"
open import "b"
local open m
local def x = 1
local
def y = 2
module c = import "c"
-- ====
#[noinline] def f x = x
#[inline]
#[a(b,c(1))]
def g x = x
-- ==>
#[noinline] def f x = x
#[inline]
#[a(b, c(1))]
def g x = x
-- ====
module m = {def x = 1 def y = 2}
module n = { def x = 1
  type t = i32


  def y = 2 }
module e = {}
-- ==>
module m = { def x = 1 def y = 2 }
module n = {
  def x = 1
  type t = i32

  def y = 2
}
module e = {}
-- ====
module type mt = {
type t
type^ u 'a
type v = i32
val x:t
val (+): t -> t -> t
val - : t -> t -> t
val f [n] 'a : (x: i32) -> [n]a
  -> t
module k : { val y : i32 }
include nt with t = i32
  with u 'a = [n]a
}
-- ==>
module type mt = {
  type t
  type^ u 'a
  type v = i32
  val x : t
  val (+) : t -> t -> t
  val - : t -> t -> t
  val f [n] 'a :
    (x: i32)
    -> [n]a
    -> t
  module k : { val y : i32 }
  include nt
    with t = i32
    with u 'a = [n]a
}
-- ====
module f (P: mt) (Q: mt with t = i32) : {val x:i32} = {
  def x = P.x }
module g = f(m) { type t = i32 }
module h = \(P: mt):mt -> { open P }
module type ft = (P: mt) -> mt
module type gt = mt
  -> mt -> mt
module i = (m : mt)
module j = f import "k"
-- ==>
module f (P: mt) (Q: mt with t = i32) : { val x : i32 } = {
  def x = P.x
}
module g = f (m) { type t = i32 }
module h = \(P: mt) : mt -> { open P }
module type ft = (P: mt) -> mt
module type gt =
  mt
  -> mt
  -> mt
module i = (m : mt)
module j = f import "k"
-- ====
def a = 1



def b = 2
def c = 3
-- ==>
def a = 1

def b = 2
def c = 3
-- ====
def a = 1 def b = 2
-- ==>
def a = 1
def b = 2
