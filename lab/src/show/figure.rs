//! The trees that Marsland's review (1986) draws, as pages.

use crate::study::grove::Request;
use crate::trees::drawn::MARSLAND_FIGURE_2;
use crate::trees::positions::HORIZON_EFFECT;

/// A figure and the search that draws it.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Its number in the review.
    pub number: &'static str,
    /// The page's title.
    pub title: &'static str,
    /// The search, as written on the command line.
    pub search: &'static str,
    tree: &'static str,
    position: &'static str,
    depth: u32,
}

/// Figure 2: alpha-beta cuts p.1.2.2 off. Figure 6: the minimal window cuts p.2.1.2 off as well. Figure 4:
/// Black loses the queen and pushes a pawn in between, which moves the loss beyond a horizon of three plies.
const FIGURES: [Figure; 3] = [
    Figure {
        number: "2",
        title: "Marsland, figure 2: alpha-beta",
        search: "alphabeta",
        tree: "drawn",
        position: MARSLAND_FIGURE_2,
        depth: 3,
    },
    Figure {
        number: "4",
        title: "Marsland, figure 4: the horizon effect",
        search: "alphabeta",
        tree: "chess",
        position: HORIZON_EFFECT,
        depth: 3,
    },
    Figure {
        number: "6",
        title: "Marsland, figure 6: principal variation search",
        search: "pvs-r",
        tree: "drawn",
        position: MARSLAND_FIGURE_2,
        depth: 3,
    },
];

impl Figure {
    /// The figure with this number; none if it is not a tree.
    pub fn numbered(number: &str) -> Option<Self> {
        FIGURES.into_iter().find(|figure| figure.number == number)
    }

    /// Its tree.
    pub fn request(&self) -> Request {
        Request {
            tree: self.tree.into(),
            position: Some(self.position.into()),
            depth: Some(self.depth),
            ..Request::default()
        }
    }
}
