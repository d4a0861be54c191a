import { announce } from "../announce.tsx";
import { useSetting } from "../settings.ts";
import { readTheme, THEMES, type Theme, writeTheme } from "../theme.ts";
import { Button } from "../ui/button.tsx";
import type { IconName } from "../ui/icon.tsx";

const LOOKS: Readonly<Record<Theme, { readonly icon: IconName; readonly name: string }>> = {
  system: { icon: "system", name: "same as device" },
  light: { icon: "sun", name: "light" },
  dark: { icon: "moon", name: "dark" },
};

/** Goes round the themes: same as device, light, dark. */
export function ThemeSwitch() {
  useSetting("theme");
  const theme = readTheme();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
  return (
    <Button
      kind="quiet"
      icon={LOOKS[theme].icon}
      label={`Theme: ${LOOKS[theme].name}. Change to ${LOOKS[next].name}`}
      onClick={() => {
        writeTheme(next);
        announce(`Theme: ${LOOKS[next].name}`);
      }}
    />
  );
}
