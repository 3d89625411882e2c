//! Maps with few keys, and with many.

use fehu_check::ty::small_map::SmallMap;

#[test]
fn few_and_many() {
    let mut map = SmallMap::default();
    for i in 0..100 {
        assert!(!map.contains_key(&i));
        map.insert(i, i);
        map.insert(i / 2, 1000 + i);
        assert_eq!(map.get(&(i / 2)), Some(&(1000 + i)), "{i}");
    }
    assert!(map.iter().map(|(k, _)| *k).eq(0..100));
    assert_eq!(map.values().filter(|v| **v >= 1000).count(), 50);
}
