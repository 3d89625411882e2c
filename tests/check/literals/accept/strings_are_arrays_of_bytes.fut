def s : []u8 = "hello\n\"world\""
def t : [3]u8 = "abc"
def first : u8 = s[0]
