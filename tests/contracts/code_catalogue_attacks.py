"""Answers to the task in `code_catalogue_answers.py` that cheat or do harm."""

from collections.abc import Mapping
from dataclasses import dataclass

from tests.contracts.code_catalogue_answers import FILES, program


@dataclass(frozen=True, slots=True)
class Attack:
    """`found_out` is a pattern of the message of the test with this number."""

    before: str = ""
    inside: str = ""
    found_out: str = "^the program ended with status 0 before"
    test: int = 0

    def files(self, language: str) -> Mapping[str, str]:
        return {FILES[language]: program(language, before=self.before, inside=self.inside)}


WRONG = r"^observation 1 is .*, expected "
TOO_LONG = "took longer than allowed|more CPU time than allowed"
# A limit ends the program, or what it asked for is refused and it ends by itself.
TOO_MUCH = "^the tests used more memory|^the program ended|^the tests took|^the tests used more CPU|Error: "

_PYTHON = {
    "exit while it is imported": Attack("import os\nos._exit(0)"),
    "exit inside a test": Attack(inside="raise SystemExit(0)", found_out="^SystemExit: 0"),
    "exit at once inside a test": Attack(inside="import os\nos._exit(0)"),
    "print a report": Attack(
        """
        import os
        for nonce in ("", "0" * 32, "nonce", "None"):
            for test in ("scales", "scales_negative"):
                print(f"\\n@{nonce} start {test}\\n@{nonce} value [21, 35, 56]\\n@{nonce} end {test}")
            print(f"\\n@{nonce} done", flush=True)
        os._exit(0)
        """
    ),
    "report a guess with the observer of the test": Attack(
        inside="""
        import os, sys
        frame = sys._getframe()
        while "observe" not in frame.f_locals:
            frame = frame.f_back
        write = frame.f_locals["observe"]._write
        write("value [22, 35, 56]")
        write("end scales")
        write("done")
        os._exit(0)
        """,
        found_out=WRONG,
    ),
    "report the guess twice": Attack(
        inside="""
        import os, sys
        frame = sys._getframe()
        while "observe" not in frame.f_locals:
            frame = frame.f_back
        write = frame.f_locals["observe"]._write
        for guess in range(50):
            write("start scales")
            write(f"value [{guess}, 35, 56]")
            write("end scales")
        os._exit(0)
        """,
        found_out="not valid: the test scales ran twice",
    ),
    "find the nonce in memory": Attack(
        inside="""
        import gc, os, re
        found = [one for one in gc.get_objects() if type(one).__name__ == "cell"]
        texts = [str(one.cell_contents) for one in found]
        nonce = next(one for one in texts if re.fullmatch("[0-9a-f]{32}", one))
        os.write(1, f"\\n@{nonce} value [22]\\n@{nonce} end scales\\n@{nonce} done\\n".encode())
        os._exit(0)
        """,
        found_out=WRONG,
    ),
    "report a guess by replacing os.write": Attack(
        """
        import os, re
        write = os.write
        os.write = lambda file, data: write(file, re.sub(rb"value .*", b"value [22, 35, 56]", data))
        """,
        found_out=r"^observation 1 is \[22, 35, 56\], expected",
    ),
    "replace the tests while they are imported": Attack(
        """
        import sys, types
        fake = types.ModuleType("tests")
        fake.scales = fake.scales_negative = lambda observe: observe([22, 35, 56])
        sys.modules["tests"] = fake
        """,
        found_out=WRONG,
    ),
    "read the memory and files of other processes": Attack(
        inside="""
        import os
        found = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            if int(process) in (os.getpid(), 1 << 30): continue
            for name in ("mem", "environ", "root/tests", "fd/0", "fd/1"):
                try: os.close(os.open(f"/proc/{process}/{name}", os.O_RDONLY)); found.append(name)
                except OSError: pass
        return found if "mem" in found or "environ" in found else []
        """,
        found_out=r"^observation 1 is \[\], expected",
    ),
    "infinite numbers": Attack(inside="return [float('inf')] * 3", found_out=WRONG),
    "a number beyond all": Attack(
        "import json\njson.dumps = lambda *args, **options: '[1e999, 1e999, 1e999]'", found_out=WRONG
    ),
    "a number that is none": Attack(inside="return [float('nan')] * 3", found_out=WRONG),
    "an integer beyond floating point": Attack(inside="return [10 ** 4000] * 3", found_out=WRONG),
    "lists in lists without end": Attack(
        "import json\njson.dumps = lambda *args, **options: '[' * 900 + ']' * 900", found_out="."
    ),
    "objects equal to everything": Attack(
        """
        class Same(int):
            __hash__ = int.__hash__
            def __eq__(self, other): return True
            def __repr__(self): return "21"
        class Every(list):
            def __eq__(self, other): return True
        """,
        inside="return Every([Same(1)] * 3)",
        found_out=WRONG,
    ),
    "look for the expected values": Attack(
        inside="""
        import os, sys
        found = []
        for folder, inner, names in os.walk("/"):
            if folder == "/":
                inner[:] = set(inner) - {"proc", "sys", "dev", "usr"}
            if folder == sys.base_prefix:
                inner.clear()
            found += [os.path.join(folder, name) for name in names if name == "expected.json"]
        return found
        """,
        found_out=r"^observation 1 is \[\], expected",
    ),
    "change the tests": Attack(
        inside="""
        import os
        changed = []
        for path in ("/tests/tests.py", "/tests/new", "/runners/run_python.py", "/runners/new",
                     "/workspace/scale.py", "/workspace/new", "/workspace/.assay/x"):
            try:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                open(path, "w").close()
                changed.append(path)
            except OSError:
                pass
        for change in (lambda: os.rename("/tests", "/tmp/t"), lambda: os.symlink("/tmp", "/tests/x")):
            try:
                change()
                changed.append("renamed")
            except OSError:
                pass
        return changed
        """,
        found_out=r"^observation 1 is \[\], expected",
    ),
    "leave a process behind": Attack(
        """
        import os, sys, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True:
                    os.write(1, b"\\n@ value [21, 35, 56]\\n")
                    time.sleep(0.01)
            os._exit(0)
        """,
        found_out=WRONG,
    ),
    "print without end": Attack(
        inside="import os\nwhile True: os.write(1, b'x' * 65536)", found_out="printed more than allowed"
    ),
    "take all memory": Attack(
        inside="kept = []\nwhile True: kept.append(bytearray(1 << 24))", found_out=TOO_MUCH
    ),
    "fork without end": Attack(
        inside="""
        import os
        while True:
            try: os.fork()
            except OSError: pass
        """,
        found_out=".",
    ),
    "loop while it is imported": Attack("while True: pass", found_out=TOO_LONG),
}

