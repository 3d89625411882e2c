-- # The Mandelbrot set
--
-- One parallel operation over all points of the picture, although they
-- take different numbers of steps.

type complex = (f64, f64)

def step ((x, y): complex) ((a, b): complex) : complex =
  (x * x - y * y + a, 2 * x * y + b)

def escape (limit: i32) (c: complex) : i32 =
  let (_, n) =
    loop ((x, y), n) = ((0, 0), 0)
    while n < limit && x * x + y * y < 4 do
      (step (x, y) c, n + 1)
  in n

-- | A colour for a number of steps: red, green and blue, a byte each.
def colour (limit: i32) (n: i32) : u32 =
  let t = f64.i32 n / f64.i32 limit
  let byte (v: f64) = u32.f64 (255 * f64.max 0 (f64.min 1 v))
  in if n == limit
     then 0
     else byte (2.5 * t) << 16 | byte (2 * t * t + 0.1) << 8 | byte (0.35 + 2 * t * (1 - t))

def picture (height: i64) (width: i64) (limit: i32) : [height][width]u32 =
  let scale = 3 / f64.i64 width
  let point i j =
    let x = scale * f64.i64 j - 2.2
    let y = scale * (f64.i64 i - f64.i64 height / 2)
    in colour limit (escape limit (x, y))
  in tabulate_2d height width point

-- > :img picture 180i64 240i64 50
