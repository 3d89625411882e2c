//! What seeds give, which may never change, and what bounds mean.

use super::*;

fn generate(seed: u64, bounds: &[(Prim, &str)], specs: &str) -> String {
    let mut generator = Generator::new(seed);
    for (prim, text) in bounds {
        generator.set_bounds(Bounds::parse(*prim, text).unwrap());
    }
    let specs = Spec::parse_all(specs).unwrap();
    let values = specs.iter().map(|spec| generator.value(spec).unwrap().to_string());
    values.collect::<Vec<_>>().join(" ")
}

#[test]
fn seeds_give_the_same_values_forever() {
    assert_eq!(generate(1, &[], "[3]i32"), "[871542637i32, 87774614i32, 318281558i32]");
    assert_eq!(
        generate(1, &[], "i8 u16 i64 u64 bool"),
        "51i8 34107u16 1367008882666915092i64 7218738570589545383u64 true"
    );
    assert_eq!(
        generate(1, &[], "f16 [2]f32 f64"),
        "0.703125f16 [0.52043664f32, 0.5741057f32] 0.39132860204190445f64"
    );
    assert_eq!(
        generate(2, &[(Prim::I32, "-5:5")], "[2][5]i32 42i8"),
        "[[-4i32, 2i32, -3i32, 3i32, 2i32], [-3i32, 2i32, -3i32, 1i32, 3i32]] 42i8"
    );
}

#[test]
fn bounds_are_kept_and_reached() {
    let mut generator = Generator::new(3);
    generator.set_bounds(Bounds::parse(Prim::I8, "-3:0").unwrap());
    generator.set_bounds(Bounds::parse(Prim::F32, "-1e38:2").unwrap());
    let bytes = generator.random(&SizedType { elem: Prim::I8, shape: vec![1000] }).unwrap();
    let bytes = bytes.as_array().unwrap().elements::<i8>().unwrap();
    assert_eq!((bytes.iter().min(), bytes.iter().max()), (Some(&-3), Some(&0)));
    let floats = generator.random(&SizedType { elem: Prim::F32, shape: vec![10, 100] }).unwrap();
    let floats = floats.as_array().unwrap().elements::<f32>().unwrap();
    assert!(floats.iter().all(|x| (-1e38..=2.0).contains(x)));
    assert!(floats.iter().any(|x| *x < -5e37));
    assert_eq!(
        generate(1, &[(Prim::U64, "7:7"), (Prim::Bool, "true:true")], "u64 bool"),
        "7u64 true"
    );
}

#[test]
fn wrong_bounds() {
    let check = |prim, text, message: &str| {
        assert_eq!(Bounds::parse(prim, text).unwrap_err().to_string(), message);
    };
    let help = "write two numbers of this type, such as";
    check(Prim::I32, "5", &format!("`5` are not bounds for i32; {help} `0:10`"));
    check(Prim::U8, "0:300", &format!("`0:300` are not bounds for u8; {help} `0:10`"));
    check(Prim::U8, "-1:3", &format!("`-1:3` are not bounds for u8; {help} `0:10`"));
    check(Prim::F32, "0f32:1", &format!("`0f32:1` are not bounds for f32; {help} `-0.5:2`"));
    check(Prim::I32, "10:0", "the lower bound 10i32 is above the upper bound 0i32");
    check(Prim::F64, "0:inf", "the bounds 0.0f64 and f64.inf are not both finite");
}

#[test]
fn too_much_is_an_error() {
    let ty = SizedType { elem: Prim::I64, shape: vec![1 << 40, 1 << 20] };
    let error = Generator::new(1).random(&ty).unwrap_err();
    assert_eq!(error.to_string(), "there is not enough memory for [1099511627776][1048576]i64");
}
