-- error: unlifted-abbreviation
type^ t 'a = a

type~ u = t i32
