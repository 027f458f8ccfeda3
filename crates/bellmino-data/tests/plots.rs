//! Figures: every kind of mark as a golden file, valid XML whatever the text, the same bytes every time.

use bellmino_data::plot::{At, Axis, Figure, Mark, Panel, Point, Scale, Series, distribution};
use roxmltree::Document;

/// One small figure for every way to draw.
fn figures() -> Vec<(&'static str, Figure)> {
    let band = |x: f64, y: f64| Point::new(x, y).between([y - 1.0, y + 1.5]);
    let line = Figure::new("A line with its band")
        .x(Axis::new("pieces placed").log())
        .y(Axis::new("rows").from_zero())
        .with(Series::new("measured", Mark::Line).with([band(1.0, 2.0), band(10.0, 4.0), band(100.0, 5.0)]))
        .with(Series::new("held", Mark::Steps).points([(1.0, 1.0), (10.0, 2.0), (100.0, 3.0)]))
        .refer(At::Y(4.5), "reported: 4.5");
    let points = Figure::new("Points with whiskers and texts")
        .x(Axis::new("against the worst dealer (points)"))
        .y(Axis::new("against chance (points)"))
        .with(Series::new("", Mark::Points).with([
            Point::new(1.0, 2.0).across([0.5, 1.5]).between([1.8, 2.2]).labelled("score=1"),
            Point::new(2.0, 1.0).labelled("gaps=0.5"),
        ]))
        .refer(At::X(1.75), "best");
    let bars = Figure::new("Bars beside each other")
        .x(Axis::default().named(["single", "double", "tetris"]))
        .y(Axis::new("clears per game"))
        .with(Series::new("bot", Mark::Bars).with([band(0.0, 3.0), band(1.0, 2.0), band(2.0, 9.0)]))
        .with(Series::new("random", Mark::Bars).points([(0.0, 1.0), (1.0, 0.0), (2.0, 0.0)]));
    let rows = Figure::new("Bars in rows")
        .x(Axis::new("share (%)"))
        .y(Axis::default().named(["spin double", "wasted"]))
        .sized(400, 200)
        .with(Series::new("bot", Mark::Rows).points([(75.0, 0.0), (25.0, 1.0)]));
    let cells = Figure::new("Cells")
        .x(Axis::new("column").named(["0", "1", "2"]))
        .y(Axis::default().named(["bot", "random"]))
        .sized(400, 200)
        .with(Series::new("", Mark::Cells).with([
            Point::new(0.0, 0.0).weighing(1.0).labelled("80"),
            Point::new(2.0, 1.0).weighing(0.25).labelled("20"),
        ]));
    let samples = [("bot".to_owned(), vec![100.0, 101.0, 100.0, 102.0]), ("lost".to_owned(), Vec::new())];
    let wide = [(String::new(), vec![0.0, 3.0, 40.0, 500.0, 6000.0])];
    let many = Figure::new("Panels that share their axes")
        .x(Axis::new("move"))
        .y(Axis::new("rows").log())
        .panels(vec![
            Panel::new("above").with(Series::new("", Mark::Line).points([(1.0, 1.0), (2.0, 1e7)])),
            Panel::new("below").with(Series::new("", Mark::Line).points([
                (1.0, 0.0),
                (2.0, f64::NAN),
                (3.0, 5.0),
            ])),
        ]);
    vec![
        ("line", line),
        ("points", points),
        ("bars", bars),
        ("rows", rows),
        ("cells", cells),
        ("histogram", distribution("Pieces", "pieces placed", &samples)),
        ("histogram_wide", distribution("Lines", "lines", &wide)),
        ("panels", many),
        ("nothing", Figure::new("Nothing to see")),
    ]
}

#[test]
fn every_kind_of_figure() {
    for (name, figure) in figures() {
        let svg = figure.svg().unwrap();
        insta::assert_snapshot!(name, svg);
        let document = Document::parse(&svg).unwrap_or_else(|error| panic!("{name}: {error}"));
        let root = document.root_element();
        assert_eq!((root.tag_name().name(), root.attribute("role")), ("svg", Some("img")));
        let text = |tag: &str| root.children().find(|child| child.has_tag_name(tag)).unwrap().text();
        assert_eq!(text("title"), Some(figure.title.as_str()));
        assert!(figure.svg().unwrap() == svg, "{name} is drawn the same twice");
    }
}

#[test]
fn every_mark_lies_in_the_picture() {
    for (name, figure) in figures() {
        let svg = figure.inline_svg().unwrap();
        let document = Document::parse(&svg).unwrap();
        let (wide, high) = (figure.size.0 as f64 * 10.0, figure.size.1 as f64 * 10.0);
        for node in document.descendants().filter(roxmltree::Node::is_element) {
            let number = |key: &str| node.attribute(key).and_then(|text| text.parse::<f64>().ok());
            let xs = ["x", "x1", "x2", "cx"].into_iter().filter_map(number);
            let ys = ["y", "y1", "y2", "cy"].into_iter().filter_map(number);
            assert!(xs.into_iter().all(|x| (0.0..=wide).contains(&x)), "{name}: {node:?}");
            assert!(ys.into_iter().all(|y| (0.0..=high).contains(&y)), "{name}: {node:?}");
            assert!(number("width").is_none_or(|width| width >= 0.0), "{name}: {node:?}");
            assert!(number("height").is_none_or(|height| height >= 0.0), "{name}: {node:?}");
        }
    }
}

#[test]
fn no_text_breaks_the_file() {
    let hostile = "</title></svg><script>alert(1)</script>&\"'\u{0}\u{1b}\u{202e}\u{ffff} 💣";
    let figure = Figure::new(hostile)
        .x(Axis::new(hostile).named([hostile, "b"]))
        .y(Axis::new(hostile))
        .described(hostile)
        .with(Series::new(hostile, Mark::Bars).with([Point::new(0.0, 1.0).labelled(hostile)]))
        .refer(At::Y(0.5), hostile);
    let svg = figure.svg().unwrap();
    let document = Document::parse(&svg).unwrap();
    let elements = document.descendants().filter(roxmltree::Node::is_element);
    let names: std::collections::BTreeSet<&str> = elements.map(|node| node.tag_name().name()).collect();
    assert!(!names.contains("script"), "{names:?}");
    assert!(!svg.contains('\u{0}') && !svg.contains('\u{202e}'));
    assert_eq!(figure.csv().lines().count(), 2, "{}", figure.csv());
}

#[test]
fn strange_numbers_are_left_out() {
    for scale in [Scale::Linear, Scale::Log, Scale::LogFromZero] {
        let points =
            [(f64::NAN, 1.0), (1.0, f64::INFINITY), (-1.0, -1.0), (0.0, 0.0), (1e300, 1e-300), (5.0, 5.0)];
        for mark in
            [Mark::Line, Mark::Steps, Mark::Points, Mark::Bars, Mark::Rows, Mark::Histogram, Mark::Cells]
        {
            let axis = || Axis::new("numbers").scaled(scale);
            let figure =
                Figure::new("strange").x(axis()).y(axis()).with(Series::new("", mark).points(points));
            let svg = figure.svg().unwrap();
            Document::parse(&svg).unwrap();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{scale:?} {mark:?}");
        }
    }
}

#[test]
fn a_figure_is_also_data() {
    let (_, figure) = figures().swap_remove(0);
    let expected =
        "panel,series,label,x,y,x_low,x_high,y_low,y_high\n,measured,,1,2,,,1,3.5\n,measured,,10,4,,,3,5.5\n";
    assert!(figure.csv().starts_with(expected), "{}", figure.csv());
}
