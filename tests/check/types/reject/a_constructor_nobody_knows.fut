-- error: ambiguous-type
def f = #a
