import { useMutation } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { api, type Schemas, unwrap } from "./client";
import { queryClient } from "./queries";

const KEY = "admin-secret";
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
