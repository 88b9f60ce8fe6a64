import { useMutation } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { api, type Schemas, unwrap } from "./client";
import { ADMIN_SECRET as KEY, queryClient } from "./queries";

const watchers = new Set<() => void>();

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

/** The operator's secret, kept until this tab is closed. */
export function useAdminSecret(): [string, (secret: string) => void] {
  return [useSyncExternalStore(watch, () => sessionStorage.getItem(KEY) ?? ""), change];
}

function change(secret: string) {
  if (secret) sessionStorage.setItem(KEY, secret);
  else sessionStorage.removeItem(KEY);
  void queryClient.invalidateQueries({ queryKey: ["run"] });
  for (const changed of watchers) changed();
}

export function useMaintenance(secret: string) {
  return useMutation({
    mutationFn: async (body: Schemas["MaintenanceRequest"]) => {
      const params = { header: { "x-admin-secret": secret } };
      return unwrap(await api.POST("/api/admin/maintenance", { body, params }));
    },
    onSuccess: (status) => queryClient.setQueryData(["status"], status),
  });
}

/** Reads the list of models of one provider, or of all, into the registry. */
export function useSync(secret: string) {
  return useMutation({
    mutationFn: async (provider: string | undefined) => {
      const params = { header: { "x-admin-secret": secret }, query: provider ? { provider } : {} };
      return unwrap(await api.POST("/api/admin/sync-models", { params }));
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["models"] }),
  });
}
