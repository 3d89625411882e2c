def adder (x: i32) = \y -> x + y
def a = adder 1 2
def f = adder 3
def b = f 4
