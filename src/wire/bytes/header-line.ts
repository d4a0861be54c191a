import { Buffer } from "node:buffer";
import { endOf, isAt, tableOf } from "../../lib/scan-bytes.ts";

/** Narrower than what may stand there, so that nothing in it can be read in two ways. */
const IN_NAME = tableOf(/[\w-]/);
const IN_VALUE = tableOf(/[ -~]/);
const [SPACE, COLON] = [0x20, 0x3a];

export const LINE_END = Buffer.from("\r\n");
/** The value of Connection that changes nothing. */
export const KEEP_ALIVE = Buffer.from("keep-alive");

/** Where the parts of a header line are; one may be used for all lines. */
export type HeaderLine = { nameEnd: number; valueStart: number; valueEnd: number };

/** Where a line of text ends that may hold what a header's value may. */
export function endOfText(bytes: Buffer, start: number): number {
  return endOf(bytes, start, IN_VALUE);
}

/** Finds the parts of the header line that begins there; false where it is odd, or not there as a whole. */
export function findHeaderLine(bytes: Buffer, start: number, line: HeaderLine): boolean {
  const nameEnd = endOf(bytes, start, IN_NAME);
  if (nameEnd === start || bytes[nameEnd] !== COLON) return false;
  line.nameEnd = nameEnd;
  line.valueStart = bytes[nameEnd + 1] === SPACE ? nameEnd + 2 : nameEnd + 1;
  line.valueEnd = endOfText(bytes, line.valueStart);
  return isAt(bytes, line.valueEnd, LINE_END);
}
