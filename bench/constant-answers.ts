import { blockText, HEAD_NUMBER, receiptOf, smallBlock } from "./chain.ts";
import type { Scenario } from "./scenarios.ts";

/** The bodies that the floors answer, by the last part of the path: of the sizes that Tollgate's have. */
const CONSTANT_ANSWERS: Readonly<Record<Scenario["answer"], string>> = {
  word: answer('"0x1"'),
  block: answer(blockText(smallBlock(), HEAD_NUMBER - 200)),
  receipt: answer(receiptOf(`0x${"5a".repeat(32)}`)),
};

/** The answer of a path such as `/block`; any other is answered as `/word` is. */
export function constantOf(path: string | undefined): string {
  const name = path?.slice(1) ?? "";
  return name in CONSTANT_ANSWERS
    ? CONSTANT_ANSWERS[name as Scenario["answer"]]
    : CONSTANT_ANSWERS.word;
}

function answer(result: string): string {
  return `{"jsonrpc":"2.0","id":1,"result":${result}}`;
}
