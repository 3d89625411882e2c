-- error: unexpected-token
def f (x: ) : i32 = 1
