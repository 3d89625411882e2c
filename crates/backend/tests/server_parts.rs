//! The commands of the server protocol that look into values: arrays, records, sums.

use crate::fake::client::Server;

#[test]
fn arrays() {
    let mut server = Server::start("arrays");
    server.set("m i j", "[][]f32 i32 i32", "[[1, 2.5], [3, 4], [5, 6]] 10 20");
    assert_eq!(server.ok("shape m"), "3\n2\n");
    server.ok("index f m 0 1");
    assert_eq!(server.get("f"), "2.5f32");
    for command in ["index g m 3 0", "index g m 0 2", "index g m -1 0"] {
        assert!(server.fails(command).contains("out of bounds"), "{command}");
    }
    for command in ["index g m 0", "index g m 0 0 0", "index g m", "set m f 0"] {
        assert!(server.fails(command).contains("2 indices are needed"), "{command}");
    }
    assert!(server.fails("index g m 0 x").contains("`x` is not an index"));
    assert!(server.fails("index g m 0 99999999999999999999").contains("is not an index"));
    assert!(server.fails("index g i 0").contains("not an array type"));
    assert!(server.fails("shape i").contains("not an array type"));
    assert!(server.fails("index f m 0 0").contains("already"));

    server.ok("set m f 2 0");
    assert_eq!(server.get("m"), "[[1.0f32, 2.5f32], [3.0f32, 4.0f32], [2.5f32, 6.0f32]]");
    assert!(server.fails("set m i 0 0").contains("f32 is expected"));
    assert!(server.fails("set m f 0 5").contains("out of bounds"));

    server.ok("new_array v []i32 3 i j i");
    assert_eq!(server.get("v"), "[10i32, 20i32, 10i32]");
    server.ok("new_array w [][]f32 1 2 f f");
    assert_eq!(server.get("w"), "[[2.5f32, 2.5f32]]");
    server.ok("new_array z [][]f32 0 7");
    assert_eq!(server.get("z"), "empty([0][7]f32)");
    assert!(server.fails("new_array q []i32 3 i j").contains("3 elements"));
    assert!(server.fails("new_array q []i32 -1").contains("negative"));
    assert!(server.fails("new_array q []i32").contains("1 size"));
    assert!(server.fails("new_array q []i32 x").contains("not a size"));
    assert!(server.fails("new_array q []i32 2 i f").contains("i32 is expected"));
    assert!(server.fails("new_array q i32 2 i f").contains("not an array type"));
    let huge = "new_array q [][]f32 9223372036854775807 9223372036854775807";
    assert!(server.fails(huge).contains("larger than any memory"));
    assert!(server.fails("new_array v []i32 0").contains("already"));
    let unlucky = format!("new_array q []i32 13{}", " i".repeat(13));
    assert_eq!(server.fails(&unlucky), "Error: thirteen is an unlucky size");
    assert!(server.fails("type q").contains("no variable"));
    server.end();
}

