-- error: anonymous-in-spec
module type table = {
  type~ t = []i64
  val elements : t
}
