//! One binary for all tests of this folder. They need nothing that is private, and what they search with is compiled
//! in the library already; unit tests would compile all of it once more.

mod claims;
mod exact;
mod figure8;
mod grove;
mod parallel;
mod scaling;
mod show;
