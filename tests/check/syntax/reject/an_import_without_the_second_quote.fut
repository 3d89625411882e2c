-- error: unterminated-string
import "lib/foo
def t = 1
