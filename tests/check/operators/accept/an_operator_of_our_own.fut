def (x: i32) +^ (y: i32) : i32 = x * 10 + y
def a = 1 +^ 2 +^ 3
def (<+>) 'a (x: a) (_: a) : a = x
def b = 1i32 <+> 2
