import { Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { conditionsOf } from "../api/conditions";
import { typeset } from "../api/wording";
import { IntervalTrack } from "../charts/IntervalTrack";
import { count, duration, percent, percentNumber, points, probability, short, usd } from "../format";
import { Badge, DataBadge } from "../ui/Badge";
import { ModelName } from "../ui/ModelName";
import { Age } from "../ui/Time";
import { WarningMark } from "../ui/WarningMark";
import styles from "./Ranking.module.css";

type Table = Schemas["LeaderboardTable"];
type Row = Schemas["LeaderboardRow"];

interface Props {
  table: Table;
  /** The table whose conditions are other ones. */
  apartFrom?: Table | undefined;
}

/** Scores that can be compared: a forest plot that is a table. */
export function Ranking({ table, apartFrom }: Props) {
  const [best] = table.rows;
  return (
    <section className={styles.section} aria-label={`Fingerprint ${short(table.fingerprint)}`}>
      <div className={styles.heading}>
        {apartFrom ? (
          <h3>
            Differs in the {conditionsOf(table.differing) || "data"} <DataBadge source={table.data} />
          </h3>
        ) : (
          <h2>
            {count(table.rows.length)} {table.rows.length === 1 ? "model" : "models"}{" "}
            <DataBadge source={table.data} />
          </h2>
        )}
        <p>
          {best ? `${count(best.total / table.samples)} items · ` : ""}
          {table.samples > 1 ? `${table.samples} samples each · ` : ""}
          {table.mode} protocol · version {table.benchmark_version} · fingerprint{" "}
          <code title={table.fingerprint}>{short(table.fingerprint)}</code>
        </p>
      </div>
      <div className={styles.box}>
        <table className={styles.table}>
          <caption className="visually-hidden">Models by score</caption>
          <thead>
            <tr>
              <th scope="col">Rank</th>
              <th scope="col">Model</th>
              <th scope="col" className={styles.plot} aria-label="Score and interval, from 0 to 100 %">
                <span className={styles.scale}>
                  <span>0</span>
                  <span>50</span>
                  <span>100 %</span>
                </span>
              </th>
              <th scope="col">Score</th>
              <th scope="col" className={styles.number}>
                Scored
              </th>
              <th scope="col" className={styles.number}>
                Cost
              </th>
              <th scope="col" className={styles.number}>
                Duration
              </th>
              <th scope="col" className={styles.number}>
                Run
              </th>
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row, place) => (
              <Line
                key={row.evaluation_id}
                row={row}
                startsGroup={row.rank !== table.rows[place - 1]?.rank}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Line({ row, startsGroup }: { row: Row; startsGroup: boolean }) {
  const { score } = row;
  return (
    <tr data-group={startsGroup} data-tied={row.is_tied}>
      <td className={styles.rank}>
        {startsGroup ? row.rank : <span className="visually-hidden">{row.rank}</span>}
        {row.is_tied && startsGroup ? <small>tied</small> : null}
      </td>
      <th scope="row">
        <ModelName model={row.model} />{" "}
        {row.is_within_noise ? (
          <Badge title="Asking this model and the one above again may change as much as they differ by">
            within noise
          </Badge>
        ) : null}
        {row.sentence ? <p title={typeset(row.sentence)}>{againstAbove(row)}</p> : null}
      </th>
      <td className={styles.plot}>
        <IntervalTrack estimate={score} />
      </td>
      <td className={styles.score}>
        <strong>{percent(score.value)}</strong>
        {score.interval ? (
          <span>
            {percentNumber(score.interval.low)} – {percentNumber(score.interval.high)}
          </span>
        ) : null}
        <WarningMark warnings={row.warnings} />
      </td>
      <td className={styles.number} data-label="scored">
        {count(row.scored)} / {count(row.total)}
      </td>
      <td className={styles.number} data-label="cost">
        {usd(row.cost_usd)}
      </td>
      <td className={styles.number} data-label="took">
        {row.duration_s === null ? "—" : duration(row.duration_s * 1000)}
      </td>
      <td className={styles.number}>
        <Link to="/runs/$runId" params={{ runId: row.run_id }} className={styles.link}>
          {row.finished_at ? <Age of={row.finished_at} /> : short(row.run_id)}
        </Link>
        {row.runs > 1 ? <small className={styles.runs}>best of {row.runs}</small> : null}
      </td>
    </tr>
  );
}

/** How the model stands to the one a place higher; the whole sentence is one hover away. */
function againstAbove({ above }: Row): string {
  if (!above) return "no scored items in common with the model above";
  const gap = points(above.difference).slice(1);
  const p = probability(above.adjusted_p ?? above.p_value);
  if (above.verdict === "better") return `${gap} points behind the model above, ${p}`;
  return `no significant difference from the model above: ${gap} points, ${p}`;
}
