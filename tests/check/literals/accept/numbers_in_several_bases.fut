def a : i32 = 0xff
def b : i32 = 0b1010
def c : i64 = 1_000_000
def d : u8 = 255
def e : i8 = -128
