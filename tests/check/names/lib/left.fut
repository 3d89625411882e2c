import "right"
def l = 1i32
