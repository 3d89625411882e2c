-- error: module-mismatch
module pairs : {
  type^ t '^a = (a, a)
} = {
  type^ t 'a = (a, a)
}
