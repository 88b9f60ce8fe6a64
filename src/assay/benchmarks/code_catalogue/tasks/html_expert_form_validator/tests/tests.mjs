import { SubmissionLimiter } from "/workspace/src/limiter.js";
import { renderForm } from "/workspace/src/markup.js";
import { handleSubmission } from "/workspace/src/signup.js";
import { levenshtein, passwordStrength, validateSignup } from "/workspace/src/validation.js";

import { byId, byTag, find, parse } from "./html.mjs";

const FINE = { name: "Ada Byron", email: "ada@example.org", password: "Quite-Long-77", interests: ["music"] };

const codes = (input) => validateSignup(input).errors.map(({ code }) => code);
const problems = (...args) => {
  const { score, problems: found } = passwordStrength(...args);
  return [score, ...found].join(" ");
};

export function distances(observe) {
  const pairs = [
    ...[
      ["", ""],
      ["", "abcd"],
      ["kitchen", "chicken"],
      ["flaw", "lawn"],
      ["same", "same"],
      ["Same", "same"],
    ],
    ...[
      ["abcdef", "badcfe"],
      ["saturday", "sundays"],
      ["aaa", "a"],
      ["gumbo", "gambol"],
    ],
  ];
  observe(pairs.map(([a, b]) => [levenshtein(a, b), levenshtein(b, a)]));
  observe([
    levenshtein("😀", "😁"),
    levenshtein("a😀b", "ab"),
    levenshtein("😀😀😀", ""),
    levenshtein("né", "ne\u0301"),
  ]);
  const words = Array.from({ length: 400 }, (_value, index) => String.fromCharCode(97 + ((index * 7) % 26)));
  observe(levenshtein(words.join(""), words.slice(5).reverse().join("")));
}

export function password_kinds_and_length(observe) {
  observe(
    ["", "aB3", "abcdefghij", "abcdefgh1J", "ABCDEFGH-1", "abcdefghi 1", "12345 6789"].map((one) => problems(one)),
  );
  observe(
    ["aB1aB1aB1aB1", "aB1-cd cd-1Ba", "Abc1Abc1A", "éàüÉ٣٤٥٦٧٨", "ßßßßßßßßßß", "漢字かな交じり文X1"].map((one) =>
      problems(one),
    ),
  );
  observe(["Ab1😀😀😀😀😀😀", "Ab1😀😁😂🤣😃😄😅"].map((one) => problems(one)));
}

export function passwords_like_the_name(observe) {
  const like = (password, name) => problems(password, { name });
  observe([
    ...[
      like("Grace-Hopper1", "Grace Hopper"),
      like("xxHOPPERxx-12", "Grace Hopper"),
      like("Hpper.7-Quilt", "Grace Hopper"),
    ],
    ...[like("Gr4ceHoper1", "grace hopper"), like("Grac3H0pp3r!", "Grace Hopper"), like("Grac3H0pp3r", "Grace Hopper")],
    ...[
      like("Bob-the-4th-x", "Bob Li"),
      like("BobLi-the-4th", "Bob  Li"),
      like("Quite-Long-77", ""),
      like("Quite-Long-77", " "),
    ],
    ...[like("B0bL1", "Bob Li"), like("Anne-Marie-99", "Anne-Marie Ek"), like("Ek-Marie-Anne-9", "Ek Marie")],
  ]);
}

export function passwords_like_the_email(observe) {
  const like = (password, email) => problems(password, { email });
  observe([
    ...[like("My-Ada.L99-Word", "ada.l99@example.org"), like("Ada.L99@Example.Org", "ada.l99@example.org")],
    ...[like("Example.Org-1x", "ada@example.org"), like("4da@3xample.org", "ada@example.org")],
    ...[like("Q7-ada-Quilts", "ada@example.org"), like("Q7-Adam-Quilts", "adam@example.org")],
    ...[
      like("No-Sign-At-1all", "sign-at"),
      like("A@b.c-12345-X", "a@b@c.org"),
      like("Ada@bcde1-xyz", "ada@bcde1@c.org"),
    ],
  ]);
  observe(problems("Ada-Byron-1", { name: "Ada Byron", email: "ada.byron@example.org" }));
  observe(problems("adad", { name: "adad", email: "adad@x.org" }));
}

