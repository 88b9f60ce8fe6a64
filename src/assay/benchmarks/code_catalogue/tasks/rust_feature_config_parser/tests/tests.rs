use crate::observer::Observer;
use solution::{Config, ParseError, ParseErrorKind, ValueError};
use std::error::Error;

fn error_of(text: &str) -> (usize, ParseErrorKind) {
    match Config::parse(text) {
        Ok(config) => panic!("parsed: {:?}", config.sections()),
        Err(ParseError { line, kind }) => (line, kind),
    }
}

/// The values of the keys a, b, c, ... before the first header.
fn values(text: &str) -> Vec<String> {
    let config = Config::parse(text).unwrap();
    let keys = config.keys("");
    keys.iter()
        .map(|key| config.get("", key).unwrap().to_string())
        .collect()
}

pub fn sections_and_entries(observe: &mut Observer) {
    let config = Config::parse(
        "title = Notes\n\n[server]\nhost = example.org\n  port=8080\n[ client pool ]\nport = 9\n[empty]",
    )
    .unwrap();
    observe.value(config.sections());
    observe.value((config.keys(""), config.keys("server"), config.keys("empty")));
    observe.value((config.get("", "title"), config.get("server", "host")));
    observe.value((
        config.get("server", "port"),
        config.get("client pool", "port"),
    ));
    observe.value((config.get("server", "title"), config.get("empty", "port")));
    observe.value((config.get("nowhere", "port"), config.keys("nowhere").len()));

    let config = Config::parse("[Net]\nPort = 1\nport = 2\n[net]\nPort = 3").unwrap();
    observe.value(config.sections());
    observe.value((config.get("Net", "Port"), config.get("Net", "port")));
    observe.value((config.get("net", "Port"), config.get("net", "port")));
}

pub fn order_of_sections(observe: &mut Observer) {
    let text = "[zeta]\nb = 1\n[alpha]\nq = 2\n[zeta]\na = 3\n[mid]\n[alpha]\nc = 4\n[zeta]\nc = 5";
    let config = Config::parse(text).unwrap();
    observe.value(config.sections());
    observe.value((
        config.keys("zeta"),
        config.keys("alpha"),
        config.keys("mid"),
    ));
    observe.value((
        config.get("zeta", "a"),
        config.get("zeta", "c"),
        config.get("alpha", "c"),
    ));

    observe.value(Config::parse("# none\n\n[x]\na = 1").unwrap().sections());
    observe.value(Config::parse("z = 0\n[x]").unwrap().sections());
    observe.value(Config::parse("").unwrap().sections().len());
}

pub fn blank_lines_comments_and_line_endings(observe: &mut Observer) {
    let text = "; one\n# a = 0\n\n   \t\n  # [b]\n\t; c = 1\na = 7\n;[d]\n[s] ; a comment\nb = 8\n[t]#too\nc = 9\n";
    let config = Config::parse(text).unwrap();
    observe.value(config.sections());
    observe.value((
        config.get("", "a"),
        config.get("s", "b"),
        config.get("t", "c"),
    ));

    let config = Config::parse("a = 1\r\n[s]\r\nb = \"two\"\r\nc =\r\nd = 4 # x\r").unwrap();
    observe.value(config.sections());
    observe.value((config.get("", "a"), config.get("s", "b")));
    observe.value((config.get("s", "c"), config.get("s", "d")));
    observe.value(error_of("a = 1\r\n\r\nb\r\n"));
}

pub fn plain_values(observe: &mut Observer) {
    observe.value(values(
        "a = x=y\nb==\nc =   two  words  \nd=\ne = C:\\new\\table",
    ));
    observe.value(values("a = say \"hi\"\nb = it\"s\nc = 'q'\nd = [1]"));
    observe.value(values("a = ünïcode ☃\nb = ключ"));
}

pub fn comments_after_plain_values(observe: &mut Observer) {
    observe.value(values("a = 1 # one\nb = 2\t; two\nc = 3  #\nd = 4 ;x ; y"));
    observe.value(values("a = #none\nb =; none\nc = x#y\nd = x;y #z\ne = ## "));
    observe.value(values("a = \\# b\nb = say \"x # y\""));
}

