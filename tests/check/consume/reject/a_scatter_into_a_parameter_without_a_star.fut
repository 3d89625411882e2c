-- error: not-consumable

def main (dest: []i32) = scatter dest [0] [1]
