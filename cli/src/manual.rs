//! `firstborn man`: the manual, one page for the program and one for each of its commands.

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use sys::output::Outputs;

/// Games.
const SECTION: &str = "6";

/// Print the manual page (roff), or write all pages
#[derive(clap::Args)]
pub struct Args {
    /// Write the pages of all commands into this folder instead
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Prints the program's page, or writes every page.
pub fn run<C: CommandFactory>(args: &Args) -> anyhow::Result<ExitCode> {
    // The pages are the same of every build.
    let mut command = C::command().disable_help_subcommand(true).long_version(None::<&'static str>);
    // Gives every command the name that its page goes by.
    command.build();
    match &args.out {
        None => {
            let mut page = Vec::new();
            Man::new(command).section(SECTION).render(&mut page)?;
            println!("{}", String::from_utf8_lossy(&page).trim_end());
        }
        Some(folder) => {
            let mut outputs = Outputs::new();
            let folder = outputs.folder(folder)?;
            write_all(command, &folder, &mut outputs)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write_all(command: Command, folder: &Path, outputs: &mut Outputs) -> anyhow::Result<()> {
    for below in command.get_subcommands() {
        write_all(below.clone(), folder, outputs)?;
    }
    let man = Man::new(command).section(SECTION);
    let mut page = Vec::new();
    man.render(&mut page)?;
    Ok(outputs.place(folder.join(man.get_filename()))?.write(page)?)
}
