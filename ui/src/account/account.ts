import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";

export const accountQuery = queryOptions({
  queryKey: ["account"],
  queryFn: async ({ signal }) => unwrap(await api.GET("/api/auth/status", { signal })),
  staleTime: 60_000,
});

/** Where the browser goes to sign in; it comes back to the page it was on. */
export function signInAddress(place: Pick<Location, "pathname" | "search">): string {
  const here = new URLSearchParams(place.search);
  here.delete("sign_in");
  const search = here.toString();
  const returnTo = place.pathname + (search ? `?${search}` : "");
  return `/api/auth/login?${new URLSearchParams({ return_to: returnTo })}`;
}
