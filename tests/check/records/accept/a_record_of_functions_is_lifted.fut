type^ ops 't = {zero: t, plus: t -> t -> t}
def sum 't (o: ops t) (xs: []t) = reduce o.plus o.zero xs
def f = sum {zero = 0i32, plus = (+)} [1, 2]
