-- | The Mandelbrot set: for each point of a grid, the number of steps until it escapes.
--
-- The whole grid is one parallel operation, although the points take different numbers of steps.

-- | Complex numbers, as a module that hides how they are stored.
module complex : {
  type t
  val mk : (re: f64) -> (im: f64) -> t
  val + : t -> t -> t
  val square : t -> t
  val magnitude_squared : t -> f64
} = {
  type t = {re: f64, im: f64}

  def mk (re: f64) (im: f64) : t = {re, im}

  def (a: t) + (b: t) : t = {re = a.re f64.+ b.re, im = a.im f64.+ b.im}

  def square (a: t) : t = {re = a.re * a.re - a.im * a.im, im = 2 * a.re * a.im}

  def magnitude_squared (a: t) : f64 = a.re * a.re f64.+ a.im * a.im
}

-- | The visible part of the complex plane.
type view = {centre: (f64, f64), width: f64}

-- | The number of steps until the orbit of `c` leaves the circle of radius 2, at most `limit`.
def escape (limit: i32) (c: complex.t) : i32 =
  let (_, steps) =
    loop (z, steps) = (complex.mk 0 0, 0)
    while steps < limit && complex.magnitude_squared z < 4 do
      (complex.(square z + c), steps + 1)
  in steps

-- | The point of the plane at a given row and column of the picture.
def point (v: view) (height: i64) (width: i64) (row: i64) (column: i64) : complex.t =
  let (x, y) = v.centre
  let scale = v.width / f64.i64 width
  let offset i n = f64.i64 i - f64.i64 n / 2
  in complex.mk (x + scale * offset column width) (y + scale * offset row height)

-- ==
-- entry: mandelbrot
-- input { 3i64 5i64 20i32 }
-- output { [[1, 1, 3, 3, 2], [1, 3, 7, 20, 3], [1, 3, 7, 20, 3]] }

-- | A picture of the whole set.
entry mandelbrot (height: i64) (width: i64) (limit: i32) : [height][width]i32 =
  let v = {centre = (-0.5, 0.0), width = 4.0}
  in tabulate_2d height width (\row column -> escape limit (point v height width row column))
