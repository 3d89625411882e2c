-- # The Game of Life
--
-- A cell lives on with two or three living neighbours, and is born with
-- three. The world is a torus: `rotate` gives every cell its neighbour.

type world [n] = [n][n]bool

def neighbours [n] (w: world [n]) : [n][n]i32 =
  let count = map (map i32.bool) w
  let both a = map2 (map2 (+)) (rotate 1 a) (rotate (-1) a)
  let across a = map (\row -> map2 (+) (rotate 1 row) (rotate (-1) row)) a
  let column = map2 (map2 (+)) count (both count)
  in map2 (map2 (+)) (both count) (across column)

def next [n] (w: world [n]) : world [n] =
  map2 (map2 (\alive around -> around == 3 || alive && around == 2)) w (neighbours w)

-- | An R-pentomino in the middle, which takes long to settle.
def start (n: i64) : world [n] =
  let m = n / 2
  let cells = [(m, m), (m, m + 1), (m - 1, m), (m, m - 1), (m + 1, m + 1)]
  in scatter_2d (replicate n (replicate n false)) cells (map (const true) cells)

def draw [n] (w: world [n]) : [n][n]u32 =
  map (map (\alive -> if alive then 0x2da44e else 0x10161d)) w

def zoom [n] (k: i64) (image: [n][n]u32) : [n * k][n * k]u32 =
  tabulate_2d (n * k) (n * k) (\i j -> image[i / k, j / k])

def film (n: i64) (frames: i64) : [][][]u32 =
  let (_, pictures) =
    loop (w, pictures) = (start n, replicate frames (replicate (n * 4) (replicate (n * 4) 0)))
    for i < frames do
      (next w, pictures with [i] = zoom 4 (draw w))
  in pictures

-- > :video film 40i64 40i64;
-- fps: 12
-- format: gif
