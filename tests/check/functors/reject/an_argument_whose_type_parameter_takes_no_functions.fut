-- error: module-mismatch
module type container = {
  type^ t '^a
}

module lists = {
  type^ t 'a = []a
}

module use (c: container) = {}

module wrong = use lists
