-- error: not-consumable

def same 'a (x: a) : a = x

def main (xs: []i32) = same xs with [0] = 0
