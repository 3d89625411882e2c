//! What the crates offer, used by a project of its own.

use ndarray::{Array2, array};

fehu::module!(stats);
fehu::module!(second);

fn main() -> fehu::Result<()> {
    let stats = stats::Module::new()?;
    let xs = vec![1.0, 2.0, 6.0];
    assert_eq!(stats.mean(&xs)?, 3.0);
    assert_eq!(stats.mean(&[1.0, 3.0])?, 2.0);

    // Sizes and views.
    let pixels = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let image = stats.blur(2.0, (&pixels[..], [2, 3]))?;
    assert_eq!((image.shape(), image.as_slice()[5]), ([2, 3], 12.0));
    let view: Array2<f32> = array![[1.0, 2.0], [3.0, 4.0]];
    assert_eq!(stats.blur(0.5, view.view())?.view()[[1, 0]], 1.5);
    assert!(matches!(stats.blur(1.0, view.t()), Err(fehu::Error::Argument(_))));
    assert!(matches!(stats.blur(1.0, (&pixels[..], [2, 2])), Err(fehu::Error::Argument(_))));

    // A result owns its memory, also if it is an argument.
    let same = {
        let numbers = vec![7, 8, 9];
        stats.same(&numbers)?
    };
    assert_eq!(same.to_vec(), [7, 8, 9]);
    // Consumed arguments are moved.
    let changed = stats.put(same, 1, 42)?;
    assert_eq!(changed.as_slice(), [7, 42, 9]);
    let (more, count) = stats.both(&changed)?;
    assert_eq!((more.as_slice(), count), (&[8, 43, 10][..], 3));

    // Records and sums.
    let summary = stats.summary(&xs)?;
    assert_eq!((summary.mean()?, summary.above()?.to_vec()), (3.0, vec![6.0]));
    assert_eq!(stats.spread(&summary)?, 3.0);
    let made = stats::Summary::new(&stats, &[5.0, 7.0], 1.0)?;
    assert_eq!(stats.spread(&made)?, 6.0);
    assert_eq!(stats.area(&stats::Shape::circle(&stats, 2.0)?)?, 12.0);
    let unit = stats.unit(3.0)?;
    assert_eq!((unit.as_rect()?, unit.as_circle()?), (Some((3.0, 3.0)), None));
    assert_eq!(stats.area(&stats::Shape::nothing(&stats)?)?, 0.0);

    // Failures.
    let error = stats.put(changed, 9, 0).expect_err("there is no such element");
    assert!(error.to_string().contains("out of bounds"), "{error}");
    assert_eq!(stats.mean(&xs)?, 3.0);

    // Threads take turns.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|_| assert_eq!(stats.mean(&xs), Ok(3.0))));
        }
    });
    assert_eq!(second::Module::new()?.twice(21)?, 42);
    println!("all is well");
    Ok(())
}
