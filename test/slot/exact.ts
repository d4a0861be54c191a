/** An integer with every digit that it was written with: doubles hold them up to 2^53 only. */
export type ExactNumber = { readonly rawJSON: string };

type RawJson = {
  readonly rawJSON: (text: string) => ExactNumber;
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ) => unknown;
};
const raw = JSON as unknown as RawJson;

/** JSON whose integers keep all their digits, also when it is written again. */
export const parseExactly = (text: string): unknown =>
  raw.parse(text, (_key, value, { source = "" }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
      ? raw.rawJSON(source)
      : value,
  );

/** The same text without its white space, fractions written as JavaScript does. */
export const compact = (text: string): string => JSON.stringify(parseExactly(text));
