use std::str::FromStr;

use crate::error::{ParseError, ValueError};

/// The entries of a configuration file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {}

impl Config {
    /// Reads a whole file; stops at the first wrong line.
    pub fn parse(_text: &str) -> Result<Config, ParseError> {
        todo!()
    }

    /// The text of a value; entries before the first header are in section `""`.
    pub fn get(&self, _section: &str, _key: &str) -> Option<&str> {
        todo!()
    }

    /// A value of any type that can be parsed from text.
    pub fn parse_value<T: FromStr>(&self, _section: &str, _key: &str) -> Result<T, ValueError> {
        todo!()
    }

    /// A value that is on or off.
    pub fn flag(&self, _section: &str, _key: &str) -> Result<bool, ValueError> {
        todo!()
    }

    /// The names of all sections, in the order in which they first appear.
    pub fn sections(&self) -> Vec<&str> {
        todo!()
    }

    /// The keys of a section, in the order of their lines.
    pub fn keys(&self, _section: &str) -> Vec<&str> {
        todo!()
    }
}
