import type { MethodParam } from "../../../../src/console/contract/session.ts";

/** How a parameter is entered, and how its text becomes JSON. */
export type ParamKind = "block" | "boolean" | "number" | "quantity" | "text" | "json";

export type Encoded =
  | { readonly value: unknown }
  | { readonly fault: string }
  /** Left empty. */
  | undefined;

const JSON_ROLES: readonly (string | null)[] = ["call", "filter", "config"];

/** Read from the parameter's meaning, else from the text that says what would be right. */
export function kindOf({ role, want }: Pick<MethodParam, "role" | "want">): ParamKind {
  if (role === "block") return "block";
  if (role === "slot") return "number";
  if (JSON_ROLES.includes(role) || /^(an object|an array|up to \d)/.test(want)) return "json";
  if (want.startsWith("true ")) return "boolean";
  if (/quantity|^a storage position|such as "0x5"/.test(want)) return "quantity";
  if (/^(an integer|a number of)/.test(want)) return "number";
  return "text";
}

/** The JSON value that a text stands for. Decimal blocks and quantities become hexadecimal. */
export function encode(kind: ParamKind, given: string): Encoded {
  const text = given.trim();
  if (text === "") return undefined;
  if (kind === "boolean") return { value: text === "true" };
  if (kind === "number") return encodeNumber(text);
  if (kind === "json" || (kind === "block" && text.startsWith("{"))) return encodeJson(text);
  const isDecimal = (kind === "block" || kind === "quantity") && /^\d+$/.test(text);
  return { value: isDecimal ? `0x${BigInt(text).toString(16)}` : text };
}

function encodeNumber(text: string): Encoded {
  const value = Number(text);
  if (!/^-?\d+$/.test(text)) return { fault: "Enter a whole number." };
  return Number.isSafeInteger(value) ? { value } : { fault: "This number is too large." };
}

function encodeJson(text: string): Encoded {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { fault: `This is not valid JSON: ${reason}` };
  }
}

/** The text that is shown in the form for a value; the empty text for none. */
export function textOf(kind: ParamKind, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (kind !== "json" && typeof value === "string") return value;
  return kind === "json" ? JSON.stringify(value, undefined, 2) : JSON.stringify(value);
}

/** What a form begins with: what nearly every call of the method has. */
export function initialTexts(params: readonly MethodParam[]): string[] {
  return params.map((param) => {
    if (!param.required) return "";
    const kind = kindOf(param);
    if (kind === "block") return "latest";
    return kind === "boolean" ? "false" : "";
  });
}

export type EncodedParams = {
  readonly values: readonly unknown[];
  /** By the places of the parameters. */
  readonly faults: Readonly<Record<number, string>>;
};

/**
 * The list that is sent. What is left empty at the end is not sent; before a later parameter it is
 * sent as what the gateway would take for it.
 */
export function encodeAll(params: readonly MethodParam[], texts: readonly string[]): EncodedParams {
  const encoded = params.map((param, index) => encode(kindOf(param), texts[index] ?? ""));
  const count = encoded.findLastIndex((one) => one !== undefined) + 1;
  const values: unknown[] = [];
  const faults: Record<number, string> = {};
  for (const [index, param] of params.entries()) {
    const one = encoded[index];
    if (one !== undefined && "fault" in one) faults[index] = one.fault;
    if (one === undefined && param.required) faults[index] = "This is required.";
    if (index < count)
      values.push(one !== undefined && "value" in one ? one.value : (param.fallback ?? null));
  }
  return { values, faults };
}

/** A list as the form's texts; undefined where the form cannot say the same. */
export function textsOf(
  params: readonly MethodParam[],
  values: readonly unknown[],
): string[] | undefined {
  if (values.length > params.length) return undefined;
  const texts = params.map((param, index) => textOf(kindOf(param), values[index]));
  const again = encodeAll(params, texts).values;
  const isSame = JSON.stringify(again) === JSON.stringify(values);
  return isSame ? texts : undefined;
}
