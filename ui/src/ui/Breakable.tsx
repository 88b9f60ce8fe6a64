import { Fragment } from "react";

/** A long name that may be broken after the marks between its parts. */
export function Breakable({ children }: { children: string }) {
  const parts = children.split(/(?<=[:?&])/);
  return parts.map((part, place) => (
    <Fragment key={parts.slice(0, place + 1).join("")}>
      {place > 0 ? <wbr /> : null}
      {part}
    </Fragment>
  ));
}