#[test]
fn records_and_arrays_of_them() {
    let mut server = Server::start("records");
    server.set("x y xs ys", "f32 i32 []f32 []i32", "1.5 2 [1, 2] [3, 4]");
    server.ok("new p point x y");
    assert_eq!(server.ok("type p"), "point\n");
    server.ok("project px p x");
    server.ok("project py p y");
    assert_eq!(server.get("px py"), "1.5f32 2i32");
    assert!(server.fails("project q p z").contains("no field \"z\""));
    assert!(server.fails("project q x x").contains("neither a record"));
    assert!(server.fails("project px p x").contains("already"));
    assert!(server.fails("new q point x").contains("2 fields"));
    assert!(server.fails("new q point y x").contains("f32 is expected"));
    assert!(server.fails("new q shape x y").contains("not a record type"));
    assert!(server.fails("new q []point x y").contains("not a record type"));
    server.set("bad", "i32", "13");
    assert_eq!(server.fails("new q point x bad"), "Error: thirteen is an unlucky field");
    assert!(server.fails("type q").contains("no variable"));
    server.ok("new u ()");

    server.ok("zip ps []point xs ys");
    assert_eq!(server.ok("shape ps"), "2\n");
    server.ok("index p1 ps 1");
    server.ok("project p1x p1 x");
    assert_eq!(server.get("p1x"), "2.0f32");
    server.ok("set ps p 0");
    server.ok("unzip ps ux uy");
    assert_eq!(server.get("ux uy"), "[1.5f32, 2.0f32] [2i32, 4i32]");
    server.ok("new_array qs []point 2 p1 p");
    server.ok("project qx qs x");
    assert_eq!(server.get("qx"), "[2.0f32, 1.5f32]");
    // They are stored as their parts, which anyone can read, and restored from them.
    assert_eq!(server.get("p ps"), "1.5f32 2i32 [1.5f32, 2.0f32] [2i32, 4i32]");
    server.ok("restore output p2 point ps2 []point");
    assert_eq!(server.get("ps2 p2 u"), "[1.5f32, 2.0f32] [2i32, 4i32] 1.5f32 2i32");
    server.set("p3 u3 x3", "point () f32", "3 4 5");
    assert_eq!(server.get("p3"), "3.0f32 4i32");
    std::fs::write(server.file("input"), "1.5 13").expect("it can be written");
    assert!(server.fails("restore input q point").contains("unlucky field"));
    std::fs::write(server.file("input"), "[1, 2] [3]").expect("it can be written");
    assert!(server.fails("restore input q []point").contains("different sizes"));
    std::fs::write(server.file("input"), "[1, 2]").expect("it can be written");
    assert!(server.fails("restore input q []point").contains("type []i32 is missing"));
    server.call("main rs p ps");
    server.ok("unzip rs rx ry");
    assert_eq!(server.get("rx ry"), "[3.0f32, 3.5f32] [4i32, 6i32]");
    assert!(server.fails("zip q []point xs").contains("2 fields"));
    assert!(server.fails("zip q []point ys xs").contains("[]f32 is expected"));
    assert!(server.fails("zip q point x y").contains("not an array of records"));
    assert!(server.fails("unzip ps a").contains("2 fields"));
    assert!(server.fails("unzip ps a a").contains("already"));
    assert!(server.fails("unzip xs a b").contains("not an array of records"));
    assert!(server.fails("type a").contains("no variable"));
    server.set("short", "[]i32", "[1]");
    assert_eq!(server.fails("zip q []point xs short"), "Error: the arrays have different sizes");
    assert!(server.fails("set ps x 0").contains("point is expected"));
    server.end();
}

#[test]
fn sums() {
    let mut server = Server::start("sums");
    server.set("n v", "i32 []i32", "7 [8, 9]");
    server.ok("construct a shape none");
    server.ok("construct b shape some n v");
    assert_eq!(server.ok("variant a"), "none\n");
    assert_eq!(server.ok("variant b"), "some\n");
    server.ok("destruct a");
    server.ok("destruct b x y");
    assert_eq!(server.get("x y"), "7i32 [8i32, 9i32]");
    assert!(server.fails("construct c shape other").contains("no variant \"other\""));
    assert!(server.fails("construct c shape some n").contains("2 values"));
    assert!(server.fails("construct c shape none n").contains("0 values"));
    assert!(server.fails("construct c shape some v n").contains("i32 is expected"));
    assert!(server.fails("construct c point none").contains("not a sum type"));
    assert!(server.fails("construct a shape none").contains("already"));
    assert!(server.fails("destruct b z").contains("2 values"));
    assert!(server.fails("destruct b z x").contains("already"));
    assert!(server.fails("destruct n z").contains("not a sum type"));
    assert!(server.fails("variant n").contains("not a sum type"));
    assert!(server.fails("type z").contains("no variable"));
    server.end();
}
