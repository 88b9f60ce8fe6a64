import { useQueries } from "@tanstack/react-query";
import type { EvaluationDetail } from "../api/client";
import { calibrationQuery } from "../api/queries";
import { AmountBars } from "../charts/AmountBars";
import { CalibrationPlot } from "../charts/CalibrationPlot";
import { CategoryBars } from "../charts/CategoryBars";
import { shortCount, usd } from "../format";
import { EmptyState } from "../ui/EmptyState";

export interface Pictured {
  runId: string;
  evaluation: EvaluationDetail;
}

const TOKEN_PARTS = ["Input", "Reasoning", "Answer"] as const;
const COST_PARTS = ["Model", "Judges"] as const;

/** Evaluations side by side: their categories, calibration, tokens and cost, as far as they are known. */
export function EvaluationPictures({ of }: { of: readonly Pictured[] }) {
  const benchmarks = [...new Set(of.map(({ evaluation }) => evaluation.benchmark))];
  const labelled = of.map((one) => ({ ...one, label: labelOf(one, of) }));
  const ended = labelled.filter(({ evaluation }) => evaluation.tokens);
  const hasCategories = of.some(({ evaluation }) => Object.keys(evaluation.categories).length > 0);
  if (ended.length === 0 && !hasCategories) {
    return (
      <EmptyState title="No charts yet">
        <p>Categories, tokens and cost appear with the first results.</p>
      </EmptyState>
    );
  }
  return (
    <>
      {benchmarks.map((benchmark) => (
        <CategoryBars
          key={benchmark}
          title={`Categories of ${benchmark}`}
          series={labelled
            .filter(({ evaluation }) => evaluation.benchmark === benchmark)
            .map(({ runId, label, evaluation }) => ({
              id: evaluation.id,
              label,
              runId,
              model: evaluation.model,
              benchmark,
              categories: evaluation.categories,
            }))}
        />
      ))}
      <Calibrations of={labelled} />
      <AmountBars
        title="Tokens"
        note="of all attempts whose usage is known"
        parts={TOKEN_PARTS}
        unit={shortCount}
        rows={ended.map(({ label, evaluation }) => ({
          id: evaluation.id,
          label,
          amounts: tokensOf(evaluation),
        }))}
      />
      <AmountBars
        title="Cost"
        note="where the prices are known"
        parts={COST_PARTS}
        unit={usd}
        rows={ended.map(({ label, evaluation }) => ({
          id: evaluation.id,
          label,
          amounts: [evaluation.cost_usd, evaluation.judge_cost_usd],
        }))}
      />
      <AmountBars
        title="Cost per correct answer"
        note="cost of the model over its sum of scores"
        parts={["Cost"]}
        unit={usd}
        rows={ended.map(({ label, evaluation }) => ({
          id: evaluation.id,
          label,
          amounts: [costPerPoint(evaluation)],
        }))}
      />
    </>
  );
}

/** Only benchmarks that ask for a confidence have a calibration error. */
function Calibrations({ of }: { of: readonly (Pictured & { label: string })[] }) {
  const stated = of.filter(({ evaluation }) => "calibration_error" in evaluation.metrics);
  const reports = useQueries({
    queries: stated.map(({ runId, evaluation }) =>
      calibrationQuery(runId, evaluation.benchmark, evaluation.model),
    ),
  });
  const series = stated.flatMap(({ label }, place) => {
    const bins = reports[place]?.data?.bins ?? [];
    return bins.length > 0 ? [{ label, bins }] : [];
  });
  return series.length > 0 ? <CalibrationPlot series={series} /> : null;
}

function tokensOf({ tokens }: EvaluationDetail): readonly (number | null)[] {
  if (!tokens) return [null, null, null];
  return [tokens.input, tokens.reasoning, Math.max(0, tokens.output - tokens.reasoning)];
}

function costPerPoint({ cost_usd, score, scored }: EvaluationDetail): number | null {
  const points = score ? score.value * scored : 0;
  return cost_usd !== null && points > 0 ? cost_usd / points : null;
}

/** The model, with whatever else tells it apart from the others. */
function labelOf({ runId, evaluation }: Pictured, all: readonly Pictured[]): string {
  const hasBenchmarks = all.some((one) => one.evaluation.benchmark !== evaluation.benchmark);
  const isTwice = all.some(
    (one) =>
      one.runId !== runId &&
      one.evaluation.model === evaluation.model &&
      one.evaluation.benchmark === evaluation.benchmark,
  );
  const parts = [
    hasBenchmarks ? ` on ${evaluation.benchmark}` : "",
    isTwice ? ` · ${runId.slice(0, 8)}` : "",
  ];
  return evaluation.model + parts.join("");
}
