-- warning: typed-hole
def scaled [n] (xs: [n]f32) : [n]f32 = map (\x -> x * ???) xs
