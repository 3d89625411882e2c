-- error: foreign-syntax
def main = r"abc"
