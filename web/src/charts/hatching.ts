import type { SeriesLook } from "./palette.ts";

const SIZE = 6;

/** The look as a style to draw with: the colour, or it with stripes of the background's. */
export function fillOf(
  { colour, hatched }: SeriesLook,
  background: string,
): string | CanvasPattern {
  if (!hatched) return colour;
  const tile = document.createElement("canvas");
  const scale = Math.max(1, Math.round(devicePixelRatio));
  const size = SIZE * scale;
  tile.width = size;
  tile.height = size;
  const pen = tile.getContext("2d");
  if (pen === null) return colour;
  pen.fillStyle = colour;
  pen.fillRect(0, 0, size, size);
  pen.strokeStyle = background;
  pen.lineWidth = size / 5;
  pen.globalAlpha = 0.75;
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift - 1, size + 1);
    pen.lineTo(shift + size + 1, -1);
  }
  pen.stroke();
  return pen.createPattern(tile, "repeat") ?? colour;
}
