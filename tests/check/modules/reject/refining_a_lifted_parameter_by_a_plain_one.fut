-- error: cannot-refine
module type container = {
  type^ t '^a
}

module type arrays = container with t 'a = []a
