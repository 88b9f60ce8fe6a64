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

/** A folder of what a patch changes; one that holds nothing but a folder is joined with it. */
export interface PatchFolder {
  name: string;
  folders: PatchFolder[];
  files: PatchedFile[];
}

export function folderOf(files: readonly PatchedFile[]): PatchFolder {
  return joined(foldersIn("", files, 0));
}

function foldersIn(name: string, files: readonly PatchedFile[], depth: number): PatchFolder {
  const parts = (file: PatchedFile) => file.path.split("/");
  const below = files.filter((file) => parts(file).length > depth + 1);
  const groups = [...Map.groupBy(below, (file) => parts(file)[depth] ?? "")];
  return {
    name,
    folders: groups.map(([folder, own]) => joined(foldersIn(folder, own, depth + 1))),
    files: files.filter((file) => parts(file).length === depth + 1),
  };
}

function joined(folder: PatchFolder): PatchFolder {
  const [only, ...others] = folder.folders;
  if (!only || others.length > 0 || folder.files.length > 0) return folder;
  return { ...only, name: folder.name ? `${folder.name}/${only.name}` : only.name };
}

/** How many lines were added to a file and removed from it. */
export function changedLines({ hunks }: PatchedFile): { added: number; removed: number } {
  const rows = hunks.flat();
  return {
    added: rows.filter(({ after }) => after?.isChanged).length,
    removed: rows.filter(({ before }) => before?.isChanged).length,
  };
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
