-- error: foreign-syntax
def main (x: i32) = f"x is {x}"
