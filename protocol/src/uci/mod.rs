//! The Universal Chess Interface: commands and replies as types, and the session.

pub mod command;
mod helper;
mod limits;
pub mod reply;
pub mod session;
