type t = #foo (#bar | #baz)
def f : t = #foo #bar
