-- error: unexpected-token
def c : u8 = 'a
