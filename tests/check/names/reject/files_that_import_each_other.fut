-- error: import-cycle
import "../lib/left"
def x = l
