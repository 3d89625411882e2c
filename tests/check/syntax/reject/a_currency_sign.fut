-- error: unexpected-character
def price = 5 € + 1
