-- error: alias-free-variable

def table : []i32 = [1, 2, 3]

def choose = \(c: bool) -> if c then table else []
