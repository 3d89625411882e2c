-- error: lifted-element
def f (fs: [](i32 -> i32)) = 1i32
