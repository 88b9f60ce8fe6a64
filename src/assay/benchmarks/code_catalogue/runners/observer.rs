use std::fmt::Debug;
use std::io::Write;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Reports what a test observed; the values are compared with the expected ones outside.
pub struct Observer {
    nonce: String,
}

impl Observer {
    pub fn start() -> Observer {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).expect("a nonce");
        Observer {
            nonce: line.trim().to_string(),
        }
    }

    /// Reports the debug text of one value.
    pub fn value<T: Debug>(&mut self, value: T) {
        let text = format!("{value:?}");
        self.write(&format!("value {}", quoted(&text)));
    }

    /// Reports whether the call panics.
    pub fn panics<T>(&mut self, call: impl FnOnce() -> T) {
        let has_panicked = catch_unwind(AssertUnwindSafe(call)).is_err();
        self.write(if has_panicked {
            "value \"panic\""
        } else {
            "value \"no panic\""
        });
    }

    pub fn run(&mut self, name: &str, test: fn(&mut Observer)) {
        self.write(&format!("start {name}"));
        match catch_unwind(AssertUnwindSafe(|| test(self))) {
            Ok(()) => self.write(&format!("end {name}")),
            Err(reason) => {
                let text = reason
                    .downcast_ref::<String>()
                    .cloned()
                    .or_else(|| reason.downcast_ref::<&str>().map(|text| text.to_string()))
                    .unwrap_or_default();
                self.write(&format!("error {}", quoted(&format!("panic: {text}"))));
            }
        }
    }

    pub fn done(&mut self) -> ! {
        self.write("done");
        std::process::exit(0)
    }

    fn write(&mut self, text: &str) {
        // One call per line, which begins with a line break: other prints cannot split it.
        let line = format!("\n@{} {}\n", self.nonce, text);
        let mut out = std::io::stdout().lock();
        out.write_all(line.as_bytes()).expect("standard output");
        out.flush().expect("standard output");
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for one in text.chars() {
        match one {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if (control as u32) < 0x20 => quoted.push_str(&format!("\\u{:04x}", control as u32)),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
