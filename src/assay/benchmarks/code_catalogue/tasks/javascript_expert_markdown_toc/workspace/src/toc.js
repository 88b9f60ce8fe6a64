/** The headings of a document as a tree of `{ depth, text, slug, children }`. */
export function tableOfContents(markdown, { minDepth = 1, maxDepth = 6 } = {}) {
  throw new Error("tableOfContents is not written yet");
}

/** The tree as a nested Markdown list of links. */
export function renderToc(entries) {
  throw new Error("renderToc is not written yet");
}
