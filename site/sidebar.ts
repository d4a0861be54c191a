import type { DefaultTheme } from "vitepress";
import { servedMethods } from "./method-pages.ts";

const item = (text: string, link: string) => ({ text, link: `/${link}` });

/** The site's table of contents. A page that stands in no group would not be found: a test looks. */
export const sidebar = (): DefaultTheme.Sidebar => ({
  "/": PAGES,
  // Of every page the whole list would be the most of it.
  "/methods/": [{ text: "Methods", link: "/methods/", items: methodItems() }],
});

const PAGES: DefaultTheme.SidebarItem[] = [
  {
    text: "Use it",
    items: [
      item("Start", ""),
      item("Coming from Infura", "from-infura"),
      item("Coming from eRPC", "from-erpc"),
      item("Errors", "errors"),
      item("Subscriptions", "subscriptions"),
      item("Slot networks", "slot-networks"),
      item("Dashboard", "dashboard"),
      item("Usage", "usage"),
    ],
  },
  {
    text: "Run it",
    items: [
      item("Install", "install"),
      item("Configuration", "configuration"),
      item("Keys and accounts", "keys"),
      item("Credits", "credits"),
      item("Routing", "routing"),
      item("Operations", "operations"),
      item("PostgreSQL", "postgres"),
      item("Hardening", "hardening"),
      item("Threat model", "threat-model"),
      item("Report a fault", "security"),
      item("Changes", "changelog"),
    ],
  },
  {
    text: "Carry it on",
    items: [
      item("Contributing", "contributing"),
      item("The life of a call", "life-of-a-call"),
      item("Decisions", "decisions"),
      item("Performance", "performance"),
      item("Measuring", "measuring"),
      item("Log of measurements", "performance-log"),
      item("What a call runs", "call-lists"),
    ],
  },
  { text: "Methods", link: "/methods/" },
];

function methodItems(): DefaultTheme.SidebarItem[] {
  return servedMethods().map(({ definition: { method } }) => item(method, `methods/${method}`));
}
