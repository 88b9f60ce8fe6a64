import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from "react";
import { isTyping, useShortcut } from "../ui/shortcuts";
import { DESTINATIONS } from "./destinations";

const loadPalette = () => import("./Palette");
const Palette = lazy(loadPalette);
const KeyboardMap = lazy(() => import("./KeyboardMap"));
const Drawer = lazy(() => import("./Drawer"));

type Overlay = "palette" | "keys" | "menu";
const SEQUENCE_MS = 1_200;

export interface OverlayState {
  name: Overlay | undefined;
  show: (name: Overlay) => void;
  close: () => void;
}

/** The dialogs that open over any page, and the keys that open them. */
export function useOverlays(): OverlayState {
  const [name, setName] = useState<Overlay>();
  const navigate = useNavigate();
  useShortcut("n", () => void navigate({ to: "/runs/new" }));
  useShortcut("?", () => setName("keys"));
  // The user continues typing immediately after pressing the key.
  useEffect(() => {
    void loadPalette();
  }, []);
  useCommandKey(() => setName((shown) => (shown === "palette" ? undefined : "palette")));
  useGoKeys();
  return { name, show: setName, close: () => setName(undefined) };
}

export function Overlays({ shown: { name, show, close } }: { shown: OverlayState }) {
  return (
    <Suspense>
      {name === "palette" ? <Palette onClose={close} onKeys={() => show("keys")} /> : null}
      {name === "keys" ? <KeyboardMap onClose={close} /> : null}
      {name === "menu" ? <Drawer onClose={close} onKeys={() => show("keys")} /> : null}
    </Suspense>
  );
}

function useCommandKey(action: () => void) {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "k" || !(event.metaKey || event.ctrlKey) || event.altKey) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** `g`, then the letter of a page. */
function useGoKeys() {
  const navigate = useNavigate();
  const pressedAt = useRef(Number.NEGATIVE_INFINITY);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key === "g") {
      pressedAt.current = event.timeStamp;
      return;
    }
    if (event.timeStamp - pressedAt.current > SEQUENCE_MS) return;
    pressedAt.current = Number.NEGATIVE_INFINITY;
    const target = DESTINATIONS.flat().find(({ key }) => key === event.key);
    if (!target) return;
    // The letter must not mean something else to the page that is left.
    event.stopImmediatePropagation();
    void navigate({ to: target.to });
  });
  useEffect(() => {
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  }, []);
}
