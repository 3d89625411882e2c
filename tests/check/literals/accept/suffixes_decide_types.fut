def a = 1i8
def b = 1u16
def c = 1.5f32
def d = 1f64
def e = 0x10u64
