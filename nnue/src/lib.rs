//! The network: an efficiently updatable evaluation (Nasu 2018) learnt from Firstborn's own games.
