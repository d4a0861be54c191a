import { describe, expect, test } from "vitest";
import { lookOf, PALETTES, type Theme } from "./palette.ts";

type Triple = readonly [number, number, number];

/** The darkest of the light theme's surfaces and the lightest of the dark one's. */
const SURFACES: Record<Theme, string> = { light: "#ffffff", dark: "#151c23" };

/** Machado, Oliveira and Fernandes 2009, severity 1, in linear light. */
const EYES: Record<string, readonly [Triple, Triple, Triple]> = {
  "all cones": [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  "no red cones": [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  "no green cones": [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  "no blue cones": [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function linear(hex: string): Triple {
  const channel = (at: number): number => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function luminance([r, g, b]: Triple): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [x, y] = [luminance(linear(a)), luminance(linear(b))];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

function oklab([r, g, b]: Triple): Triple {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function seen(hex: string, eye: readonly [Triple, Triple, Triple]): Triple {
  const light = linear(hex);
  const row = ([r, g, b]: Triple): number =>
    Math.min(1, Math.max(0, r * light[0] + g * light[1] + b * light[2]));
  return oklab([row(eye[0]), row(eye[1]), row(eye[2])]);
}

describe.each(["light", "dark"] as const)("the %s theme's colours of series", (theme) => {
  const all = [...PALETTES[theme].colours, PALETTES[theme].other];

  test("stand out from the page by 3:1 or more", () => {
    for (const colour of all) expect(contrast(colour, SURFACES[theme])).toBeGreaterThanOrEqual(3);
  });

  test.each(Object.keys(EYES))("stay apart for eyes with %s", (name) => {
    const eye = EYES[name] ?? EYES["all cones"];
    for (const [index, one] of all.entries()) {
      for (const other of all.slice(index + 1)) {
        const [a, b] = [seen(one, eye as never), seen(other, eye as never)];
        const distance = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        expect(distance, `${one} and ${other}`).toBeGreaterThan(0.06);
      }
    }
  });

  test("are twelve looks and one for what is left over, no two alike", () => {
    const looks = Array.from({ length: 12 }, (_, place) => lookOf(theme, place));
    const texts = [...looks, lookOf(theme, undefined)].map((look) => JSON.stringify(look));
    expect(new Set(texts).size).toBe(13);
  });
});
