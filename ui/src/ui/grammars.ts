import type { LanguageFn } from "highlight.js";

interface Grammar {
  load: () => Promise<{ default: LanguageFn }>;
  aliases?: string[];
  /** Languages that may stand inside it. */
  parts?: string[];
}

/** Each is a file of its own, loaded with the first code in its language. */
export const GRAMMARS: Record<string, Grammar> = {
  arduino: { load: () => import("highlight.js/lib/languages/arduino"), aliases: ["ino"] },
  bash: { load: () => import("highlight.js/lib/languages/bash"), aliases: ["sh", "zsh"] },
  c: { load: () => import("highlight.js/lib/languages/c"), aliases: ["h"] },
  cpp: {
    load: () => import("highlight.js/lib/languages/cpp"),
    aliases: ["cc", "c++", "h++", "hpp", "hh", "hxx", "cxx"],
  },
  csharp: { load: () => import("highlight.js/lib/languages/csharp"), aliases: ["cs", "c#"] },
  css: { load: () => import("highlight.js/lib/languages/css") },
  diff: { load: () => import("highlight.js/lib/languages/diff"), aliases: ["patch"] },
  go: { load: () => import("highlight.js/lib/languages/go"), aliases: ["golang"] },
  graphql: { load: () => import("highlight.js/lib/languages/graphql"), aliases: ["gql"] },
  ini: { load: () => import("highlight.js/lib/languages/ini"), aliases: ["toml"] },
  java: { load: () => import("highlight.js/lib/languages/java"), aliases: ["jsp"] },
  javascript: {
    load: () => import("highlight.js/lib/languages/javascript"),
    aliases: ["js", "jsx", "mjs", "cjs"],
    parts: ["css", "graphql", "xml"],
  },
  json: { load: () => import("highlight.js/lib/languages/json"), aliases: ["jsonc", "json5"] },
  kotlin: { load: () => import("highlight.js/lib/languages/kotlin"), aliases: ["kt", "kts"] },
  less: { load: () => import("highlight.js/lib/languages/less") },
  lua: { load: () => import("highlight.js/lib/languages/lua"), aliases: ["pluto"] },
  makefile: { load: () => import("highlight.js/lib/languages/makefile"), aliases: ["mk", "mak", "make"] },
  markdown: {
    load: () => import("highlight.js/lib/languages/markdown"),
    aliases: ["md", "mkdown", "mkd"],
    parts: ["xml"],
  },
  objectivec: {
    load: () => import("highlight.js/lib/languages/objectivec"),
    aliases: ["mm", "objc", "obj-c", "obj-c++", "objective-c++"],
  },
  perl: { load: () => import("highlight.js/lib/languages/perl"), aliases: ["pl", "pm"] },
  php: { load: () => import("highlight.js/lib/languages/php") },
  "php-template": { load: () => import("highlight.js/lib/languages/php-template"), parts: ["php", "xml"] },
  python: { load: () => import("highlight.js/lib/languages/python"), aliases: ["py", "gyp", "ipython"] },
  "python-repl": {
    load: () => import("highlight.js/lib/languages/python-repl"),
    aliases: ["pycon"],
    parts: ["python"],
  },
  r: { load: () => import("highlight.js/lib/languages/r") },
  ruby: {
    load: () => import("highlight.js/lib/languages/ruby"),
    aliases: ["rb", "gemspec", "podspec", "thor", "irb"],
  },
  rust: { load: () => import("highlight.js/lib/languages/rust"), aliases: ["rs"] },
  scss: { load: () => import("highlight.js/lib/languages/scss") },
  shell: {
    load: () => import("highlight.js/lib/languages/shell"),
    aliases: ["console", "shellsession"],
    parts: ["bash"],
  },
  sql: { load: () => import("highlight.js/lib/languages/sql") },
  swift: { load: () => import("highlight.js/lib/languages/swift") },
  typescript: {
    load: () => import("highlight.js/lib/languages/typescript"),
    aliases: ["ts", "tsx", "mts", "cts"],
    parts: ["css", "graphql", "xml"],
  },
  vbnet: { load: () => import("highlight.js/lib/languages/vbnet"), aliases: ["vb"] },
  wasm: { load: () => import("highlight.js/lib/languages/wasm") },
  xml: {
    load: () => import("highlight.js/lib/languages/xml"),
    aliases: ["html", "xhtml", "rss", "atom", "xjb", "xsd", "xsl", "plist", "wsf", "svg"],
    parts: ["css", "javascript"],
  },
  yaml: { load: () => import("highlight.js/lib/languages/yaml"), aliases: ["yml"] },
};

const NAMES = new Map(
  Object.entries(GRAMMARS).flatMap(([name, { aliases = [] }]) =>
    [name, ...aliases].map((one) => [one, name]),
  ),
);

/** The grammars that code in a language takes, by name; none where the language is unknown. */
export async function grammarsOf(language: string): Promise<Record<string, LanguageFn>> {
  const name = NAMES.get(language.toLowerCase());
  if (!name) return {};
  const names = [name, ...(GRAMMARS[name]?.parts ?? [])];
  const loaded = await Promise.all(
    names.map(async (one) => [one, (await GRAMMARS[one]?.load())?.default] as const),
  );
  return Object.fromEntries(loaded.flatMap(([one, grammar]) => (grammar ? [[one, grammar]] : [])));
}
