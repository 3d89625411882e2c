-- error: file-not-found
import "lib/github.com/diku-dk/segmented/segmented"
def f (x: i32) = x
