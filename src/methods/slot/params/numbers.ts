const INTEGER = /^-?\d+(?:\.0+)?$/;
/** Doubles hold every integer up to here, so that a zero fraction is certain. */
const EXACT = 2n ** 53n;
const U64 = 2n ** 64n - 1n;
const I64 = -(2n ** 63n);

/**
 * The integer that a JSON number's text says: of 64 bits, or below 2^53 with a fraction of zeros.
 * Undefined for what serde_json reads as a floating point number.
 */
export function integerOf(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const [digits = "", fraction] = text.split(".");
  // Twenty digits and a sign: longer ones are beyond 64 bits, and slow to read.
  if (digits === "-0" || digits.length > 21) return undefined;
  const integer = BigInt(digits);
  if (fraction !== undefined) return integer >= 0n && integer < EXACT ? integer : undefined;
  return integer <= U64 && integer >= I64 ? integer : undefined;
}

/** serde_json's words for a number that is of no use. */
export function numberWords(text: string): string {
  const integer = text.includes(".") ? undefined : integerOf(text);
  return integer === undefined
    ? `floating point \`${ryu(Number(text))}\``
    : `integer \`${integer}\``;
}

/** A double as the ryu crate writes it: `1.5`, `100.0`, `1.8446744073709552e19`. */
function ryu(value: number): string {
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const [mantissa = "", exponent = "0"] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const point = Number(exponent) + 1;
  if (digits.length <= point && point <= 16) return `${sign}${digits.padEnd(point, "0")}.0`;
  if (point > 0 && point <= 16) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  if (point > -5 && point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${mantissa}e${exponent.replace("+", "")}`;
}
