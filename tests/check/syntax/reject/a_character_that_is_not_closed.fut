-- error: unterminated-character
def c : u8 = 'a
