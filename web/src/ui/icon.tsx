/** Lines of a 20 × 20 drawing; the stroke takes the text's colour. */
const PATHS = {
  usage: "M3 17V3M3 17h14M7 13v-3M11 13V6M15 13V9",
  key: "M8.5 11.5 16 4M13 7l2.5 2.5M9 14a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0Z",
  explorer: "m4 6 4 4-4 4M10 15h6",
  alert: "M10 3 2 17h16L10 3ZM10 8v4M10 14.5v.5",
  bell: "M5 14V9a5 5 0 0 1 10 0v5l1.5 1.5h-13L5 14ZM8.5 18h3",
  people:
    "M10.5 7a3 3 0 1 1-6 0 3 3 0 0 1 6 0ZM2 17c0-3 2.5-5 5.5-5S13 14 13 17M14 4.5a3 3 0 0 1 0 5M15.5 12.5c1.700.8 2.5 2.5 2.5 4.5",
  log: "M5 3h10v14H5zM8 7h4M8 10h4M8 13h2",
  network:
    "M10 6.5V10M10 10 5 14M10 10l5 4M12 4.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0ZM6 15.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0ZM18 15.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0Z",
  building: "M4 17V4h8v13M12 8h4v9M2 17h16M7 7h2M7 10h2M7 13h2",
  settings:
    "M3 6h8M15 6h2M3 14h2M9 14h8M15 6a2 2 0 1 1-4 0 2 2 0 0 1 4 0ZM9 14a2 2 0 1 1-4 0 2 2 0 0 1 4 0Z",
  "sign-out": "M12 3H4v14h8M9 10h9M15 7l3 3-3 3",
  menu: "M3 5h14M3 10h14M3 15h14",
  close: "m5 5 10 10M15 5 5 15",
  check: "m4 10.5 4 4 8-9",
  copy: "M7 7V3h10v10h-4M3 7h10v10H3z",
  plus: "M10 4v12M4 10h12",
  next: "m8 4 6 6-6 6",
  previous: "m12 4-6 6 6 6",
  refresh: "M16 10a6 6 0 1 1-2-4.5L16 7.5M16 3v4.5h-4.5",
  sun: "M13 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0ZM10 2v2M10 16v2M2 10h2M16 10h2M4.5 4.5 6 6M14 14l1.5 1.5M4.5 15.5 6 14M14 6l1.5-1.5",
  moon: "M16 12A7 7 0 0 1 8 4a7 7 0 1 0 8 8Z",
  system: "M3 4h14v9H3zM7 17h6M10 13v4",
  info: "M10 9v5M10 6v.5M18 10a8 8 0 1 1-16 0 8 8 0 0 1 16 0Z",
  download: "M10 3v10M6 9l4 4 4-4M3 17h14",
  external: "M11 3h6v6M17 3l-8 8M8 5H3v12h12v-5",
  mail: "M2 5h16v11H2zM2 6l8 6 8-6",
  device: "M5 3h10v14H5zM9 14.5h2",
  shield: "M10 2 4 4.5V10c0 4 2.5 6.5 6 8 3.5-1.5 6-4 6-8V4.5L10 2Z",
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing beside a text that says the same, so it is hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
