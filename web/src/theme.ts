import { readSetting, writeSetting } from "./settings.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** The theme that was chosen; `system` follows the device. */
export function readTheme(): Theme {
  return THEMES.find((theme) => theme === readSetting("theme")) ?? "system";
}

export function writeTheme(theme: Theme): void {
  writeSetting("theme", theme === "system" ? undefined : theme);
  applyTheme();
}

/** Puts the chosen theme on the document; `themechange` on window tells what draws on a canvas. */
function applyTheme(): void {
  const theme = readTheme();
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  window.dispatchEvent(new Event("themechange"));
}

/** Applies the choice now, and tells of changes of the device's own theme and of other tabs. */
export function startTheme(): void {
  applyTheme();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);
  window.addEventListener("storage", applyTheme);
}

/** A design token's colour as it is now (`tokenColor("--accent")` → `rgb(…)`), for canvases. */
export function tokenColor(token: `--${string}`): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}
