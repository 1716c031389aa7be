//! The command line: one file per command.

mod backup;
mod beside;
mod castling;
mod change_key;
mod complete;
mod demo;
mod elsewhere;
mod export;
mod first_minute;
mod health;
mod help;
mod passphrase;
mod position;
mod recover;
mod serve;
mod statistics;
mod takeover;
mod token;
mod validate;
mod verify;
mod witness;

use crate::config::{Config, Flags};
use clap::{Args, Parser, Subcommand};
use std::{error::Error, io::Write, net::SocketAddr, path::PathBuf, process::ExitCode};

/// What a command ends with: nothing to add, or a sentence for standard error.
type Outcome = Result<(), Box<dyn Error>>;

/// The server that Chess960 tournaments trust with their start positions.
///
/// Without a command it serves.
#[derive(Debug, Parser)]
#[command(name = "draw960", bin_name = "draw960", version, after_help = help::ALL, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::Serve,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve; the first start makes the database and prints how to begin
    #[command(after_help = help::SERVE)]
    Serve(serve::Serve),
    /// Make a new operator token and take the earlier ones back, or list them
    #[command(after_help = help::TOKEN)]
    Token(token::Token),
    /// Write a consistent copy of the database, also while the server runs
    #[command(after_help = help::BACKUP)]
    Backup(backup::Backup),
    /// Go on from a database that is older than what the server signed
    #[command(after_help = help::RECOVER)]
    Recover(recover::Recover),
    /// Let another key sign the log, after a theft or a change of hands
    #[command(after_help = help::CHANGE_KEY)]
    ChangeKey(change_key::ChangeKey),
    /// Write a tournament's master as a sheet to be kept under seal; the log says so
    #[command(after_help = help::EXPORT)]
    Export(export::Export),
    /// Go on from a custody file on another machine
    #[command(after_help = help::TAKEOVER)]
    Takeover(takeover::Takeover),
    /// Check everything about a tournament, offline
    #[command(after_help = help::VERIFY)]
    Verify(verify::Verify),
    /// Say whether chance explains what was drawn, also while the server runs
    #[command(after_help = help::STATISTICS)]
    Statistics(statistics::Count),
    /// Complete a draw whose server died, from the sheet and a bundle of the log, offline
    #[command(after_help = help::COMPLETE)]
    Complete(complete::Complete),
    /// Cosign the checkpoints of other machines' logs, so that nobody can be shown another history
    #[command(after_help = help::WITNESS)]
    Witness(witness::Serve),
    /// Show one of the 960 start positions
    #[command(after_help = help::POSITION)]
    Position(position::Show),
    /// Validate the games of PGN files
    #[command(after_help = help::VALIDATE)]
    Validate(validate::Validate),
    /// Explain the castlings of a position, in sentences to be read out at the board
    #[command(after_help = help::CASTLING)]
    Castling(castling::Explain),
    /// Perform the main job against a throw-away server and tell the story
    #[command(after_help = help::DEMO)]
    Demo,
    /// Ask a running server whether it is ready; for container health checks
    #[command(after_help = help::HEALTH)]
    Health(health::Health),
}

/// Where the settings come from.
#[derive(Clone, Debug, Default, Args)]
struct Place {
    /// A settings file; config/default.toml names every key
    #[arg(long, env = "DRAW960_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of the database and its key file [default: data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Place {
    fn settings(&self, listen: Option<SocketAddr>) -> Result<Config, Box<dyn Error>> {
        let flags = Flags { config: self.config.clone(), data: self.data.clone(), listen };
        Ok(Config::load(&flags)?)
    }
}

/// Parses the command line and carries it out.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match cli.command.unwrap_or(Command::Serve(cli.serve)) {
        Command::Validate(command) => return validate::validate(&command),
        Command::Castling(command) => castling::explain(&command),
        Command::Verify(command) => return verify(command),
        Command::Position(command) => position::show(&command),
        Command::Serve(command) => block_on(serve::serve(command)),
        Command::Witness(command) => block_on(witness::serve(command)),
        Command::Token(command) => block_on(token::token(command)),
        Command::Backup(command) => block_on(backup::backup(command)),
        Command::Recover(command) => block_on(recover::recover(command)),
        Command::ChangeKey(command) => block_on(change_key::change_key(command)),
        Command::Complete(command) => block_on(complete::run(command)),
        Command::Export(command) => block_on(export::export(command)),
        Command::Statistics(command) => block_on(statistics::count(command)),
        Command::Takeover(command) => block_on(takeover::takeover(command)),
        Command::Demo => block_on(demo::demo()),
        Command::Health(command) => block_on(health::health(command)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "draw960: {why}");
            ExitCode::FAILURE
        }
    }
}

fn verify(command: verify::Verify) -> ExitCode {
    block_on(verify::run(command)).unwrap_or_else(|why| {
        let _ = writeln!(std::io::stderr(), "draw960: {why}");
        ExitCode::from(2)
    })
}

fn block_on<T>(command: impl Future<Output = Result<T, Box<dyn Error>>>) -> Result<T, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(command);
    // What still runs was given its time; the process does not wait for it again.
    runtime.shutdown_background();
    outcome
}

/// Prints what was asked for.
fn print(text: &str) -> Outcome {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        // Whoever pipes into `head` has read enough.
        Err(why) if why.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound_and_serves_by_default() {
        Cli::command().debug_assert();
        let cli = Cli::try_parse_from(["draw960", "--listen", "127.0.0.1:0"]).unwrap();
        assert!(cli.command.is_none());
        assert!(Cli::try_parse_from(["draw960", "serve", "--data", "x", "--require-existing"]).is_ok());
        assert!(Cli::try_parse_from(["draw960", "draw"]).is_err());
    }
}
