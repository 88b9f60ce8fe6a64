use std::error::Error;
use std::fmt;

/// The first wrong line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Counted from 1.
    pub line: usize,
    pub kind: ParseErrorKind,
}

/// What is wrong in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParseErrorKind {
    UnclosedSection,
    EmptySection,
    TextAfterSection,
    MissingEquals,
    EmptyKey,
    UnclosedQuote,
    UnknownEscape(char),
    TextAfterQuote,
    DuplicateKey { first_line: usize },
}

/// Why a value cannot be read as what the caller asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueError {
    Missing {
        section: String,
        key: String,
    },
    Invalid {
        section: String,
        key: String,
        value: String,
    },
}

impl fmt::Display for ParseError {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}

impl Error for ParseError {}

impl Error for ValueError {}
