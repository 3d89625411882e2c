def f (b: bool) = if b then (#yes : #yes | #no) else #no
