-- error: unexpected-character
def s = “hello”
