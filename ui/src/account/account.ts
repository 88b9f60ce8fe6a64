import { queryOptions, useMutation } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import { queryClient } from "../api/queries";

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

const FAILURES: Record<string, string> = {
  unreachable: "the identity provider does not answer.",
  untrusted:
    "what the identity provider sent could not be verified. If this happens again, tell whoever runs this server.",
};

/** Why a login came to nothing, if the server sent the browser back for that. */
export function signInFailure(search: string): string | null {
  const reason = new URLSearchParams(search).get("sign_in");
  if (reason === null) return null;
  return FAILURES[reason] ?? "it was refused, or took too long.";
}

export function useSignOut() {
  return useMutation({
    mutationFn: async () => unwrap(await api.POST("/api/auth/logout")),
    // What a user may do changes with who they are.
    onSuccess: () => queryClient.invalidateQueries(),
  });
}
