local def scale = 2i32
def twice (x: i32) = scale * x
local def scale = 3i32
def thrice (x: i32) = scale * x
def scale (x: i32) = x * 4
local type t = i32
type t = i64
local module m = {}
module m = {}

module n : {
  val x : i32
} = {
  def x = 1i32
  local def x = true
  def _y = x && true
}

def z = n.x + 1
