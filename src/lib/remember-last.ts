import { ownText } from "./bytes.ts";

/**
 * The same function of a text, which remembers its last outcome: what comes with a request (an origin, an
 * address) is mostly what came with the one before. The text is copied, since it may be a part of a
 * whole request's.
 */
export function rememberLast<Value>(judge: (text: string) => Value): (text: string) => Value {
  let last: { readonly text: string; readonly value: Value } | undefined;
  return (text) => {
    if (last?.text === text) return last.value;
    const value = judge(text);
    last = { text: ownText(text), value };
    return value;
  };
}