pub fn quoted_values(observe: &mut Observer) {
    observe.value(values(r#"a = "  kept  ""#));
    observe.value(values(r#"a = "x # y ; z" # comment"#));
    observe.value(values("a = \"one\"; two\nb = \"\"\nc=\"=\"   "));
    observe.value(values(r#"a = "tab\tline\nquote\"back\\slash""#));
    observe.value(values(r#"a = "\\n" ;"#));
    observe.value(values(r#"a = "ends with \\""#));
}

pub fn section_errors(observe: &mut Observer) {
    observe.value(error_of("a = 1\n\n[server\nb = 2"));
    observe.value(error_of("[]"));
    observe.value(error_of("\n[  ] x"));
    observe.value(error_of("[a]\n[b] c = 1"));
    observe.value(error_of("[a]]"));
    observe.value(error_of("# x\n  [a = 1"));
}

pub fn entry_errors(observe: &mut Observer) {
    observe.value(error_of("[a]\nb = 1\njust text"));
    observe.value(error_of("= 5"));
    observe.value(error_of("a = 1\n   = \"open"));
    observe.value(error_of("a = 1\nb = \"two\" three"));
    observe.value(error_of("a = \"x\"y"));
    observe.value(error_of("a = \"open"));
    observe.value(error_of("a = \"open\\\""));
    observe.value(error_of("\n\na = \"\\"));

    observe.value(error_of(r#"a = "\q""#));
    observe.value(error_of(r#"a = "x\r" y"#));
    observe.value(error_of(r#"a = "x\é and no end"#));
    observe.value(error_of("a = 1\nb = \"\\ \""));
}

pub fn duplicate_keys(observe: &mut Observer) {
    observe.value(error_of("a = 1\nb = 2\n\na = 3"));
    observe.value(error_of("[s]\nx = 1\n[t]\nx = 2\n[s]\ny = 3\nx = 1"));
    observe.value(error_of("k = 1\nk = 2\nk = 3\n[open"));
    observe.value(error_of("k = 1\nk = \"open"));
    observe.value(Config::parse("k = 1\nK = 2\n[s]\nk = 3").map(|it| it.sections().len()));
}

pub fn typed_values(observe: &mut Observer) {
    let config = Config::parse(
        "n = -12\nf = 2.50\nc = \"é\"\nbig = 300\ns = two words\n[t]\nn = 0x1F\nempty =",
    )
    .unwrap();
    observe.value(config.parse_value::<i32>("", "n"));
    observe.value(config.parse_value::<f64>("", "f"));
    observe.value(config.parse_value::<char>("", "c"));
    observe.value(config.parse_value::<u8>("", "big"));
    observe.value(config.parse_value::<String>("", "s"));
    observe.value(config.parse_value::<u32>("t", "n"));
    observe.value(config.parse_value::<u32>("t", "empty"));
    observe.value(config.parse_value::<u32>("t", "big"));
    observe.value(config.parse_value::<String>("u", "n"));
}

pub fn flags(observe: &mut Observer) {
    let text = "a = true\nb = No\nc = ON\nd = off\ne = YES\nf = False\ng = 1\nh =\ni = \"yes \"\nj = yes # no";
    let config = Config::parse(text).unwrap();
    let mut on = Vec::new();
    let mut off = Vec::new();
    let mut invalid = Vec::new();
    for key in config.keys("") {
        match config.flag("", key) {
            Ok(true) => on.push(key),
            Ok(false) => off.push(key),
            Err(ValueError::Invalid { value, .. }) => invalid.push((key, value)),
            Err(other) => panic!("{other:?}"),
        }
    }
    observe.value((on, off));
    observe.value(invalid);
    observe.value(config.flag("s", "a"));
}

pub fn messages(observe: &mut Observer) {
    let texts = [
        "[a",
        "[]",
        "[a] b",
        "a",
        "=",
        "a = \"",
        "a = \"\\z\"",
        "a = \"\" b",
        "x = 1\n\na = 1\na = 2",
    ];
    for text in texts {
        let error: Box<dyn Error> = Box::new(Config::parse(text).unwrap_err());
        observe.value(error.to_string());
    }
    let config = Config::parse("[server]\nport = \"a\\tb\"").unwrap();
    let invalid = config.parse_value::<u16>("server", "port").unwrap_err();
    let missing = config.flag("", "debug").unwrap_err();
    let errors: [Box<dyn Error>; 2] = [Box::new(invalid), Box::new(missing)];
    observe.value(errors.map(|error| error.to_string()));
}
