def a (n: i64) : [n]i64 = 0..<n
def b (n: i64) : [n]i64 = 1...n
def c (n: i64) (m: i64) : [m - n]i64 = n..<m
def d (n: i64) : [n]i64 = 0..1..<n
def e (n: i64) : [n]i64 = 1..2...n
