import { encodeQR } from "qr";
import "./qr-code.css";

/** Modules of white around the code, without which scanners do not find it (ISO/IEC 18004). */
const QUIET_MODULES = 4;

/** A code for a phone's camera. Dark on light in every theme: many apps read no other. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: QUIET_MODULES });
  return (
    <svg class="qr-code" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img">
      <title>{label}</title>
      <path d={pathOf(rows)} />
    </svg>
  );
}

/** A square for each dark module. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  const squares = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return squares.join("");
}
