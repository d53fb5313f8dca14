//! Own games: how Firstborn makes its training data and learns its evaluation from nothing else.

#![forbid(unsafe_code)]
