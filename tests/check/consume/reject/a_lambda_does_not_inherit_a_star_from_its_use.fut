-- error: not-consumable

def spend (xs: *[]i32) = xs with [0] = 1

def main (xs: *[]i32) = (\ys -> spend ys) xs
