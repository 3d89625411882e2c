module type finder = {
  type t [n]
  val find [n] [m] : *t [n] -> [m]i64 -> *(t [n], [m]i64)
}

module finder : finder = {
  type t [n] = {parents: [n]i64}

  def find [n] [m] (t: *t [n]) (xs: [m]i64) : (*t [n], [m]i64) =
    let found = map (\x -> t.parents[x]) xs
    in (t, found)
}
