import styles from "./FigureTable.module.css";

interface Props {
  columns: readonly string[];
  /** The name stands in the first column. */
  rows: readonly { name: string; cells: readonly string[] }[];
}

/** The figures behind a chart. */
export function FigureTable({ columns, rows }: Props) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard
    <div className={styles.box} role="group" aria-label="Figures of the chart" tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells }, place) => (
            // oxlint-disable-next-line react/no-array-index-key -- two rows may have the same name
            <tr key={place}>
              <th scope="row">{name}</th>
              {cells.map((cell, at) => (
                <td key={columns[at + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
