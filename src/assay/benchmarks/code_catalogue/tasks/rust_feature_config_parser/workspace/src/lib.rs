//! Reads configuration files made of sections, keys and values.

mod config;
mod error;

pub use config::Config;
pub use error::{ParseError, ParseErrorKind, ValueError};
