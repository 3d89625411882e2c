//! Sets of regions that values may share.

use fehu_check::consume::alias::{Alias, Region, Set};

fn set(regions: &[u32]) -> Set {
    Set::of(regions.iter().map(|&r| Region(r)).collect())
}

#[test]
fn a_union_with_a_subset_is_shared() {
    let large = set(&[1, 2, 3]);
    assert_eq!(large.union(&set(&[2])), large);
    assert_eq!(set(&[2]).union(&large), large);
    assert_eq!(set(&[1]).union(&set(&[4])), set(&[1, 4]));
    assert_eq!(large.common(&set(&[3, 4])), Some(Region(3)));
    assert_eq!(large.common(&set(&[4])), None);
}

#[test]
fn joining_keeps_fields_apart() {
    let pair =
        |a, b| Alias::Record([("0".into(), Alias::Set(a)), ("1".into(), Alias::Set(b))].into());
    let joined = pair(set(&[1]), set(&[2])).join(&pair(set(&[3]), set(&[2])));
    assert_eq!(joined.field("0").regions(), set(&[1, 3]));
    assert_eq!(joined.field("1").regions(), set(&[2]));
    assert_eq!(joined.join(&Alias::Set(set(&[9]))).field("1").regions(), set(&[2, 9]));
}
