//! `bellmino lab`: the lab in the browser.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use std::{io, thread};

use serde_json::json;
use tokio::net::TcpListener;
use tokio::runtime;

use crate::cli::Common;
use crate::failure::Failure;
use crate::web::{self, Lab, Store};
use crate::{interrupt, output};

/// The port tried first when none is given.
const PORT: u16 = 7737;

/// Arguments of `lab`.
#[derive(clap::Args, Debug)]
pub struct Args {
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
}

/// Serves the lab until it is told to end.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let folder = match &args.data {
        Some(folder) => folder.clone(),
        None => web::default_folder().map_err(Failure::input)?,
    };
    let store = Store::open(&folder).map_err(Failure::input)?;
    let runtime = runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::run)?;
    let result = runtime.block_on(async {
        let listener = listen(args).await?;
        let address = listener.local_addr()?;
        let shown = if args.bind.is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { args.bind };
        let url = format!("http://{}/", SocketAddr::new(shown, address.port()));
        announce(&url, &store, common)?;
        if !args.no_open {
            open_browser(&url);
        }
        let lab = Arc::new(Lab::new(address, store));
        web::serve(listener, lab, interrupted()).await.map_err(Failure::from)
    });
    // Games under way have been written; long work is not waited for.
    runtime.shutdown_timeout(Duration::from_secs(2));
    result?;
    if !common.quiet {
        eprintln!("The lab is closed.");
    }
    Ok(())
}

async fn listen(args: &Args) -> Result<TcpListener, Failure> {
    let wanted = SocketAddr::new(args.bind, args.port.unwrap_or(PORT));
    match TcpListener::bind(wanted).await {
        Err(error) if args.port.is_none() && error.kind() == io::ErrorKind::AddrInUse => {
            TcpListener::bind(SocketAddr::new(args.bind, 0)).await.map_err(Failure::from)
        }
        Err(error) => Err(Failure::input(format!("cannot listen on {wanted}: {error}"))),
        Ok(listener) => Ok(listener),
    }
}

fn announce(url: &str, store: &Store, common: &Common) -> Result<(), Failure> {
    if common.json {
        output::json(&json!({ "url": url, "store": store.path() }))?;
    } else {
        let mut out = io::stdout().lock();
        writeln!(out, "{url}")?;
        out.flush()?;
    }
    if !common.quiet {
        eprintln!(
            "The lab is open at {url}\nGames and settings are in {}\nCtrl-C ends it.",
            store.path().display()
        );
    }
    Ok(())
}

async fn interrupted() {
    while interrupt::go_on() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
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
