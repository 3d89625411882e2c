-- error: unexpected-end-of-file
import "../lib/broken"
def y = x
