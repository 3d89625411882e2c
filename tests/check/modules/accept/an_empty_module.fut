module m = { }
module type mt = { }
module n : mt = m
