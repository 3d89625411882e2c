-- A program's own type and module of this name are found first.
type seq = i32

module seq = {
  def next (x: seq) : seq = x + 1
}

entry main (x: seq) : seq = seq.next x
