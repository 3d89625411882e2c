-- error: unlifted-abbreviation
type numbers = []i32
