/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- narrow screens lay tables out as lists, which takes away the roles that are not said */
import type { ReactNode } from "react";
import styles from "./Table.module.css";

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
  isSoft?: boolean;
  /** The cell that names its row. */
  isHeading?: boolean;
}

interface Props<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

/** Rows few enough to be in the page all at once. */
export function DataTable<Row>({ caption, columns, rows, keyOf }: Props<Row>) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard
    <div className={styles.box} role="group" aria-label={caption} tabIndex={0}>
      <table className={styles.table} role="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                role="columnheader"
                className={column.isNumber ? styles.number : undefined}
              >
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => (
                <Cell key={column.name} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  if (column.isHeading) {
    return (
      <th scope="row" role="rowheader">
        {column.cell(row)}
      </th>
    );
  }
  const look = [column.isNumber ? styles.number : "", column.isSoft ? styles.soft : ""].join(" ");
  return (
    <td className={look} role="cell" data-label={column.name}>
      {column.cell(row)}
    </td>
  );
}
