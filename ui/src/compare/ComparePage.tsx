import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { Schemas } from "../api/client";
import { compareQuery } from "../api/queries";
import { lean } from "../api/searchParams";
import { Notice } from "../ui/Notice";
import { Menu, MenuLink } from "../ui/Menu";
import { PageHeader } from "../ui/Page";
import { Segments } from "../ui/Segments";
import { tabClass, Tabs } from "../ui/Tabs";
import { NothingChosen } from "./NothingChosen";
import { RunPicker } from "./RunPicker";
import { type CompareSearch, type View, VIEWS } from "./search";
import { Sides } from "./Sides";
import { SummaryView } from "./SummaryView";

// Only one view is seen at a time, and the first is the summary.
const AnswersView = lazy(() => import("./AnswersView"));
const ChartsView = lazy(() => import("./ChartsView"));
const CostView = lazy(() => import("./CostView"));
const ItemsView = lazy(() => import("./ItemsView"));
const MatrixView = lazy(() => import("./MatrixView"));

const route = getRouteApi("/compare");

const LABELS: Record<View, string> = {
  summary: "Summary",
  items: "Items",
  answers: "Answers",
  matrix: "Matrix",
  charts: "Charts",
  cost: "Cost",
};

export function ComparePage() {
  const search = route.useSearch();
  const asked = lean({ run: search.run, evaluation: search.evaluation });
  const hasAny = Boolean(search.run?.length || search.evaluation?.length);
  const result = useQuery({ ...compareQuery(asked), enabled: hasAny });
  return (
    <>
      <PageHeader
        title="Compare"
        actions={
          hasAny && result.data && search.run && !search.evaluation ? <ReportMenu runs={search.run} /> : null
        }
        lead="Evaluations of the same benchmark in pairs, item by item: which is better, by how much, and whether there are enough items to tell."
      />
      <RunPicker search={search} />
      {hasAny ? null : <NothingChosen />}
      {hasAny && result.error ? <Notice tone="gold">{result.error.message}</Notice> : null}
      {hasAny && result.isPending ? <p role="status">Comparing item by item …</p> : null}
      {hasAny && result.data && !result.error ? <Comparison result={result.data} search={search} /> : null}
    </>
  );
}

/** The whole comparison as a file. */
function ReportMenu({ runs }: { runs: readonly string[] }) {
  const asked = (format: string) =>
    `/api/compare/report?${new URLSearchParams([...runs.map((run) => ["run", run]), ["format", format]])}`;
  return (
    <Menu label="Export" icon="download">
      <MenuLink href={asked("html")} note="one HTML file with pictures and items" download>
        Web page
      </MenuLink>
      <MenuLink href={asked("markdown")} note="for a pull request" download>
        Markdown
      </MenuLink>
    </Menu>
  );
}

interface Props {
  result: Schemas["ComparisonResult"];
  search: CompareSearch;
}

function Comparison({ result, search }: Props) {
  const view = search.view ?? "summary";
  const compared = comparedBenchmarks(result);
  const benchmark = compared.find((name) => name === search.benchmark) ?? compared[0] ?? "";
  const sides = result.evaluations.filter((one) => one.benchmark === benchmark);
  return (
    <>
      <Sides evaluations={result.evaluations} />
      <Tabs label="Views of the comparison">
        {VIEWS.map((one) => (
          <Link
            key={one}
            from="/compare"
            search={(before) => ({ ...before, view: one })}
            className={tabClass}
            activeProps={{}}
            aria-current={one === view ? "page" : undefined}
          >
            {LABELS[one]}
          </Link>
        ))}
      </Tabs>
      {view !== "summary" && compared.length > 1 ? (
        <BenchmarkChoice names={compared} chosen={benchmark} />
      ) : null}
      {view === "summary" ? <SummaryView result={result} /> : null}
      <Suspense>
        {view === "items" ? <ItemsView search={search} sides={sides} /> : null}
        {view === "answers" ? <AnswersView search={search} sides={sides} /> : null}
        {view === "matrix" ? <MatrixView sides={sides} /> : null}
        {view === "charts" ? <ChartsView sides={sides} /> : null}
        {view === "cost" ? <CostView sides={sides} /> : null}
      </Suspense>
    </>
  );
}

function comparedBenchmarks({ comparisons }: Schemas["ComparisonResult"]): string[] {
  return [...new Set(comparisons.map(({ ours }) => ours.benchmark))];
}

function BenchmarkChoice({ names, chosen }: { names: readonly string[]; chosen: string }) {
  const navigate = route.useNavigate();
  return (
    <Segments
      label="Benchmark"
      value={chosen}
      options={names.map((value) => ({ value, label: value }))}
      onChange={(benchmark) =>
        void navigate({ search: ({ item: _item, ...before }) => ({ ...before, benchmark }), replace: true })
      }
    />
  );
}
