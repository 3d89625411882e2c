-- error: alias-free-variable
def table : [1]bool = [true]
def call 'a 'b (x: a) (f: a -> b) : b = f x

def composed (x: bool) : [1]bool =
  let row = \(_: bool) -> table
  in call x (id >-> row)
