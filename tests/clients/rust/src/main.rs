//! Calls the library through its generated bindings.

#[allow(
    clippy::all,
    dead_code,
    non_camel_case_types,
    unused_imports,
    unsafe_op_in_unsafe_fn,
    reason = "this is generated"
)]
mod library {
    // The generated code leaves it to its users which type this is.
    use half::f16;

    include!(concat!(env!("OUT_DIR"), "/library.rs"));
}

use library::*;

type Res = Result<(), Error>;

fn main() -> Res {
    let context = Context::new_with_options(Options::new().profile())?;
    arrays(&context)?;
    records(&context)?;
    errors(&context)?;
    context.clear_caches()?;
    assert!(context.report().is_some_and(|report| report.contains("\"events\"")));
    drop(context);
    threads();
    println!("all is well");
    Ok(())
}

fn arrays(context: &Context) -> Res {
    let xs = ArrayI32D1::new(context, [3], [1, 2, 3])?;
    let ys = ArrayI32D1::new(context, [3], [4, 5, 6])?;
    assert_eq!(context.dot(&xs, &ys)?, 32);
    let matrix = ArrayF64D2::new(context, [2, 3], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0])?;
    let transposed = context.transposed(&matrix)?;
    assert_eq!(transposed.shape(), &[3, 2]);
    assert_eq!(transposed.get()?, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    let halves = ArrayF16D1::new(context, [1], [half::f16::from_f32(3.0)])?;
    assert_eq!(context.halves(&halves)?.get()?[0].to_f32(), 1.5);
    let signs = ArrayI64D1::new(context, [2], [5, -5])?;
    assert_eq!(context.flags(&signs)?.get()?, [true, false]);
    assert_eq!(context.bytes(0)?.get()?, []);
    Ok(())
}

fn records(context: &Context) -> Res {
    let (a, b) = (Point::new(context, 1.0, 2.0)?, Point::new(context, 3.0, 6.0)?);
    let middle = context.midpoint(&a, &b)?;
    assert_eq!((middle.get_x()?, middle.get_y()?), (2.0, 4.0));
    let square = context.polygon(4)?;
    assert_eq!(square.get_name()?, 4);
    let rebuilt = Path::new(context, 5, &square.get_points()?)?;
    assert!((context.perimeter(&rebuilt)? - 4.0 * 2f32.sqrt()).abs() < 1e-5);
    let xs = ArrayI32D1::new(context, [3], [3, 1, 2])?;
    let both = context.divmod(-7, 2)?;
    assert_eq!((both.get_0()?, both.get_1()?), (-4, 1));
    let extremes = context.extremes(&xs)?;
    assert_eq!((extremes.get_0()?, extremes.get_1()?), (1, 3));
    assert_eq!(extremes.get_2()?.get()?, [2, 1, 3]);
    Ok(())
}

fn errors(context: &Context) -> Res {
    let xs = ArrayI32D1::new(context, [2], [1, 2])?;
    assert!(matches!(context.pick(&xs, 2), Err(Error::Code(2))));
    assert!(context.get_error().is_some_and(|error| error.contains("out of bounds")));
    assert!(matches!(context.huge_array(1 << 50), Err(Error::Code(3))));
    assert!(context.get_error().is_some_and(|error| error.contains("out of memory")));
    assert!(matches!(context.dot(&xs, &ArrayI32D1::new(context, [1], [1])?), Err(Error::Code(2))));
    assert!(context.get_error().is_some_and(|error| error.contains("invalid size")));
    assert_eq!(context.pick(&xs, 1)?, 2);
    Ok(())
}

/// A context for each thread, all at work at once.
fn threads() {
    let work = |k: i32| -> Result<Vec<i32>, Error> {
        let context = Context::new()?;
        let xs = ArrayI32D1::new(&context, [1000], vec![k; 1000])?;
        (0..50)
            .map(|i| context.dot(&xs, &ArrayI32D1::new(&context, [1000], vec![i; 1000])?))
            .collect()
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|k| (k, scope.spawn(move || work(k)))).collect();
        for (k, worker) in workers {
            let found = worker.join().expect("no panic").expect("no error");
            assert_eq!(found, (0..50).map(|i| 1000 * k * i).collect::<Vec<_>>());
        }
    });
}
