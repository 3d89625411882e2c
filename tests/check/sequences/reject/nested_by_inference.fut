-- error: functional-type
def f (xs: []i32) = seq.map (\x -> seq.of_array [x]) (seq.of_array xs)
