/** Colours of one theme, `#rrggbb`. */
export type Palette = {
  /** In the order in which they are given out; the second round of them is hatched. */
  readonly colours: readonly string[];
  /** What the named series leave over. */
  readonly other: string;
};

export type Theme = "light" | "dark";

/**
 * Six colours and a grey that stay apart for eyes without one of the three kinds of cones, each
 * with a contrast of 3:1 to the page or more. More than six cannot: hatching tells those apart. The last is red.
 */
export const PALETTES: Readonly<Record<Theme, Palette>> = {
  light: {
    colours: ["#2098db", "#c47d04", "#654abb", "#0f4400", "#643555", "#cc243d"],
    other: "#7a828c",
  },
  dark: {
    colours: ["#6885f6", "#ecd69b", "#5ecb43", "#a23db8", "#40f5ec", "#cc2a1b"],
    other: "#7d8590",
  },
};

/** How a series looks wherever it is shown. */
export type SeriesLook = { readonly colour: string; readonly hatched: boolean };

/** @param place undefined: the series of what the others do not hold */
export function lookOf(theme: Theme, place: number | undefined): SeriesLook {
  const { colours, other } = PALETTES[theme];
  if (place === undefined) return { colour: other, hatched: false };
  const colour = colours[place % colours.length] ?? other;
  return { colour, hatched: Math.floor(place / colours.length) % 2 === 1 };
}
