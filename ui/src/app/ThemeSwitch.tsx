import { Button } from "../ui/Button";
import type { IconName } from "../ui/Icon";
import { THEMES, type Theme, useTheme } from "../ui/theme";

const ICONS: Record<Theme, IconName> = { system: "screen", light: "sun", dark: "moon" };

export function ThemeSwitch() {
  const [theme, choose] = useTheme();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
  return (
    <Button
      tone="quiet"
      isSmall
      icon={ICONS[theme]}
      onClick={() => choose(next)}
      aria-label={`Theme: ${theme}. Switch to ${next}.`}
      title={`Theme: ${theme}`}
    />
  );
}
