//! Plots and reports as a user makes them.

mod common;

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use common::{json, refused, stdout};
use roxmltree::Document;

/// The SVG file is whole and shows something; returns it.
fn picture(path: &Path) -> String {
    let svg = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let document = Document::parse(&svg).unwrap();
    assert!(document.root_element().has_tag_name(("http://www.w3.org/2000/svg", "svg")));
    assert!(!svg.contains("no data"), "{svg}");
    svg
}

#[test]
fn results_are_drawn_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let mut drawn = Vec::new();
    for threads in ["1", "3"] {
        let file = folder.path().join(format!("{threads}.svg"));
        let words =
            ["evaluate", "mini", "--player", "random", "--player", "lowest", "--games", "50", "--seed", "1"];
        stdout(&[&words[..], &["--threads", threads, "--plot", file.to_str().unwrap()]].concat());
        drawn.push(picture(&file));
    }
    assert_eq!(drawn[0], drawn[1]);
    assert!(drawn[0].contains("random: mean") && drawn[0].contains("lowest: mean"));
    let nowhere =
        ["evaluate", "mini", "--player", "random", "--games", "1", "--plot", "no/such/folder/x.svg"];
    let output = common::bellmino(&nowhere);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("no/such/folder/x.svg"), "{said}");
}

#[test]
fn learning_curves_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (run, plot, weights) = (at("run"), at("plot.svg"), at("w.json"));
    let words = ["train", "td", "small", "--features", "contour", "--episodes", "4", "--seed", "1"];
    stdout(&[&words[..], &["--run", &run, "--plot", &plot, "-o", &weights]].concat());
    let (curve, plot) = (picture(&Path::new(&run).join("curve.svg")), picture(Path::new(&plot)));
    assert_eq!(curve, plot, "both are of the whole run");
    assert!(curve.contains("score of the episode") && curve.contains("4 points"));
    let runs = at("runs.svg");
    stdout(&[&words[..], &["--runs", "3", "--games", "2", "--plot", &runs]].concat());
    assert!(picture(Path::new(&runs)).contains("3 runs"));
}

#[test]
fn experiments_declare_their_plots() {
    let folder = tempfile::tempdir().unwrap();
    let (file, plots) = (folder.path().join("own.toml"), folder.path().join("plots"));
    let (file, plots) = (file.to_str().unwrap(), plots.to_str().unwrap());
    let head = "title = \"t\"\nquestion = \"q\"\n";
    let plot =
        "[[plot]]\nname = \"rows\"\ntitle = \"Rows\"\nx = { label = \"pieces\" }\ny = { label = \"rows\" }\n";
    let exact = "[[plot.series]]\nname = \"exact\"\ncommand = \"solve mini --objective horizon:{x}\"\n\
                 each = { from = 1, to = 4 }\ny = \"/value\"\nfit = \"fitted\"\n";
    let runs = "[[plot.series]]\nname = \"runs\"\nmark = \"points\"\nseeds = [1, 2, 3]\neach = [2]\ny = \"/score/mean\"\n\
                command = \"evaluate mini --player random --games 5 --pieces {x} --seed {seed}\"\n";
    let curve = "[[plot.series]]\nname = \"curve\"\ncommand = \"train td small --features contour --episodes 3 --seed 1\"\n\
                 rows = \"/curve\"\nx = \"/0\"\ny = \"/1\"\n";
    let line = "[[plot.reference]]\nlabel = \"all\"\ncommand = \"solve mini --objective total\"\nfield = \"/value\"\n";
    fs::write(file, [head, plot, exact, runs, curve, line].concat()).unwrap();
    let report = json(&["reproduce", file, "--plots", plots]);
    assert_eq!(report["plots"][0]["plot"], "rows");
    let svg = picture(Path::new(report["plots"][0]["file"].as_str().unwrap()));
    assert!(svg.contains("exact") && svg.contains("fitted, towards") && svg.contains(">\nall\n<"), "{svg}");
    // The points are what the commands print.
    let csv = fs::read_to_string(report["plots"][0]["data"].as_str().unwrap()).unwrap();
    let value = json(&["solve", "mini", "--objective", "horizon:3"])["value"].as_f64().unwrap();
    assert!(csv.contains(&format!(",exact,,3,{value},,,,\n")), "{csv}");
    let scores: Vec<f64> = ["1", "2", "3"]
        .iter()
        .map(|seed| {
            let words =
                ["evaluate", "mini", "--player", "random", "--games", "5", "--pieces", "2", "--seed", seed];
            json(&words)["score"]["mean"].as_f64().unwrap()
        })
        .collect();
    let mean = scores.iter().sum::<f64>() / 3.0;
    assert!(csv.contains(&format!(",runs,,2,{mean},,,")), "{mean}: {csv}");
    assert_eq!(csv.lines().filter(|line| line.starts_with(",curve,")).count(), 3, "{csv}");

    for (wrong, named) in [
        (exact.replace("/value", "/valu"), "`/valu`"),
        (curve.replace("x = \"/0\"\n", ""), "give `x`"),
        (line.replace("field = \"/value\"\n", ""), "`at`"),
        (exact.replace("mark", "mork").replace("fit =", "fat ="), "fat"),
    ] {
        fs::write(file, [head, plot, &wrong].concat()).unwrap();
        let said = refused(&["reproduce", file, "--plots", plots]);
        assert!(said.contains(named), "{said}");
    }
    fs::write(file, head).unwrap();
    assert!(refused(&["reproduce", file, "--plots", plots]).contains("no plot"));
}

