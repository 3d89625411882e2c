-- error: unlifted-abbreviation
module type store = {
  type t
}

module mk (P: {type~ t}) : store with t = P.t = {
  type t = P.t
}
