//! `bellmino lab`: the lab in the browser.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use bellmino_web::{LabOptions, OpenError, Server};
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::{interrupt, output};

/// Arguments of `lab`.
#[derive(clap::Args, Debug)]
pub struct LabArgs {
    /// Port to listen on; 0 takes a free one [default: 7737, or a free one if it is taken]
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,

    /// Folder for games and settings [default: the user's data folder]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Address to listen on; anything but a loopback address lets others on the network in
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,

    /// Let everybody in who can reach the address, without the token that is part of it
    #[arg(long)]
    no_token: bool,
}

/// Serves the lab until it is told to end.
pub fn run(args: &LabArgs, common: &Common) -> Result<(), Failure> {
    let options =
        LabOptions { bind: args.bind, port: args.port, data: args.data.clone(), token: !args.no_token };
    let server = match Server::open(&options) {
        Ok(server) => server,
        Err(OpenError::Running { url, store }) => {
            announce(&url, &store, common)?;
            if !common.quiet {
                eprintln!("This lab was running already; that is its address.");
            }
            if !args.no_open {
                open_browser(&url);
            }
            return Ok(());
        }
        Err(OpenError::System(error)) => return Err(Failure::run(error)),
        Err(error) => return Err(refuse_folder(&error)),
    };
    announce(server.url(), server.store(), common)?;
    if !common.quiet {
        eprintln!("Ctrl-C ends it.");
    }
    if !args.no_open {
        open_browser(server.url());
    }
    let store = server.store().to_owned();
    let lost = server.serve(interrupt::go_on)?;
    if lost > 0 {
        let store = store.display();
        let why = format!("{lost} games that have ended could not be written to {store}; they are lost");
        return Err(Failure::run(anyhow::anyhow!(why)));
    }
    if !common.quiet {
        eprintln!("The lab is closed.");
    }
    Ok(())
}

/// Why the lab's folder cannot be used; another one is given by a flag.
pub fn refuse_folder(error: &impl std::fmt::Display) -> Failure {
    let why = error.to_string();
    Failure::input(if why.ends_with("folder") { why + " with --data DIR" } else { why })
}

fn announce(url: &str, store: &Path, common: &Common) -> Result<(), Failure> {
    if common.json {
        output::json(&json!({ "url": url, "store": store }))?;
    } else {
        let mut out = io::stdout().lock();
        writeln!(out, "{url}")?;
        out.flush()?;
    }
    if !common.quiet {
        eprintln!("The lab is open at {url}\nGames and settings are in {}", store.display());
    }
    Ok(())
}

/// Asks the desktop to open the page; a machine without one does nothing.
fn open_browser(url: &str) {
    let (program, first) = if cfg!(windows) {
        ("cmd", vec!["/c", "start", ""])
    } else if cfg!(target_os = "macos") {
        ("open", vec![])
    } else {
        ("xdg-open", vec![])
    };
    let mut command = Command::new(program);
    command.args(first).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut child) = command.spawn() {
        // Waited for elsewhere, so that it leaves no zombie.
        thread::spawn(move || child.wait());
    }
}
