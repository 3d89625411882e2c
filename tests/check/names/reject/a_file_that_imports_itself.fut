-- error: import-cycle
import "a_file_that_imports_itself"
def x = 1i32