#[test]
fn a_report_is_one_safe_page() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let words =
        ["evaluate", "sprint", "--player", "weights:sprint4", "--player", "lowest", "--pieces", "120"];
    for (tables, format) in [(at("one"), "parquet"), (at("two"), "csv")] {
        stdout(
            &[&words[..], &["--games", "3", "--seed", "1", "--tables", &tables, "--format", format]].concat(),
        );
        let page = at("page.html");
        let report = json(&["report", &tables, "-o", &page]);
        assert_eq!(report["games"], 6);
        let text = fs::read_to_string(&page).unwrap();
        assert_eq!(report["bytes"], text.len());
        for section in [
            "Results",
            "Differences on the same pieces",
            "Losses",
            "Clears",
            "Wells and patterns",
            "Key presses",
        ] {
            assert!(text.contains(&format!(">{section}</h3>")), "{section}");
        }
        assert!(!text.contains("<script") && !text.contains("http-equiv=\"refresh\""));
        let page_text = text.split_once("<main>").unwrap().1;
        let links = page_text.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        assert!(!links.contains("http://") && !links.contains("https://"), "it needs no network");
    }
    // Both folders on one page, told apart by their names.
    let both = at("both.html");
    stdout(&["report", &at("one"), &at("two"), "-o", &both]);
    assert!(fs::read_to_string(&both).unwrap().contains("two</th>"));
    // Without moves, and with somebody who means ill.
    let hostile = folder.path().join("hostile");
    fs::create_dir(&hostile).unwrap();
    let name = "\"<script>alert(1)</script><img src=x onerror=alert(2)>\"\"'&\"";
    let rows =
        format!("game_id,game,player,seed,index,pieces,lines,score,outcome\n0,<b>,{name},1,0,5,1,1,lost\n");
    fs::write(hostile.join("games.csv"), rows).unwrap();
    let page = at("hostile.html");
    stdout(&["report", hostile.to_str().unwrap(), "-o", &page]);
    let text = fs::read_to_string(&page).unwrap();
    assert!(!text.contains("<script") && !text.contains("<img") && !text.contains("<b>"));
    assert!(text.contains("&lt;script&gt;") && text.contains("There is no table of moves."));

    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    assert!(refused(&["report", empty.to_str().unwrap()]).contains("games.parquet"));
    fs::write(empty.join("games.parquet"), "not a table").unwrap();
    assert!(refused(&["report", empty.to_str().unwrap()]).contains("games.parquet"));
}

/// Types every command of the document, one after the other in one folder.
#[test]
fn the_document_tells_the_truth() {
    let text = include_str!("../../../docs/PLOTS.md");
    let folder = tempfile::tempdir().unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    let commands: Vec<&str> =
        blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("bellmino ")).collect();
    assert!(commands.len() >= 6, "{commands:?}");
    for command in commands {
        let words = command.split_whitespace();
        let run = Command::cargo_bin("bellmino").unwrap().args(words).current_dir(&folder).output().unwrap();
        assert!(run.status.success(), "{command}: {}", String::from_utf8_lossy(&run.stderr));
    }
    for drawn in ["mini.svg", "runs/first/curve.svg", "td.svg", "plots/dealers-malice.svg"] {
        picture(&folder.path().join(drawn));
    }
    assert!(fs::read_to_string(folder.path().join("report.html")).unwrap().ends_with("</html>\n"));
}
