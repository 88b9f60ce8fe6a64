import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { startEvents } from "../api/events";
import { queryClient } from "../api/queries";
import "../tokens.css";
import "../base.css";
import { router } from "./router";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

startEvents();
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
