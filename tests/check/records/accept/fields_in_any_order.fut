def f (r: {x: i32, y: bool}) : {y: bool, x: i32} = r