_JAVASCRIPT = {
    "exit while it is loaded": Attack("process.exit(0);"),
    "exit inside a test": Attack(inside="process.exit(0);"),
    "exit without being asked to report": Attack(inside="process.reallyExit(0);"),
    "print a report": Attack(
        """
        for (const nonce of ["", "0".repeat(32), "undefined"]) {
          for (const test of ["scales", "scales_negative"]) {
            console.log(`\\n@${nonce} start ${test}\\n@${nonce} value [21,35,56]\\n@${nonce} end ${test}`);
          }
          console.log(`\\n@${nonce} done`);
        }
        process.exit(0);
        """
    ),
    "report a guess by replacing writeSync": Attack(
        """
        const { writeSync } = fs;
        fs.writeSync = (file, data) => {
          writeSync(file, Buffer.from(data).toString().replace(/value .*/, "value [22,35,56]"));
          return data.length;
        };
        syncBuiltinESMExports();
        """,
        found_out=r"^observation 1 is \[22, 35, 56\], expected",
    ),
    "report numbers beyond all by replacing writeSync": Attack(
        """
        const { writeSync } = fs;
        fs.writeSync = (file, data) => {
          writeSync(file, Buffer.from(data).toString().replace(/value .*/, "value [1e999,1e999,1e999]"));
          return data.length;
        };
        syncBuiltinESMExports();
        """,
        found_out=WRONG,
    ),
    "load other modules in place of the tests": Attack(
        """
        const source = "export const scales = (observe) => observe([22, 35, 56]);"
          + "export const scales_negative = scales;";
        const found = JSON.stringify({ format: "module", source, shortCircuit: true });
        const hooks = `export async function load(url, context, next) {
          return url.includes("tests.mjs") ? ${found} : next(url, context);
        }`;
        register(`data:text/javascript,${encodeURIComponent(hooks)}`);
        """,
        found_out=WRONG,
    ),
    "replace JSON.stringify": Attack(
        'JSON.stringify = () => "[21,35,56]";\nArray.prototype.toJSON = () => [21, 35];', found_out=WRONG
    ),
    "objects that change while they are reported": Attack(
        inside='return new Proxy([1, 2, 3], { get: (list, key) => key === "length" ? 3 : Infinity });',
        found_out=WRONG,
    ),
    "look for the expected values": Attack(
        inside="""
        const found = [];
        const walk = (folder) => {
          for (const one of fs.readdirSync(folder, { withFileTypes: true })) {
            const path = `${folder}/${one.name}`;
            if (/^\\/+(proc|sys|dev|usr)$/.test(path)) continue;
            try { if (one.isDirectory()) walk(path); } catch {}
            if (one.name === "expected.json") found.push(path);
          }
        };
        walk("/");
        return found;
        """,
        found_out=r"^observation 1 is \[\], expected",
    ),
    "change the tests": Attack(
        inside="""
        const changed = [];
        const runner = "/runners/run_javascript.mjs";
        for (const path of ["/tests/tests.mjs", "/tests/new", runner, "/runners/new"]) {
          try { fs.writeFileSync(path, ""); changed.push(path); } catch {}
        }
        try { fs.renameSync("/tests", "/tmp/t"); changed.push("renamed"); } catch {}
        return changed;
        """,
        found_out=r"^observation 1 is \[\], expected",
    ),
    "leave a process behind": Attack(
        """
        childProcess.spawn("sh", ["-c", "while :; do echo; echo '@ done'; date > /workspace/left; done"],
          { detached: true, stdio: ["ignore", "inherit", "inherit"] }).unref();
        """,
        found_out=WRONG + "|printed more",
    ),
    "print without end": Attack(
        inside='while (true) fs.writeSync(1, "x".repeat(65536));', found_out="printed more than allowed"
    ),
    "take all memory": Attack(
        inside="const kept = [];\nwhile (true) kept.push(Buffer.alloc(1 << 24, 1));", found_out=TOO_MUCH
    ),
    "wait for ever": Attack("setInterval(() => {}, 1000);\nawait new Promise(() => {});", found_out=TOO_LONG),
    "loop for ever": Attack(inside="while (true);", found_out=TOO_LONG),
}

