-- error: unexpected-token
-- error: unexpected-token
def r = {x: 1, y: 2}
