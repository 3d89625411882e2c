type wrapped = #wrap i32 i32

def sum ((#wrap a b) : wrapped) : i32 = a + b