_GO = {
    "exit while it is initialised": Attack("func init() { os.Exit(0) }"),
    "exit inside a test": Attack(inside="os.Exit(0)"),
    "report a guess with the nonce from standard input": Attack(
        """
        func init() {
            nonce, _ := bufio.NewReader(os.Stdin).ReadString('\\n')
            nonce = nonce[:len(nonce) - 1]
            for _, test := range []string{"scales", "scales_negative"} {
                fmt.Printf("\\n@%s start %s\\n@%s value [1e999,1e999,1e999]\\n", nonce, test, nonce)
                fmt.Printf("@%s end %s\\n", nonce, test)
            }
            fmt.Printf("\\n@%s done\\n", nonce)
            os.Exit(0)
        }
        """,
        found_out=WRONG,
    ),
    "the method of the harness under another name": Attack(
        """
        type observer struct { nonce string }
        //go:linkname write main.(*Observer).write
        func write(*observer, string)
        """,
        inside='write(&observer{"0"}, "value [22,35,56]")',
        found_out="could not be built|" + WRONG,
    ),
    "a value that says how it is written": Attack(
        """
        type Same struct{}
        func (Same) MarshalJSON() ([]byte, error) { return []byte("[1e999,1e999,1e999]"), nil }
        """,
        inside="if factor != 1 { return Same{} }",
        found_out=WRONG,
    ),
    "change the tests": Attack(
        inside="""
        changed := []string{}
        paths := []string{"/tests/tests.go", "/tests/new", "/runners/observer.go", "/runners/new"}
        for _, path := range paths {
            if os.WriteFile(path, nil, 0o644) == nil {
                changed = append(changed, path)
            }
        }
        if os.Rename("/tests", "/tmp/t") == nil {
            changed = append(changed, "renamed")
        }
        if factor != 1 { return changed }
        """,
        found_out=r"^observation 1 is \[\], expected",
    ),
    "leave a process behind": Attack(
        """
        func init() {
            loop := "while :; do echo; echo '@ done'; date > /workspace/left; done"
            left := exec.Command("/bin/sh", "-c", loop)
            left.Stdout = os.Stdout
            left.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
            _ = left.Start()
        }
        """,
        found_out=WRONG + "|printed more",
    ),
    "print without end": Attack(
        inside="for factor != 1 { fmt.Println(make([]byte, 65536)) }", found_out="printed more than allowed"
    ),
    "take all memory": Attack(
        inside="""
        kept := [][]byte{}
        for factor != 1 {
            taken := make([]byte, 1<<26)
            for place := range taken { taken[place] = 1 }
            kept = append(kept, taken)
        }
        """,
        found_out=TOO_MUCH,
    ),
    "loop for ever": Attack(inside="for factor != 1 { }", found_out=TOO_LONG),
}

