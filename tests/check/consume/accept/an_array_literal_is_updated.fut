def main (x: i32) = [1, 2, 3] with [0] = x
