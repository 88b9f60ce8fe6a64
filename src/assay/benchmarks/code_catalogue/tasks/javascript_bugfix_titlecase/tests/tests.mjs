import { heading } from "/workspace/src/heading.js";
import { titleCase } from "/workspace/src/titlecase.js";

export function words(observe) {
  observe(titleCase("the first draft"));
  observe(titleCase("x"));
  observe(titleCase("a b c"));
}

export function white_space(observe) {
  observe(titleCase("  notes   on \t tides\r\n"));
  observe(titleCase("one\u00a0two\u2003three\n\n\nfour"));
  observe(titleCase("\ufeffmarked file"));
}

export function blank_text(observe) {
  const blank = ["", "   ", "\t\n"].map((text) => `<${titleCase(text)}>`);
  observe([...blank, titleCase(" end ")]);
}

export function other_letters_become_lower_case(observe) {
  observe(titleCase("SHOUTED nASA jAvAsCrIpT McDonald"));
  observe(titleCase("WELL-KNOWN DON'T"));
}

export function hyphens(observe) {
  observe(titleCase("a well-known state-of-the-art idea"));
  observe(titleCase("pre- and post-war"));
  observe(titleCase("-dash --verbose x--y - z"));
}

export function other_characters_do_not_separate(observe) {
  observe(titleCase("don't o'clock it’s"));
  observe(titleCase("and/or www.example.org snake_case a+b"));
  observe(titleCase("north–south east—west up‐down"));
}

export function marks_before_the_first_letter(observe) {
  observe(titleCase("\"quoted\" (bracketed) 'words' «ici» ¿qué?"));
  observe(titleCase("...and then -(semi-[final])"));
  observe(titleCase("... !? & so"));
}

export function digits(observe) {
  observe(titleCase("the 2nd 3D-PRINTED b52 (4x4) v2a"));
  observe(titleCase("٣rd ½way x"));
}

export function letters_beyond_ascii(observe) {
  observe(titleCase("élan vital ÜBER-ähnlich"));
  observe(titleCase("привет мир ÇA"));
  observe(titleCase("𐐨𐐩 𐐀𐐁"));
}

export function refuses_what_is_no_string(observe) {
  for (const value of [undefined, null, 42, ["a"], { title: "a" }, true]) {
    observe.throws(TypeError, () => titleCase(value));
  }
  observe(titleCase("undefined null"));
}

export function headings(observe) {
  observe(heading("  tips &  tricks", 3));
  observe(heading("how-to"));
  observe.throws(TypeError, () => heading(undefined));
  observe.throws(RangeError, () => heading("a", 7));
}
