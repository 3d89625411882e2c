-- error: unterminated-string
def s = "hello
def t = 1i32
