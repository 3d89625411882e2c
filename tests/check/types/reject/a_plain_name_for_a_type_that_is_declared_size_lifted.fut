-- error: unlifted-abbreviation
type~ t = i32

type u = t
