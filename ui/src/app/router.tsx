import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { RunPage } from "../runs/RunPage";
import { RunsPage } from "../runs/RunsPage";
import { runsSearch } from "../runs/search";
import { NotFound, Shell } from "./Shell";

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  validateSearch: runsSearch,
  component: RunsPage,
});

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/$runId",
  component: RunPage,
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([runsRoute, runRoute]),
  basepath: "/ui",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
