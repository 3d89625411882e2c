-- error: type-mismatch
type opt 'a = #some a | #none

def is_none 'a (x: opt a) : bool = x == #none
