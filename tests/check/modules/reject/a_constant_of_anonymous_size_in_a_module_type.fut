-- error: anonymous-in-spec
module type table = {
  val elements : []i64
}
