//! Every file of the fuzz targets' corpora, through the functions they fuzz.

use std::fs;
use std::path::Path;

#[path = "../../../fuzz/checks.rs"]
mod checks;

#[test]
fn every_corpus_file_is_replayed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let replay = |name: &str, check: fn(&str)| {
        let files = fs::read_dir(root.join("corpus").join(name)).unwrap();
        let replayed =
            files.map(|file| check(&String::from_utf8_lossy(&fs::read(file.unwrap().path()).unwrap())));
        assert!(replayed.count() >= 2, "{name}");
    };
    replay("fumen", checks::fumen);
    replay("game", checks::game);
    replay("record", checks::record);
    replay("tbp", checks::tbp);
    assert_eq!(fs::read_dir(root.join("fuzz_targets")).unwrap().count(), 4, "all of them");
}
