-- error: file-not-found
import "../lib/no_such_file"
def x = 1i32
