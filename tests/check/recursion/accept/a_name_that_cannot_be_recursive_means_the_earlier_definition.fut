-- warning: earlier-definition
-- warning: earlier-definition
-- warning: earlier-definition
module shapes = {
  type square = {width: f32, height: f32}

  def area (width: f32) (height: f32) = width * height
}

module squares = {
  open shapes

  def area (s: square) = area s.width s.height
}

-- Sizes decide as types do.
def pad [n] (xs: [n]i32) : [n]i32 = xs

module longer = {
  def pad [n] (xs: [n]i32) : [n + 1]i32 = pad xs ++ [0]
}

type point = {x: i64, y: i64}

def (+) (a: point) (b: point) : point = {x = a.x + b.x, y = a.y + b.y}
