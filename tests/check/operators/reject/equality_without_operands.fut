-- error: ambiguous-type
def equal = (==)
