import { expect, test } from "vitest";
import { toBinary } from "../../lib/bytes.ts";
import type { ToldBlock } from "../chain/told-block.ts";
import type { NodeQuestions } from "../node-questions.ts";
import { findBlock } from "./find-block.ts";

const HASH = `0x${"ab".repeat(32)}`;
const HEADER = {
  ...{ number: "0x2", hash: HASH, parentHash: `0x${"cd".repeat(32)}`, timestamp: "0x1" },
  gasLimit: "0x1",
  ...{ logsBloom: `0x${"0".repeat(512)}`, note: "blöck 块" },
};

test("a block's header is told in UTF-8, without what stands in whole blocks alone", () => {
  const answer = JSON.stringify({ ...HEADER, transactions: [], size: "0x1" });
  const nodes = {
    ask: ((_question, read, done) => {
      done(read(toBinary(answer)));
      return () => undefined;
    }) as NodeQuestions["ask"],
  };
  let found: ToldBlock | undefined;
  const done = (block: ToldBlock | undefined) => {
    found = block;
  };
  findBlock(nodes as NodeQuestions)({ number: 2, hash: HASH }, done);
  const told = Buffer.from(found?.told ?? "", "latin1").toString();
  expect(told).toBe(`${JSON.stringify(HEADER)},"cursor":"2.${HASH.slice(2)}"}}`);
});
