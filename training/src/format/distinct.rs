//! Games that are to count once, whatever files they come from.

use super::{FormatError, Header, Reader};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The files of games that a command reads. A copy of a file is another file with the same games, and so is
/// one made on another machine by the same command, or by another version with the same search: signature, network,
/// recipe and number of a game tell what it is.
#[derive(Debug, Default)]
pub struct Distinct {
    files: Vec<Numbers>,
}

/// The numbers of a file's games.
#[derive(Debug)]
struct Numbers {
    path: PathBuf,
    header: Header,
    runs: Vec<Range<u64>>,
}

impl Distinct {
    /// Adds a file. One in viriformat does not say what its games are, so it is not compared with others.
    ///
    /// # Errors
    /// [`FormatError::Repeated`] if it has games twice, [`FormatError::Twice`] if a file added before has games of it.
    pub fn add(&mut self, path: &Path, reader: &Reader) -> Result<(), FormatError> {
        let Some(header) = &reader.header else { return Ok(()) };
        self.add_numbers(path, header, reader.blocks().map(|block| block.first..block.end()).collect())
    }

    /// The same of a file that says this of itself and whose blocks hold games of these numbers.
    pub(crate) fn add_numbers(
        &mut self,
        path: &Path,
        header: &Header,
        blocks: Vec<Range<u64>>,
    ) -> Result<(), FormatError> {
        let runs = runs(blocks);
        if let Some(game) = runs.windows(2).find(|pair| pair[1].start < pair[0].end).map(|pair| pair[1].start)
        {
            return Err(FormatError::Repeated { path: path.into(), game });
        }
        for other in self.files.iter().filter(|other| other.header.makes_the_games_of(header)) {
            let pairs = runs.iter().flat_map(|ours| other.runs.iter().map(move |theirs| (ours, theirs)));
            let both = pairs
                .filter(|(ours, theirs)| ours.start < theirs.end && theirs.start < ours.end)
                .map(|(ours, theirs)| ours.start.max(theirs.start));
            if let Some(game) = both.min() {
                let (path, other) = (path.into(), other.path.clone());
                return Err(FormatError::Twice { path, other, game });
            }
        }
        self.files.push(Numbers { path: path.into(), header: header.clone(), runs });
        Ok(())
    }
}

/// The numbers of a file's games in rising order, blocks that follow each other in one.
fn runs(mut blocks: Vec<Range<u64>>) -> Vec<Range<u64>> {
    blocks.retain(|block| !block.is_empty());
    blocks.sort_unstable_by_key(|block| (block.start, block.end));
    let mut runs: Vec<Range<u64>> = Vec::new();
    for block in blocks {
        match runs.last_mut() {
            Some(run) if run.end == block.start => run.end = block.end,
            _ => runs.push(block),
        }
    }
    runs
}
