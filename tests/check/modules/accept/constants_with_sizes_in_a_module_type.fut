module type table = {
  type~ t
  val three : [3]i64
  val any [n] : [n]i64
  val hidden : t
  val function : i64 -> []i64
}
