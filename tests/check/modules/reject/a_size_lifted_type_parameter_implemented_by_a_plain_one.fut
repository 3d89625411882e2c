-- error: module-mismatch
module rows : {
  type~ t '~a
} = {
  type~ t 'a = []a
}
