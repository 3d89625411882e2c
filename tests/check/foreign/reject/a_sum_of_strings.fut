-- error: type-mismatch
def s = "a" + "b"
