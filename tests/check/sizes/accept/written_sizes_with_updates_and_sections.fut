-- warning: typed-hole
-- warning: typed-hole
-- Updates, sections and holes bind nothing, so declared types may have them as well.
type padded [n] = [({size = n, more = 2} with size = n + 1).size]i32
type first [n] = [(.0) (n, true)]i32

def update (r: {a: i64, b: i64}) (xs: [(r with a = 2).b]i32) : [(r with a = 2).b]i32 = xs

def element (v: [2]i64) (xs: [(copy v with [0] = 1)[1]]i32) : [(copy v with [0] = 1)[1]]i32 = xs

def fields (rs: [3]{a: i64}) (xs: [i64.sum (map (.a) rs)]i32) : [i64.sum (map (.a) rs)]i32 = xs

def rows (m: [3][2]i64) (xs: [i64.sum (map (.[1]) m)]i32) : [i64.sum (map (.[1]) m)]i32 = xs

def pad [n] (xs: padded [n]) (ys: first [n]) = (xs, ys)

def hole (xs: [???]i32) : [???]i32 = xs
