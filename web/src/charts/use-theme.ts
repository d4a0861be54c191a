import { useEffect, useState } from "preact/hooks";
import type { Theme } from "./palette.ts";

/** The theme that is shown now, followed: what draws on a canvas has to draw again. */
export function useShownTheme(): Theme {
  const [theme, setTheme] = useState(readShownTheme);
  useEffect(() => {
    const look = () => setTheme(readShownTheme());
    window.addEventListener("themechange", look);
    return () => window.removeEventListener("themechange", look);
  }, []);
  return theme;
}

function readShownTheme(): Theme {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
