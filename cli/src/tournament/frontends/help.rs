//! What the front ends say of themselves.

use ::tournament::adjudicate::Manner;
use ::tournament::frontend::columns::{TABLES, groups, names};
use clap::CommandFactory;

use super::Ours;

const FASTCHESS: &str = "\
\x20 -engine KEY=VALUE...    a player: cmd= name= args= dir= proto=uci tc= st= timemargin= nodes= plies= restart=
                          option.NAME=
  -each KEY=VALUE...      the same for all players, and stronger
  -quick cmd=A cmd=B book=FILE
  -tournament roundrobin|gauntlet   -seeds N   -rounds N   -games 1|2   -repeat [N]   -noswap   -reverse   -wait MS
  -concurrency N   -force-concurrency   -use-affinity [LIST]
  -openings file= format=epd|pgn order=sequential|random plies= start=   -srand SEED   -variant standard|fischerandom
  -draw movenumber= movecount= score=   -resign movecount= score= twosided=   -maxmoves N
  -tb PATH   -tbpieces N   -tbignore50   -tbadjudicate BOTH|WIN_LOSS|DRAW
  -sprt elo0= elo1= alpha= beta= model=normalized|logistic|bayesian   -report penta=true|false
  -ratinginterval N   -scoreinterval N   -output format=fastchess|cutechess
  -pgnout file= append= notation=san|lan|uci min= nodes= seldepth= nps= hashfull= tbhits= timeleft= latency= pv= match_line=
  -epdout file= append=   -event NAME   -site NAME   -crc32 pgn=true
  -log file= level= append= compress= realtime= engine=
  -config file= outname= discard= stats=   -autosaveinterval N
  -recover   -strict   -testEnv   -check-mate-pvs   -show-latency   -startup-ms N   -ucinewgame-ms N   -ping-ms N
  -version   -help   --compliance ENGINE [ARGS]";

const CUTECHESS: &str = "\
\x20 -engine KEY=VALUE...    a player: conf= name= cmd= dir= arg= proto=uci|xboard tc= st= timemargin= nodes= depth=
                          ponder book= bookdepth= whitepov restart= trust tscale= initstr= stderr= debug option.NAME=
  -each KEY=VALUE...      the same for all players, and stronger
  -tournament round-robin|gauntlet|knockout|pyramid   -seeds N   -rounds N   -games N   -repeat [N]   -noswap   -reverse
  -concurrency N   -wait MS   -variant standard|fischerandom   -srand SEED   -bookmode ram|disk
  -openings file= format=epd|pgn order=sequential|random plies= start= policy=default|encounter|round
  -draw movenumber= movecount= score=   -resign movecount= score= [twosided=]   -maxmoves N
  -tb PATH   -tbpieces N   -tbignore50   -sprt elo0= elo1= alpha= beta=
  -ratinginterval N   -outcomeinterval N   -resultformat NAME|COLUMNS
  -pgnout FILE [min] [fi]   -epdout FILE   -event NAME   -site NAME
  -recover   -debug [all]   -version   -help   -engines";

/// The help.
pub fn text(manner: Manner, program: &str, version: &str) -> String {
    let flags = if manner == Manner::Cutechess { CUTECHESS } else { FASTCHESS };
    let ours = Ours::command().render_help().to_string();
    let ours = ours.split_once("Options:").map_or("", |(_, options)| options).trim_end();
    format!(
        "{program}: the command line of {version}, played by firstborn's runner.\n\n{flags}\n\nOur own options, which may stand \
         among the others:{ours}"
    )
}

/// Names of tables and their columns.
pub fn columns() -> String {
    let list = |list: &[(&str, &str)]| {
        let rows = list.iter().map(|(name, columns)| format!("{name} \n   {columns}"));
        rows.collect::<Vec<_>>().join("\n")
    };
    let what =
        "Option -resultformat accepts a comma separated list of fields or one of following format names:";
    let (tables, groups) = (list(&TABLES), list(groups()));
    format!("{what}\n\n{tables}\n\nField tokens:\n   {} \n\nNamed shortcuts:\n{groups}", names())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::tournament::frontend::columns::Column;

    /// Every word but the headings, which end in a colon, is a table, a column, some columns or a name for some.
    #[test]
    fn what_the_help_of_columns_lists_is_accepted() {
        let text = columns();
        let listed = text.lines().filter(|line| !line.ends_with(':'));
        let words: Vec<&str> = listed.flat_map(str::split_whitespace).collect();
        for word in &words {
            assert!(Column::list(word).is_ok(), "{word}: {text}");
        }
        for word in ["default", "wide2", "Rank,Name", "LOS", "wScore", "bElo", "DrawStats"] {
            assert!(words.contains(&word), "{word}: {text}");
        }
    }
}
