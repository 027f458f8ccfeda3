//! Requests where there are no files: what is written is kept in memory, and found there again.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use bellmino_data::Format;
use bellmino_lab::request::{
    BestRequest, Context, Event, Observer, OpenTables, Outputs, Request, RequestError, SolveAnswer,
    SolveRequest, SolvedAnswer, WriteBy, check, read,
};
use bellmino_lab::{ResourceError, ResourceKind, Resources};
use serde_json::{Value, json};

/// Named bytes, as a page keeps them.
#[derive(Default)]
struct Shelf(Mutex<HashMap<String, Vec<u8>>>);

impl Shelf {
    fn names(&self) -> Vec<String> {
        self.0.lock().unwrap().keys().cloned().collect()
    }

    fn context<'a>(&'a self, observer: Option<&'a dyn Observer>) -> Context<'a> {
        Context { resources: self, outputs: self, observer, ..Context::default() }
    }
}

impl Resources for Shelf {
    fn has(&self, name: &str) -> bool {
        self.0.lock().unwrap().contains_key(name)
    }

    fn read(&self, _: ResourceKind, name: &str) -> Result<Vec<u8>, ResourceError> {
        let found = self.0.lock().unwrap().get(name).cloned();
        found.ok_or_else(|| ResourceError::Missing("is not there".to_owned()))
    }
}

impl Outputs for Shelf {
    fn tables(&self, name: &str, _: Format) -> Result<Box<dyn OpenTables>, RequestError> {
        Err(RequestError::input(name))
    }

    fn check(&self, name: &str) -> io::Result<()> {
        if name.contains('/') { Err(io::Error::other("there are no folders")) } else { Ok(()) }
    }

    fn write_by(&self, name: &str, write: &mut WriteBy<'_>) -> io::Result<()> {
        let mut bytes = Vec::new();
        write(&mut bytes as &mut dyn Write)?;
        self.0.lock().unwrap().insert(name.to_owned(), bytes);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.lock().unwrap().remove(name);
        Ok(())
    }

    fn folder(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}

/// Stops the work after so many sweeps, and keeps what was said.
#[derive(Default)]
struct Impatient {
    sweeps: AtomicU32,
    most: u32,
    said: Mutex<Vec<String>>,
}

impl Observer for Impatient {
    fn hear(&self, event: Event<'_>) {
        match event {
            Event::Now { what, .. } if what.starts_with("solving") => {
                self.sweeps.fetch_add(1, Ordering::Relaxed);
            }
            Event::Notice(words) => self.said.lock().unwrap().push(words),
            _ => {}
        }
    }

    fn go_on(&self) -> bool {
        self.sweeps.load(Ordering::Relaxed) < self.most
    }
}

fn solved(request: Value, context: &Context<'_>) -> Result<SolvedAnswer, RequestError> {
    match read::<SolveRequest>(request)?.answer(context)? {
        SolveAnswer::Solved(solved) => Ok(*solved),
        SolveAnswer::NeverClear(_) => panic!("another model"),
    }
}

/// A run that is stopped leaves its part where the next one finds it; the whole table takes its place, and plays.
#[test]
fn a_solve_is_saved_gone_on_with_and_kept_without_any_file() {
    let shelf = Shelf::default();
    let ask = |more: Value| {
        let mut request =
            json!({ "game": "small", "set": ["board.height=3"], "objective": "total", "method": "value" });
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    };
    let whole = solved(ask(json!({})), &shelf.context(None)).unwrap();
    assert!(shelf.names().is_empty());

    let stopping = Impatient { most: 3, ..Impatient::default() };
    let saved = json!({ "output": "t", "save_every": 0.0 });
    let error = solved(ask(saved), &shelf.context(Some(&stopping))).unwrap_err();
    assert_eq!(error.to_string(), "interrupted; kept as t.part, go on with `resume`");
    assert!(!error.is_input() && shelf.names() == ["t.part"]);

    let going_on = Impatient { most: u32::MAX, ..Impatient::default() };
    let resumed = json!({ "output": "t", "resume": true });
    let resumed = solved(ask(resumed), &shelf.context(Some(&going_on))).unwrap();
    assert!(going_on.said.lock().unwrap()[0].starts_with("goes on after "));
    let bound = whole.error_bound + resumed.error_bound;
    assert!((whole.value.unwrap() - resumed.value.unwrap()).abs() <= bound);
    assert_eq!((whole.boards, whole.states), (resumed.boards, resumed.states));
    assert_eq!(shelf.names(), ["t"]);

    let best = json!({ "game": "small", "set": ["board.height=3"], "queue": "O", "player": "table:t" });
    let found = read::<BestRequest>(best).unwrap().answer(&shelf.context(None)).unwrap();
    let first = resumed.value_by_first_piece["O"].as_f64().unwrap();
    assert!((found.candidates[0].value.unwrap() - first).abs() < 1e-8, "{found:?}");
    let nowhere = solved(ask(json!({ "output": "no/t" })), &shelf.context(None)).unwrap_err();
    assert_eq!(nowhere.to_string(), "`output` no/t: there are no folders");
}

/// Fields that need each other or exclude each other are refused whoever made the request; what is as by default is not given.
#[test]
fn fields_keep_their_company() {
    let refused = |request: Value| read::<SolveRequest>(request).unwrap_err().to_string();
    assert_eq!(refused(json!({ "game": "mini", "reached": true })), "`reached` needs `player`; give it too");
    assert_eq!(refused(json!({ "game": "mini", "state": "" })), "`state` needs `piece`; give it too");
    assert_eq!(
        refused(json!({ "game": "mini", "player": "lowest", "placer": "average" })),
        "`player` and `placer` do not go together; give one of them"
    );
    let fine =
        json!({ "game": "mini", "player": "lowest", "placer": "best", "reached": false, "state": null });
    let mut request: SolveRequest = read(fine).unwrap();
    assert_eq!(check(&request), Ok(()));
    (request.reached, request.losses) = (true, Some(2));
    assert!(check(&request).is_err());
    let error = request.answer(&Context::default()).unwrap_err();
    assert!(error.is_input() && error.to_string().contains("`losses`"), "{error}");
}
