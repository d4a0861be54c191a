import { useSetting } from "../../settings.ts";
import { readTheme, THEMES, writeTheme } from "../../theme.ts";
import { allZones, browserZone, formatTime, isUtc, useNow, useZone, zoneName } from "../../time.ts";
import { Card } from "../../ui/display.tsx";
import { Select } from "../../ui/field.tsx";
import { Segments } from "../../ui/tabs.tsx";

const THEME_NAMES = { system: "Same as device", light: "Light", dark: "Dark" } as const;

/** Theme and time zone: kept by this browser, for whoever uses it. */
export function LookCard() {
  useSetting("theme");
  const [chosen, setZone] = useSetting("zone");
  return (
    <Card title="Appearance and time" hint="Saved in this browser.">
      <div class="stack">
        <div class="field">
          <span class="field-label">Theme</span>
          <div>
            <Segments
              label="Theme"
              choices={THEMES.map((theme) => ({ value: theme, label: THEME_NAMES[theme] }))}
              value={readTheme()}
              onChange={(value) => writeTheme(THEMES.find((theme) => theme === value) ?? "system")}
            />
          </div>
        </div>
        <Select
          name="zone"
          label="Time zone"
          hint={<Clock />}
          value={chosen ?? ""}
          choices={[
            { value: "", label: `This device's (${browserZone()})` },
            ...allZones().map((name) => ({ value: name, label: name.replaceAll("_", " ") })),
          ]}
          onChange={(value) => setZone(value === "" ? undefined : value)}
        />
      </div>
    </Card>
  );
}

/** By itself, so that the list of all zones is not drawn again each second. */
function Clock() {
  const zone = useZone();
  const now = useNow(1000);
  const here = `${formatTime(now, zone)} ${zoneName(zone, now)}`;
  return <>{isUtc(zone) ? here : `${here} · ${formatTime(now, "UTC")} UTC`}</>;
}