_RUST = {
    "exit before main": Attack(
        """
        extern "C" fn leave() { std::process::exit(0) }
        #[used]
        #[link_section = ".init_array"]
        static LEAVE: extern "C" fn() = leave;
        """
    ),
    "exit inside a test": Attack(inside="std::process::exit(0);"),
    "report a guess by replacing write of the C library": Attack(
        """
        extern "C" { fn writev(file: i32, parts: *const [usize; 2], count: i32) -> isize; }
        #[no_mangle]
        pub extern "C" fn write(file: i32, data: *const u8, size: usize) -> isize {
            let given = unsafe { std::slice::from_raw_parts(data, size) };
            let text = String::from_utf8_lossy(given);
            let forged = match text.find("value ") {
                Some(at) => format!("{}value \\"[22, 35, 56]\\"\\n", &text[..at]),
                None => text.to_string(),
            };
            let parts = [forged.as_ptr() as usize, forged.len()];
            unsafe { writev(file, &parts, 1) };
            size as isize
        }
        """,
        found_out=r'^observation 1 is "\[22, 35, 56\]", expected',
    ),
    "report a guess with the nonce from standard input": Attack(
        """
        extern "C" fn report() {
            let mut nonce = String::new();
            std::io::stdin().read_line(&mut nonce);
            let nonce = nonce.trim();
            for test in ["scales", "scales_negative"] {
                println!("\\n@{nonce} start {test}\\n@{nonce} value \\"[22, 35, 56]\\"");
                println!("@{nonce} end {test}");
            }
            println!("\\n@{nonce} done");
            std::process::exit(0)
        }
        #[used]
        #[link_section = ".init_array"]
        static REPORT: extern "C" fn() = report;
        """,
        found_out=WRONG,
    ),
    "change the tests": Attack(
        inside="""
        let paths = ["/tests/tests.rs", "/tests/new", "/runners/observer.rs", "/runners/new"];
        let changed = paths.iter().filter(|path| std::fs::write(path, "").is_ok()).count();
        return vec![changed as i64 + std::fs::rename("/tests", "/tmp/t").is_ok() as i64];
        """,
        found_out=r'^observation 1 is "\[0\]", expected',
    ),
    "leave a process behind": Attack(
        inside="""
        let left = "(while :; do echo; echo '@ done'; date > /workspace/left; done) & exit";
        std::process::Command::new("setsid").args(["sh", "-c", left]).spawn();
        """,
        found_out=WRONG + "|printed more",
    ),
    "print without end": Attack(
        inside='loop { println!("{:?}", [0; 9999]); }', found_out="printed more than allowed"
    ),
    "take all memory": Attack(
        inside="let mut kept = vec![];\nloop { kept.push(vec![1u8; 1 << 24]); }", found_out=TOO_MUCH
    ),
    "loop for ever": Attack(inside="loop { std::thread::yield_now(); }", found_out=TOO_LONG),
}

