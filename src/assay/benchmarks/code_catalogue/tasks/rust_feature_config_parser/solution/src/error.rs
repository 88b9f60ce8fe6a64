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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseErrorKind::UnclosedSection => write!(f, "section without ']'"),
            ParseErrorKind::EmptySection => write!(f, "section without a name"),
            ParseErrorKind::TextAfterSection => write!(f, "unexpected text after ']'"),
            ParseErrorKind::MissingEquals => write!(f, "no '=' in the line"),
            ParseErrorKind::EmptyKey => write!(f, "no key before '='"),
            ParseErrorKind::UnclosedQuote => write!(f, "quote without an end"),
            ParseErrorKind::UnknownEscape(escaped) => write!(f, "unknown escape '\\{escaped}'"),
            ParseErrorKind::TextAfterQuote => {
                write!(f, "unexpected text after the closing quote")
            }
            ParseErrorKind::DuplicateKey { first_line } => {
                write!(f, "the key is already in line {first_line}")
            }
        }
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueError::Missing { section, key } => {
                write!(f, "no key '{key}' in section '{section}'")
            }
            ValueError::Invalid {
                section,
                key,
                value,
            } => write!(
                f,
                "key '{key}' in section '{section}' has an invalid value: '{value}'"
            ),
        }
    }
}

impl Error for ParseError {}

impl Error for ValueError {}
