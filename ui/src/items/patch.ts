export interface PatchedFile {
  path: string;
  state: "changed" | "added" | "deleted";
  hunks: PatchRow[][];
}

/** One line of both sides; a side is undefined where the other has a line alone. */
export interface PatchRow {
  before: PatchLine | undefined;
  after: PatchLine | undefined;
}

export interface PatchLine {
  number: number;
  text: string;
  isChanged: boolean;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The files of a unified diff in the git style, with removed and added lines side by side. */
export function patchedFiles(patch: string): PatchedFile[] {
  const files: PatchedFile[] = [];
  let hunk: Hunk | undefined;
  for (const line of patch.split("\n")) {
    const file = files.at(-1);
    const start = HUNK.exec(line);
    if (line.startsWith("diff --git ")) {
      files.push({ path: line.slice(line.lastIndexOf(" b/") + 3), state: "changed", hunks: [] });
      hunk = undefined;
    } else if (start && file) {
      hunk = new Hunk(Number(start[1]), Number(start[2]));
      file.hunks.push(hunk.rows);
    } else if (hunk) hunk.add(line);
    else if (file && line.startsWith("new file")) file.state = "added";
    else if (file && line.startsWith("deleted file")) file.state = "deleted";
  }
  return files;
}

class Hunk {
  readonly rows: PatchRow[] = [];
  /** The first row whose removed line has no added one beside it. */
  private open = 0;

  private before: number;
  private after: number;

  constructor(before: number, after: number) {
    this.before = before;
    this.after = after;
  }

  add(line: string) {
    const text = line.slice(1);
    if (line.startsWith("-")) {
      this.rows.push({ before: { number: this.before++, text, isChanged: true }, after: undefined });
    } else if (line.startsWith("+")) {
      const added = { number: this.after++, text, isChanged: true };
      const beside = this.rows[this.open];
      if (beside) beside.after = added;
      else this.rows.push({ before: undefined, after: added });
      this.open += 1;
    } else if (line.startsWith(" ")) {
      this.rows.push({
        before: { number: this.before++, text, isChanged: false },
        after: { number: this.after++, text, isChanged: false },
      });
      this.open = this.rows.length;
    }
  }
}
