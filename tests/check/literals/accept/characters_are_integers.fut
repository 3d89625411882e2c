def a : u8 = 'a'
def b : i32 = 'λ'
def newline : u8 = '\n'
