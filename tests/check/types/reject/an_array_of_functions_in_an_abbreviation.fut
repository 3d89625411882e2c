-- error: unlifted-abbreviation
-- error: anonymous-nonconstructive
-- error: lifted-element
-- error: unused-existential
type~ strings = [](?[n].[n]u8 -> bool)
def f (x: i32) = x
