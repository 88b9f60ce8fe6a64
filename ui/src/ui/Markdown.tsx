import { Fragment } from "react";
import { CodeBlock } from "./CodeBlock";
import { Formula } from "./Formula";
import { type Block, blocksOf, type Inline } from "./markdown";
import styles from "./Markdown.module.css";

/** Beyond this, formatting costs more than it helps. */
const LONGEST = 60_000;

/** Text of a model, formatted; nothing in it can become markup, a request or a link. */
export function Markdown({ children }: { children: string }) {
  if (children.length > LONGEST) return <div className={styles.plain}>{children}</div>;
  return (
    <div className={styles.markdown}>
      {keyed(blocksOf(children)).map(([key, block]) => (
        <BlockView key={key} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case "heading":
      // The page has headings of its own; these must not get among them.
      return <p className={styles.heading}>{inline(block.content)}</p>;
    case "code":
      return (
        <CodeBlock
          label={block.language ? `Code in ${block.language}` : "Code"}
          language={block.language}
          isTall
        >
          {block.text}
        </CodeBlock>
      );
    case "math":
      return <Formula tex={block.tex} isDisplay />;
    case "list":
      return <ListView block={block} />;
    case "quote":
      return <blockquote className={styles.quote}>{lines(block.lines)}</blockquote>;
    case "table":
      return <TableView block={block} />;
    case "rule":
      return <hr className={styles.rule} />;
    case "paragraph":
      return <p>{lines(block.lines)}</p>;
  }
}

function ListView({ block }: { block: Extract<Block, { kind: "list" }> }) {
  const items = keyed(block.items).map(([key, blocks]) => (
    <li key={key}>
      {keyed(blocks).map(([place, one]) => (
        <BlockView key={place} block={one} />
      ))}
    </li>
  ));
  return block.isOrdered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
}

function TableView({ block }: { block: Extract<Block, { kind: "table" }> }) {
  return (
    <div className={styles.scroll}>
      <table>
        <thead>
          <tr>
            {keyed(block.head).map(([key, cell]) => (
              <th key={key}>{inline(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keyed(block.rows).map(([key, row]) => (
            <tr key={key}>
              {keyed(row).map(([place, cell]) => (
                <td key={place}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function lines(content: readonly Inline[][]) {
  return keyed(content).map(([key, line], place) => (
    <Fragment key={key}>
      {place > 0 ? <br /> : null}
      {inline(line)}
    </Fragment>
  ));
}

function inline(content: readonly Inline[]) {
  return keyed(content).map(([key, part]) => <InlineView key={key} part={part} />);
}

function InlineView({ part }: { part: Inline }) {
  switch (part.kind) {
    case "code":
      return <code>{part.text}</code>;
    case "strong":
      return <strong>{part.text}</strong>;
    case "emphasis":
      return <em>{part.text}</em>;
    case "link":
      return (
        <span className={styles.link} title={part.target}>
          {part.text} <small>({part.target})</small>
        </span>
      );
    case "math":
      return <Formula tex={part.tex} isDisplay={part.isDisplay} />;
    case "text":
      return part.text;
  }
}

/** The text never changes its order, so a place is a key. */
function keyed<T>(values: readonly T[]): [key: string, value: T][] {
  return values.map((value, place) => [String(place), value]);
}
