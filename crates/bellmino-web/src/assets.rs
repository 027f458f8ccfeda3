//! The files of the page, embedded in the program.

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

macro_rules! assets {
    ($($path:literal),* $(,)?) => {
        [$(($path, include_bytes!(concat!("../../../web/", $path)).as_slice())),*]
    };
}

/// Every file: its path and its bytes.
static FILES: &[(&str, &[u8])] = &assets![
    "index.html",
    "style.css",
    "icon.svg",
    "src/app.js",
    "src/board.js",
    "src/chart.js",
    "src/choices.js",
    "src/chooser.js",
    "src/dom.js",
    "src/games.js",
    "src/keyboard.js",
    "src/keys.js",
    "src/players.js",
    "src/quit.js",
    "src/moves.js",
    "src/own-lab.js",
    "src/seat.js",
    "src/seed.js",
    "src/settings.js",
    "src/show.js",
    "src/socket.js",
    "src/pages/analyse-game.js",
    "src/pages/analyse-position.js",
    "src/sound.js",
    "src/touch.js",
    "src/play/advice.js",
    "src/play/duel.js",
    "src/play/end.js",
    "src/play/pace.js",
    "src/play/practice.js",
    "src/play/start.js",
    "src/verdict.js",
    "src/pages/analyse.js",
    "src/pages/explore.js",
    "src/pages/explore/contest.js",
    "src/pages/explore/figures.js",
    "src/pages/explore/frontier.js",
    "src/pages/explore/map.js",
    "src/pages/explore/picture.js",
    "src/pages/explore/question.js",
    "src/pages/explore/rules.js",
    "src/pages/explore/stage.js",
    "src/pages/explore/values.js",
    "src/pages/explore/words.js",
    "src/pages/home.js",
    "src/pages/live.js",
    "src/pages/play.js",
    "src/pages/settings.js",
    "src/pages/shown.js",
    "src/pages/train.js",
    "src/pages/watch.js",
];

/// Answers a request for a file.
pub async fn serve(request: Request) -> Response {
    let path = match request.uri().path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    let Some((path, bytes)) = FILES.iter().find(|(known, _)| *known == path) else {
        return (StatusCode::NOT_FOUND, "there is no such page").into_response();
    };
    let mut response = match on_disk(path) {
        Some(bytes) => bytes.into_response(),
        None => bytes.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(path)));
    // The files change with the program, not on their own.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// While developing, the file as it is now, so that a change of the page needs no new build.
#[cfg(debug_assertions)]
#[expect(clippy::disallowed_methods, reason = "of the page's own files, which are known by name")]
fn on_disk(path: &str) -> Option<Vec<u8>> {
    std::fs::read(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web")).join(path)).ok()
}

#[cfg(not(debug_assertions))]
fn on_disk(_: &str) -> Option<Vec<u8>> {
    None
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_file_of_the_page_is_embedded() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web"));
        let mut found = vec!["index.html".to_owned(), "style.css".to_owned(), "icon.svg".to_owned()];
        for part in ["src", "src/pages", "src/pages/explore", "src/play"] {
            for entry in std::fs::read_dir(folder.join(part)).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                if name.ends_with(".js") {
                    found.push(format!("{part}/{name}"));
                }
            }
        }
        found.sort();
        let mut embedded: Vec<&str> = FILES.iter().map(|(path, _)| *path).collect();
        embedded.sort_unstable();
        assert_eq!(embedded, found);
    }
}
