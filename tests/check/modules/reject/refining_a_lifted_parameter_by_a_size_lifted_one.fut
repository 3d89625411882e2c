-- error: cannot-refine
module type container = {
  type^ t '^a
}

module type counters = container with t '~a = i32