export function values(observe) {
  const input = {
    name: "  Ada \t Byron\u00a0 King ",
    email: "\tAda.B@Example.ORG\n",
    password: "  Quite-Long 77 ",
    interests: ["travel", "art", "travel"],
    extra: "ignored",
  };
  const before = JSON.stringify(input);
  observe(validateSignup(input));
  observe(JSON.stringify(input) === before ? before.length : "the input was changed");
  observe(validateSignup({ ...FINE, email: "no.At.Sign", interests: "food" }).values);
  observe(validateSignup({ ...FINE, email: "A@B@C.Org" }).values.email);
}

export function names(observe) {
  const name = (text) => codes({ ...FINE, name: text });
  observe([name(""), name(" \n "), name("x"), name("y".repeat(80)), name("y".repeat(81)), name(` ${"y".repeat(80)} `)]);
  observe([name("😀".repeat(80)), name("😀".repeat(81)), name(`${"ab  ".repeat(26)}cd`), name(`${"ab  ".repeat(27)}`)]);
}

export function addresses(observe) {
  const email = (text) => codes({ ...FINE, email: text }).length;
  const label = "d".repeat(63);
  const good = [
    ...[
      "a@b.co",
      "first.last+tag@mail.example.org",
      "!#$%&'*+/=?^_`{|}~-@x-1.example",
      "1@1.2.org",
      "A.B@SUB.Example.ORG",
    ],
    ...[
      `${"l".repeat(64)}@${label}.org`,
      `x@${label}.${label}.${label}.${"e".repeat(60)}`,
      `x@a.${label.replace(/d/g, "e")}`,
    ],
  ];
  observe(good.map((text) => [text.length, email(text)]));
  const bad = [
    ...[
      "plain",
      "@example.org",
      "a@",
      "a@b@example.org",
      "a@example",
      "a@.org",
      "a@example.",
      "a@b..org",
      "a@example.o",
    ],
    ...[
      "a@example.o2",
      "a@-b.org",
      "a@b-.org",
      "a@b_c.org",
      ".a@b.org",
      "a.@b.org",
      "a..b@c.org",
      "a b@c.org",
      "a@b c.org",
    ],
    ...[
      "é@b.org",
      "a@bücher.org",
      "a@b.org.",
      '"a"@b.org',
      "a,b@c.org",
      "(a)@b.org",
      "a@[1.2.3.4]",
      "a@b.org\nc@d.org",
    ],
    ...[
      `${"l".repeat(65)}@b.org`,
      `x@${label}d.org`,
      `x@${label}.${label}.${label}.${"e".repeat(61)}`,
      `x@a.${label.replace(/d/g, "e")}e`,
    ],
  ];
  observe(bad.map((text) => [text.slice(0, 9), ...codes({ ...FINE, email: text })]));
  observe([codes({ ...FINE, email: "" }), codes({ ...FINE, email: " \t" })]);
}

export function interests(observe) {
  const chosen = (list) => {
    const found = validateSignup({ ...FINE, interests: list });
    return [...found.values.interests, ...found.errors.map(({ code }) => code)].join(" ");
  };
  observe([chosen(["travel", "food", "art"]), chosen(["art", "art", "art", "art"]), chosen("science"), chosen([])]);
  observe([
    chosen(["art", "golf"]),
    chosen("golf"),
    chosen(["Art"]),
    chosen(["art", null]),
    chosen([["art"]]),
    chosen(""),
  ]);
  observe([chosen(["music", "travel", "science", "food"]), chosen(["art", "food", "music", "science", "x"])]);
  observe([chosen(undefined), chosen(null), chosen({ 0: "art", length: 1 }), chosen(5), chosen(["constructor"])]);
}

