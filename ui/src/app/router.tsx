import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { apiDocsSearch } from "../apidocs/search";
import { arenaSearch } from "../arena/search";
import { benchmarksSearch, modelsSearch } from "../catalogue/search";
import { codeSearch } from "../code/search";
import { compareSearch } from "../compare/search";
import { datasetSearch } from "../datasets/search";
import { itemsSearch } from "../items/search";
import { leaderboardSearch } from "../leaderboard/search";
import { fidelitySearch } from "../runs/fidelity";
import { latencySearch } from "../runs/latency";
import { runsSearch } from "../runs/search";
import { draftOf } from "../start/draft";
import { systemSearch } from "../system/search";
import { Failure } from "./Failure";
import { NotFound, Shell } from "./Shell";
import { parseSearch, stringifySearch } from "./urlSearch";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const runs = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import("../runs/RunsPage"), "RunsPage"),
});

const newRun = createRoute({
  getParentRoute: () => root,
  path: "/runs/new",
  validateSearch: draftOf,
  component: lazyRouteComponent(() => import("../start/NewRunPage"), "NewRunPage"),
});

const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$runId",
  component: lazyRouteComponent(() => import("../runs/RunPage"), "RunPage"),
});

const runScores = createRoute({
  getParentRoute: () => run,
  path: "/",
  component: lazyRouteComponent(() => import("../runs/ScoresTab"), "ScoresTab"),
});

const runFidelity = createRoute({
  getParentRoute: () => run,
  path: "/fidelity",
  validateSearch: fidelitySearch,
  component: lazyRouteComponent(() => import("../runs/FidelityTab"), "FidelityTab"),
});

const runItems = createRoute({
  getParentRoute: () => run,
  path: "/items",
  validateSearch: itemsSearch,
  component: lazyRouteComponent(() => import("../items/ItemsPage"), "ItemsPage"),
});

const runTasks = createRoute({
  getParentRoute: () => run,
  path: "/tasks",
  component: lazyRouteComponent(() => import("../runs/TasksTab"), "TasksTab"),
});

const runLatency = createRoute({
  getParentRoute: () => run,
  path: "/latency",
  validateSearch: latencySearch,
  component: lazyRouteComponent(() => import("../runs/LatencyTab"), "LatencyTab"),
});

const runCharts = createRoute({
  getParentRoute: () => run,
  path: "/charts",
  component: lazyRouteComponent(() => import("../pictures/RunCharts"), "RunCharts"),
});

const runJudgements = createRoute({
  getParentRoute: () => run,
  path: "/judgements",
  component: lazyRouteComponent(() => import("../runs/JudgementsTab"), "JudgementsTab"),
});

const runConfig = createRoute({
  getParentRoute: () => run,
  path: "/config",
  component: lazyRouteComponent(() => import("../runs/ConfigTab"), "ConfigTab"),
});

const runEvents = createRoute({
  getParentRoute: () => run,
  path: "/events",
  component: lazyRouteComponent(() => import("../runs/EventsTab"), "EventsTab"),
});

const item = createRoute({
  getParentRoute: () => root,
  path: "/runs/$runId/items/$itemId",
  validateSearch: itemsSearch,
  component: lazyRouteComponent(() => import("../items/ItemPage"), "ItemPage"),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import("../compare/ComparePage"), "ComparePage"),
});

const leaderboard = createRoute({
  getParentRoute: () => root,
  path: "/leaderboard",
  validateSearch: leaderboardSearch,
  component: lazyRouteComponent(() => import("../leaderboard/LeaderboardPage"), "LeaderboardPage"),
});

const loadTests = createRoute({
  getParentRoute: () => root,
  path: "/load",
  component: lazyRouteComponent(() => import("../load/LoadTestsPage"), "LoadTestsPage"),
});

const loadTest = createRoute({
  getParentRoute: () => root,
  path: "/load/$testId",
  component: lazyRouteComponent(() => import("../load/LoadTestPage"), "LoadTestPage"),
});

const arena = createRoute({
  getParentRoute: () => root,
  path: "/arena",
  validateSearch: arenaSearch,
  component: lazyRouteComponent(() => import("../arena/ArenaPage"), "ArenaPage"),
});

const code = createRoute({
  getParentRoute: () => root,
  path: "/code",
  validateSearch: codeSearch,
  component: lazyRouteComponent(() => import("../code/CodePage"), "CodePage"),
});

const benchmarks = createRoute({
  getParentRoute: () => root,
  path: "/benchmarks",
  validateSearch: benchmarksSearch,
  component: lazyRouteComponent(() => import("../catalogue/BenchmarksPage"), "BenchmarksPage"),
});

const benchmark = createRoute({
  getParentRoute: () => root,
  path: "/benchmarks/$name",
  component: lazyRouteComponent(() => import("../catalogue/BenchmarkPage"), "BenchmarkPage"),
});

const models = createRoute({
  getParentRoute: () => root,
  path: "/models",
  validateSearch: modelsSearch,
  component: lazyRouteComponent(() => import("../catalogue/ModelsPage"), "ModelsPage"),
});

const system = createRoute({
  getParentRoute: () => root,
  path: "/system",
  validateSearch: systemSearch,
  component: lazyRouteComponent(() => import("../system/SystemPage"), "SystemPage"),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("../settings/SettingsPage"), "SettingsPage"),
});

const apiDocs = createRoute({
  getParentRoute: () => root,
  path: "/api-docs",
  validateSearch: apiDocsSearch,
  component: lazyRouteComponent(() => import("../apidocs/ApiDocsPage"), "ApiDocsPage"),
});

const datasets = createRoute({
  getParentRoute: () => root,
  path: "/datasets",
  component: lazyRouteComponent(() => import("../datasets/DatasetsPage"), "DatasetsPage"),
});

const dataset = createRoute({
  getParentRoute: () => root,
  path: "/datasets/$datasetId",
  validateSearch: datasetSearch,
  component: lazyRouteComponent(() => import("../datasets/DatasetPage"), "DatasetPage"),
});

const verify = createRoute({
  getParentRoute: () => root,
  path: "/verify",
  component: lazyRouteComponent(() => import("../verify/VerifyPage"), "VerifyPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    runs,
    newRun,
    run.addChildren([
      runScores,
      runFidelity,
      runTasks,
      runItems,
      runLatency,
      runCharts,
      runJudgements,
      runConfig,
      runEvents,
    ]),
    item,
    compare,
    leaderboard,
    loadTests,
    loadTest,
    arena,
    code,
    benchmarks,
    benchmark,
    models,
    datasets,
    dataset,
    verify,
    system,
    settings,
    apiDocs,
  ]),
  basepath: "/ui",
  scrollRestoration: true,
  defaultPreload: "intent",
  defaultErrorComponent: Failure,
  parseSearch,
  stringifySearch,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
