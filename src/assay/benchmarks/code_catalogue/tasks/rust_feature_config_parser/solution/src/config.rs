use std::collections::HashMap;
use std::str::FromStr;

use crate::error::{ParseError, ParseErrorKind, ValueError};

/// The entries of a configuration file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    sections: Vec<Section>,
    by_name: HashMap<String, usize>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Section {
    name: String,
    entries: Vec<Entry>,
    by_key: HashMap<String, usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    key: String,
    value: String,
    line: usize,
}

impl Config {
    /// Reads a whole file; stops at the first wrong line.
    pub fn parse(text: &str) -> Result<Config, ParseError> {
        let mut config = Config::default();
        let mut section = "";
        for (number, line) in (1..).zip(text.split('\n')) {
            let line = line.trim();
            if is_blank(line) {
                continue;
            }
            if let Some(header) = line.strip_prefix('[') {
                section = section_name(header).map_err(|kind| ParseError { line: number, kind })?;
                config.section_mut(section);
                continue;
            }
            parse_entry(line)
                .and_then(|(key, value)| {
                    let entry = Entry {
                        key: key.to_string(),
                        value,
                        line: number,
                    };
                    config.section_mut(section).add(entry)
                })
                .map_err(|kind| ParseError { line: number, kind })?;
        }
        Ok(config)
    }

    /// The text of a value; entries before the first header are in section `""`.
    pub fn get(&self, section: &str, key: &str) -> Option<&str> {
        let section = self.section(section)?;
        let position = *section.by_key.get(key)?;
        Some(&section.entries[position].value)
    }

    /// A value of any type that can be parsed from text.
    pub fn parse_value<T: FromStr>(&self, section: &str, key: &str) -> Result<T, ValueError> {
        self.read(section, key, |text| text.parse().ok())
    }

    /// A value that is on or off.
    pub fn flag(&self, section: &str, key: &str) -> Result<bool, ValueError> {
        self.read(section, key, |text| {
            match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Some(true),
                "false" | "no" | "off" => Some(false),
                _ => None,
            }
        })
    }

    /// The names of all sections, in the order in which they first appear.
    pub fn sections(&self) -> Vec<&str> {
        self.sections
            .iter()
            .map(|section| section.name.as_str())
            .collect()
    }

    /// The keys of a section, in the order of their lines.
    pub fn keys(&self, section: &str) -> Vec<&str> {
        let entries = self.section(section).map_or(&[][..], |it| &it.entries);
        entries.iter().map(|entry| entry.key.as_str()).collect()
    }

    fn read<T>(
        &self,
        section: &str,
        key: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, ValueError> {
        let text = self.get(section, key).ok_or_else(|| ValueError::Missing {
            section: section.to_string(),
            key: key.to_string(),
        })?;
        parse(text).ok_or_else(|| ValueError::Invalid {
            section: section.to_string(),
            key: key.to_string(),
            value: text.to_string(),
        })
    }

    fn section(&self, name: &str) -> Option<&Section> {
        self.by_name.get(name).map(|&index| &self.sections[index])
    }

    fn section_mut(&mut self, name: &str) -> &mut Section {
        let next = self.sections.len();
        let index = *self.by_name.entry(name.to_string()).or_insert(next);
        if index == next {
            self.sections.push(Section {
                name: name.to_string(),
                ..Section::default()
            });
        }
        &mut self.sections[index]
    }
}

impl Section {
    fn add(&mut self, entry: Entry) -> Result<(), ParseErrorKind> {
        if let Some(&position) = self.by_key.get(&entry.key) {
            let first_line = self.entries[position].line;
            return Err(ParseErrorKind::DuplicateKey { first_line });
        }
        self.by_key.insert(entry.key.clone(), self.entries.len());
        self.entries.push(entry);
        Ok(())
    }
}

/// Whether a text without white space at its start has nothing but a comment.
fn is_blank(text: &str) -> bool {
    text.is_empty() || text.starts_with(['#', ';'])
}

/// The name in a header, from the text after its `[`.
fn section_name(header: &str) -> Result<&str, ParseErrorKind> {
    let (name, rest) = header
        .split_once(']')
        .ok_or(ParseErrorKind::UnclosedSection)?;
    let name = name.trim();
    if name.is_empty() {
        return Err(ParseErrorKind::EmptySection);
    }
    if !is_blank(rest.trim_start()) {
        return Err(ParseErrorKind::TextAfterSection);
    }
    Ok(name)
}

fn parse_entry(line: &str) -> Result<(&str, String), ParseErrorKind> {
    let (key, value) = line.split_once('=').ok_or(ParseErrorKind::MissingEquals)?;
    let key = key.trim_end();
    if key.is_empty() {
        return Err(ParseErrorKind::EmptyKey);
    }
    let value = value.trim_start();
    match value.strip_prefix('"') {
        Some(quoted) => Ok((key, unquote(quoted)?)),
        None => Ok((key, without_comment(value).to_string())),
    }
}

/// The value of a plain text that has no white space at its ends.
fn without_comment(text: &str) -> &str {
    let mut is_after_space = true;
    for (position, one) in text.char_indices() {
        if is_after_space && matches!(one, '#' | ';') {
            return text[..position].trim_end();
        }
        is_after_space = one.is_whitespace();
    }
    text
}

/// The value of a quoted text, from what follows the opening quote.
fn unquote(text: &str) -> Result<String, ParseErrorKind> {
    let mut value = String::new();
    let mut rest = text.chars();
    loop {
        match rest.next().ok_or(ParseErrorKind::UnclosedQuote)? {
            '"' => break,
            '\\' => value.push(match rest.next().ok_or(ParseErrorKind::UnclosedQuote)? {
                'n' => '\n',
                't' => '\t',
                same @ ('"' | '\\') => same,
                other => return Err(ParseErrorKind::UnknownEscape(other)),
            }),
            other => value.push(other),
        }
    }
    if !is_blank(rest.as_str().trim_start()) {
        return Err(ParseErrorKind::TextAfterQuote);
    }
    Ok(value)
}
