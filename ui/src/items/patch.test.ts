import { expect, test } from "vitest";
import { changedLines, folderOf, patchedFiles } from "./patch";

const PATCH = `diff --git a/src/a.py b/src/a.py
--- a/src/a.py
+++ b/src/a.py
@@ -1,4 +1,5 @@
 one
-two
-three
+TWO
+THREE
+more
 four
@@ -20 +21 @@
-x
+y
\\ No newline at end of file
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+hello
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
`;

test("files of a patch", () => {
  expect(patchedFiles(PATCH).map(({ path, state, hunks }) => [path, state, hunks.length])).toEqual([
    ["src/a.py", "changed", 2],
    ["new.txt", "added", 1],
    ["old.txt", "deleted", 1],
  ]);
});

test("removed and added lines stand side by side", () => {
  const rows = patchedFiles(PATCH)[0]?.hunks[0]?.map(({ before, after }) => [
    before && `${before.number} ${before.text}`,
    after && `${after.number} ${after.text}`,
  ]);
  expect(rows).toEqual([
    ["1 one", "1 one"],
    ["2 two", "2 TWO"],
    ["3 three", "3 THREE"],
    [undefined, "4 more"],
    ["4 four", "5 four"],
  ]);
});

test("a line that looks like a header is a line of the file", () => {
  const patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- not a header\n same\n";
  expect(patchedFiles(patch)[0]?.hunks[0]?.[0]?.before?.text).toBe("-- not a header");
});

test("what is no patch has no files", () => {
  expect(patchedFiles("hello\n@@ -1 +1 @@\n-a\n+b")).toEqual([]);
});

test("the files of a patch by folder, with folders of one folder joined", () => {
  const patch = ["src/a/b/one.py", "src/a/b/two.py", "src/a/c.py", "README"]
    .map((path) => `diff --git a/${path} b/${path}\n`)
    .join("");
  const top = folderOf(patchedFiles(patch));
  expect(top.files.map(({ path }) => path)).toEqual(["README"]);
  expect(top.folders.map(({ name }) => name)).toEqual(["src/a"]);
  expect(top.folders[0]?.folders.map(({ name, files }) => [name, files.length])).toEqual([["b", 2]]);
});

test("the lines added and removed are counted", () => {
  expect(patchedFiles(PATCH).map(changedLines)).toEqual([
    { added: 4, removed: 3 },
    { added: 1, removed: 0 },
    { added: 0, removed: 1 },
  ]);
});
