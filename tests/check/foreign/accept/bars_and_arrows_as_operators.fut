-- What looks like a habit of another language is fine where its names are bound.
def (<-) (x: bool) (y: bool) = !y || x

def both (x: i32) (y: i32) = (| x | y) 1


def f (s: []u8) = s

def text = f"abc"

def bits (x: i32) = map (| x | 1) [1, 2]
