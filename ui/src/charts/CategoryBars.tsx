import { Link } from "@tanstack/react-router";
import type { Estimate } from "../api/client";
import { count, percent, percentNumber } from "../format";
import { type CategorySeries, categoriesOf } from "./categories";
import styles from "./CategoryBars.module.css";
import { ChartFrame, Legend } from "./ChartFrame";
import { FigureTable } from "./FigureTable";
import { seriesLook } from "./series";

export interface LinkedSeries extends CategorySeries {
  runId: string;
  model: string;
  benchmark: string;
}

/** More of them are no picture any more; the table has all. */
const MOST_SHOWN = 40;
const BAR_PX = 14;

/** The score in each category, models side by side; a bar leads to the items behind it. */
export function CategoryBars({ title, series }: { title: string; series: readonly LinkedSeries[] }) {
  const categories = categoriesOf(series);
  if (categories.length === 0) return null;
  const shown = categories.slice(0, MOST_SHOWN);
  const looks = series.map(({ label }, place) => ({ label, colour: seriesLook(place).colour }));
  const note =
    shown.length < categories.length
      ? `the ${MOST_SHOWN} of ${count(categories.length)} categories with the most items`
      : "with 95 % intervals; a bar opens its items";
  return (
    <ChartFrame
      title={title}
      note={note}
      table={
        <FigureTable
          columns={["Category", "Items", ...series.map(({ label }) => label)]}
          rows={categories.map(({ name, items, estimates }) => {
            return { name, cells: [count(items)].concat(estimates.map(inWords)) };
          })}
        />
      }
    >
      <ul className={styles.categories}>
        {shown.map(({ name, items, estimates }) => (
          <li key={name}>
            <span className={styles.name} title={name}>
              {name}
            </span>
            <span className={styles.items}>{count(items)}</span>
            <div className={styles.bars}>
              {series.map((one, place) => {
                const estimate = estimates[place];
                return estimate ? (
                  <Bar
                    key={one.id}
                    series={one}
                    category={name}
                    estimate={estimate}
                    look={seriesLook(place)}
                  />
                ) : null;
              })}
            </div>
          </li>
        ))}
      </ul>
      <Legend entries={looks} />
    </ChartFrame>
  );
}

interface BarProps {
  series: LinkedSeries;
  category: string;
  estimate: Estimate;
  look: { colour: string };
}

function Bar({ series, category, estimate, look }: BarProps) {
  const { value, interval } = estimate;
  const items = { benchmark: series.benchmark, model: series.model, category: [category] };
  return (
    <Link
      to="/runs/$runId/items"
      params={{ runId: series.runId }}
      search={items}
      className={styles.bar}
      aria-label={`${series.label} in ${category}: ${inWords(estimate)}, open its items`}
    >
      <svg height={BAR_PX} width="100%" aria-hidden="true">
        <rect x="0" y="2" width={`${value * 100}%`} height={BAR_PX - 4} rx="2" fill={look.colour} />
        {interval ? (
          <line
            className={styles.interval}
            x1={`${interval.low * 100}%`}
            x2={`${interval.high * 100}%`}
            y1={BAR_PX / 2}
            y2={BAR_PX / 2}
          />
        ) : null}
      </svg>
      <span>{percent(value)}</span>
    </Link>
  );
}

function inWords(estimate: Estimate | null): string {
  if (!estimate) return "—";
  const { value, interval } = estimate;
  if (!interval) return percent(value);
  return `${percent(value)} (${percentNumber(interval.low)} – ${percentNumber(interval.high)})`;
}
