-- Properties, with random values and with values made by the program.
-- ==
-- property: reverses sorted_pairs same_sums even_stays_even scaled

#[prop]
entry reverses (xs: []i32) : bool = and (map2 (==) (reverse (reverse xs)) xs)

#[prop(size(20))]
entry sorted_pairs (ps: [](i8, u16)) : bool = all (\(a, b) -> i8.min a 0 <= a && b >= 0) ps

#[prop(size(5))]
entry same_sums [n] [m] (p: ([n][m]i64, [n]i64)) : bool =
  let (xss, ys) = p
  let sums = map2 (\xs y -> i64.sum xs + y) xss ys
  in i64.sum sums == i64.sum (flatten xss) + i64.sum ys

type number = #even i64 | #odd i64

entry number (size: i64) (seed: u64) : number =
  let n = i64.u64 (seed % (u64.i64 size + 1))
  in if n % 2 == 0 then #even n else #odd n

entry smaller (n: number) (random: u64) : number =
  match n
  case #even n -> #even (if random % 2 == 0 then 0 else n / 4 * 2)
  case #odd n -> #odd n

#[prop(gen(number), shrink(smaller), size(1000))]
entry even_stays_even (n: number) : bool =
  match n
  case #even n -> n % 2 == 0
  case #odd n -> n % 2 == 1

#[prop]
entry scaled (r: {x: f64, y: f32}) : bool = f64.abs (2 * r.x) >= f64.abs r.x && r.y == r.y
