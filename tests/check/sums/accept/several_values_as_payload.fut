type t = #both i32 bool | #none
def f (x: i32) : t = #both x true