export function errors(observe) {
  observe(validateSignup({ name: "", email: "x", password: "", interests: [] }).errors);
  for (const input of [undefined, null, 7, "text", [], { name: 5, email: {}, password: ["x"], interests: 3 }]) {
    const { values: found, errors: all } = validateSignup(input);
    observe([Object.values(found).map(String).join("|"), all.map(({ code }) => code).join(" ")]);
  }
  observe(codes({ ...FINE, password: "Ada-Byron-77" }));
  observe(codes({ ...FINE, name: "", email: " QUITE-long-7@ ", password: "Quite-Long-77" }));
  observe(["abc", "abcdefghijk", "aB1aB1aB1aB1"].map((password) => codes({ ...FINE, password })));
}

export function form_without_errors(observe) {
  observe(
    parse(renderForm({ name: " Ada ", email: "ada@example.org", password: "secret", interests: ["food", "travel"] })),
  );
  const empty = parse(renderForm(undefined));
  observe(byTag(empty, "input").map(([, { id, value, checked }]) => [id, value, checked]));
}

export function form_with_errors(observe) {
  const input = { name: "Ada", email: "", password: "secret-77", interests: "art" };
  const list = [
    { field: "interests", code: "a", message: "Choose more." },
    { field: null, code: "b", message: "All is lost." },
    { field: "password", code: "c", message: "Too weak." },
    { field: "email", code: "d", message: "Missing." },
  ];
  const html = renderForm(input, list);
  const form = parse(html);
  observe(byId(form, "error-summary"));
  observe(form[0].slice(3, -1));
  observe(html.split("secret").length + html.split("lost").length);
  observe(byId(parse(renderForm({}, [list[0]])), "error-summary").slice(2, 3));
}

export function escaping(observe) {
  const nasty = `"><script>alert('1')</script> & &amp; <!-- ' onfocus="x`;
  const message = `<b>no</b> &lt; "quoted" 'single'`;
  const form = parse(
    renderForm({ name: nasty, email: nasty, password: nasty, interests: [nasty, "music"] }, [
      { field: "name", code: "x", message },
      { field: null, code: "y", message },
    ]),
  );
  observe(["name", "email"].map((id) => byId(form, id)[1].value));
  observe([byId(form, "error-summary"), byId(form, "name-error")]);
  observe(["script", "b", "input", "span"].map((tag) => byTag(form, tag).length));
  observe(find(form, ([, { checked }]) => checked !== undefined).map(([, { id }]) => id));
  const strange = parse(renderForm({ name: ["<i>"], email: { toString: () => "<u>" }, interests: 4 }));
  observe(byTag(strange, "input").map(([, { value }]) => value));
}

export function submission_limit(observe) {
  let time = 1_000_000;
  const limiter = new SubmissionLimiter({ now: () => time });
  const attempts = (...steps) =>
    steps.map(([after, key]) => {
      time += after;
      const { allowed, retryAfter } = limiter.attempt(key);
      return `${allowed} ${retryAfter} ${limiter.size}`;
    });
  observe(attempts([0, "a"], [1, "a"], [999, "a"], [3000, "b"], [999, "a"], [1, "a"], [1, "a"], [2998, "b"], [1, "b"]));
  observe(attempts([10_000, 1], [0, "1"], [0, null], [0, undefined], [0, null], [4999, NaN], [0, NaN], [1, 1]));
  time -= 60_000;
  observe([limiter.size, ...attempts([0, "1"], [0, "1"], [4500, "1"])]);
  const short = new SubmissionLimiter({ now: () => time, interval: 250 });
  observe([0, 100, 149, 1].map((after) => ((time += after), short.attempt("k"))));
}

export function whole_submissions(observe) {
  let time = 0;
  const limiter = new SubmissionLimiter({ now: () => time });
  const submit = (input, key = "10.0.0.1") => {
    const { html, ...answer } = handleSubmission(input, { key, limiter });
    const summary = html === undefined ? undefined : byId(parse(html), "error-summary");
    return summary === undefined ? answer : [answer, summary.at(-1)];
  };
  observe(submit({ ...FINE, password: "short" }));
  observe(submit({ ...FINE, name: " Ada  Byron ", email: "Ada@Example.org" }));
  time = 4200;
  observe(submit(FINE));
  observe(submit({ ...FINE, interests: ["science", "art"] }, "10.0.0.2"));
  time = 5000;
  observe(submit(FINE));
}
