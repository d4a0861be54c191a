const ZERO = 0x30;
/** As many as `numberAt` takes. */
export const MAX_DIGITS = 7;

/** The number that is written there in at most MAX_DIGITS digits and nothing else; else -1. */
export function numberAt(bytes: Buffer, begin: number, end: number): number {
  if (end === begin || end - begin > MAX_DIGITS) return -1;
  let value = 0;
  for (let at = begin; at < end; at += 1) {
    const digit = (bytes[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Whether the bytes, in any case, are this name, which is in lower case. */
export function isNameAt(bytes: Buffer, start: number, name: Buffer): boolean {
  for (let at = 0; at < name.length; at += 1) {
    if (((bytes[start + at] ?? 0) | 0x20) !== name[at]) return false;
  }
  return true;
}

/** Whether exactly these bytes stand there. */
export function isAt(bytes: Buffer, start: number, wanted: Buffer): boolean {
  if (start + wanted.length > bytes.length) return false;
  for (let at = 0; at < wanted.length; at += 1) {
    if (bytes[start + at] !== wanted[at]) return false;
  }
  return true;
}

/** Where the first byte stands that is not in the table. */
export function endOf(bytes: Buffer, start: number, table: Uint8Array): number {
  let at = start;
  while (at < bytes.length && table[bytes[at] ?? 0] === 1) at += 1;
  return at;
}

/** 1 for each character code that fits. */
export function tableOf(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) =>
    characters.test(String.fromCharCode(code)) ? 1 : 0,
  );
}
