import { Dialog } from "../ui/Dialog";
import { Keys } from "../ui/Keys";
import { DESTINATIONS } from "./destinations";
import styles from "./KeyboardMap.module.css";

type Entry = readonly [keys: string, meaning: string];

const GROUPS: readonly { title: string; entries: readonly Entry[] }[] = [
  {
    title: "Anywhere",
    entries: [
      ["mod k", "Go to a page or a run"],
      ["?", "This list"],
      ["n", "New run"],
      ["/", "Filter what is shown"],
      ["Esc", "Close what is open"],
    ],
  },
  {
    title: "Go to",
    entries: DESTINATIONS.flat().map(({ key, label }): Entry => [`g ${key}`, label]),
  },
  {
    title: "Runs",
    entries: [
      ["j", "Next run"],
      ["k", "Previous run"],
      ["Enter", "Open it"],
      ["x", "Select it"],
      ["c", "Compare the selected runs"],
    ],
  },
  {
    title: "Run and items",
    entries: [
      ["[", "Previous tab"],
      ["]", "Next tab"],
      ["j", "Next item"],
      ["k", "Previous item"],
      ["o", "Open the item on its own page"],
      ["1", "Annotate the open answer as golden"],
      ["2", "Annotate it as in need of a fix"],
      ["3", "Annotate it as wrong"],
    ],
  },
  {
    title: "Arena",
    entries: [
      ["1", "A is better"],
      ["2", "B is better"],
      ["3", "Equally good"],
      ["4", "Both are bad"],
      ["j", "Next pair"],
    ],
  },
];

export default function KeyboardMap({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} isWide>
      <div className={styles.groups}>
        {GROUPS.map(({ title, entries }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {entries.map(([keys, meaning]) => (
                <div key={keys}>
                  <dt>{meaning}</dt>
                  <dd>
                    <Keys>{keys}</Keys>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className={styles.note}>Shortcuts are off while you are typing.</p>
    </Dialog>
  );
}
