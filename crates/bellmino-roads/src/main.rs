//! `cargo run -p bellmino-roads [PAIR] [GAMES] [FIRST SEED]`: asks every pair, or one, and prints how much was compared.

use std::process::ExitCode;
use std::time::Instant;

use bellmino_roads::{PAIRS, ask_many};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let name = words.first().map(String::as_str).filter(|name| *name != "all");
    let number = |place: usize| words.get(place).and_then(|word| word.parse::<u64>().ok());
    if let Some(name) = name.filter(|name| PAIRS.iter().all(|pair| pair.name != *name)) {
        let known: Vec<&str> = PAIRS.iter().map(|pair| pair.name).collect();
        eprintln!("there is no pair `{name}`; give `all` or one of {}", known.join(", "));
        return ExitCode::from(2);
    }
    let mut status = ExitCode::SUCCESS;
    println!("{:<18} {:>9} {:>10} {:>8}  compared", "pair", "games", "moves", "seconds");
    for pair in PAIRS.iter().filter(|pair| name.is_none_or(|name| pair.name == name)) {
        let begin = Instant::now();
        let asked = ask_many(pair, number(2).unwrap_or(0), number(1).unwrap_or(pair.games));
        let seconds = begin.elapsed().as_secs_f64();
        match asked {
            Ok(compared) => {
                let about = pair.about;
                println!(
                    "{:<18} {:>9} {:>10} {seconds:>8.1}  {about}",
                    pair.name, compared.games, compared.moves
                );
            }
            Err(why) => {
                println!("{:<18} DIFFERS after {seconds:.1} s\n{why}", pair.name);
                status = ExitCode::FAILURE;
            }
        }
    }
    status
}
