-- error: unknown-name
import "../lib/shapes"
def f = secret