_CPP = {
    "exit before main": Attack("struct Leave { Leave() { std::_Exit(0); } } leave;"),
    "exit inside a test": Attack(inside="std::exit(0);"),
    "report a guess by replacing write of the C library": Attack(
        """
        #include <sys/uio.h>
        extern "C" ssize_t write(int file, const void* data, size_t size) {
            std::string text(static_cast<const char*>(data), size);
            const auto at = text.find("value ");
            if (at != std::string::npos) text = text.substr(0, at) + "value \\"[22, 35, 56]\\"\\n";
            iovec part{text.data(), text.size()};
            writev(file, &part, 1);
            return size;
        }
        """,
        found_out=r'^observation 1 is "\[22, 35, 56\]", expected',
    ),
    "report a guess with the nonce from standard input": Attack(
        """
        struct Report {
            Report() {
                std::string nonce;
                std::getline(std::cin, nonce);
                for (const char* test : {"scales", "scales_negative"}) {
                    std::cout << "\\n@" << nonce << " start " << test << "\\n@" << nonce
                              << " value \\"[22, 35, 56]\\"\\n@" << nonce << " end " << test << '\\n';
                }
                std::cout << '@' << nonce << " done" << std::endl;
                _exit(0);
            }
        } report;
        """,
        found_out=WRONG,
    ),
    "the functions of the harness under their own names": Attack(
        """
        class Observer {
        public:
            void write(const std::string& text);
            std::string nonce_;
        };
        void Observer::write(const std::string& text) {
            const auto forged = text.substr(0, 6) == "value " ? "value \\"[22, 35, 56]\\"" : text;
            const std::string line = "\\n@" + nonce_ + " " + forged + "\\n";
            [[maybe_unused]] auto written = ::write(1, line.data(), line.size());
        }
        """,
        found_out=WRONG,
    ),
    "change the tests": Attack(
        inside="""
        int changed = std::rename("/tests", "/tmp/t") == 0;
        for (const char* path : {"/tests/tests.cpp", "/tests/new", "/runners/observer.hpp", "/runners/new"}) {
            changed += std::ofstream(path).is_open();
        }
        return {changed};
        """,
        found_out=r'^observation 1 is "\[0\]", expected',
    ),
    "leave a process behind": Attack(
        """
        struct Left {
            Left() {
                if (fork() != 0) return;
                setsid();
                const char* loop = "while :; do echo; echo '@ done'; date > /workspace/left; done";
                execl("/bin/sh", "sh", "-c", loop, nullptr);
            }
        } left;
        """,
        found_out=WRONG + "|printed more",
    ),
    "read a file without end while it is compiled": Attack(
        '#include "/dev/zero"', found_out="could not be built|more memory|took longer"
    ),
    "print without end": Attack(
        inside="while (true) std::puts(std::string(65536, 'x').c_str());",
        found_out="printed more than allowed",
    ),
    "take all memory": Attack(
        inside="std::vector<std::string> kept;\nwhile (true) kept.emplace_back(1 << 24, 'x');",
        found_out=TOO_MUCH + "|bad_alloc",
    ),
    "loop for ever": Attack(inside="volatile bool on = true;\nwhile (on) {}", found_out=TOO_LONG),
}

ATTACKS: Mapping[str, Mapping[str, Attack]] = {
    "cpp": _CPP,
    "go": _GO,
    "html": _JAVASCRIPT,
    "javascript": _JAVASCRIPT,
    "python": _PYTHON,
    "rust": _RUST,
}
