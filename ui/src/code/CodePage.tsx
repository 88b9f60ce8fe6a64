import { getRouteApi, Link } from "@tanstack/react-router";
import { PageHeader } from "../ui/Page";
import { tabClass, Tabs } from "../ui/Tabs";
import { Boards } from "./Boards";
import { LaunchForm } from "./LaunchForm";
import { type View, VIEWS } from "./search";

const route = getRouteApi("/code");
const LABELS: Record<View, string> = { run: "Run tasks", leaderboard: "Leaderboard" };

/** The code catalogue: starts runs of its tasks, and ranks models by them. */
export function CodePage() {
  const { view = "run" } = route.useSearch();
  return (
    <>
      <PageHeader
        title="Code"
        lead="Small projects with a bug to fix or a feature to add. The model answers with a patch, and hidden tests run it in a sandbox."
      />
      <Tabs label="Views of the code tasks">
        {VIEWS.map((one) => (
          <Link
            key={one}
            from="/code"
            to="/code"
            search={(before) => ({ ...before, view: one })}
            className={tabClass}
            aria-current={one === view ? "page" : undefined}
          >
            {LABELS[one]}
          </Link>
        ))}
      </Tabs>
      {view === "run" ? <LaunchForm /> : <Boards />}
    </>
  );
}
