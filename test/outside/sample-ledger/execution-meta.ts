import { getBase58Decoder } from "@solana/kit";
import { FailedTransactionMetadata, type TransactionMetadata } from "litesvm";
import type { Json } from "./ordered-json.ts";
import { transactionError } from "./transaction-error.ts";

type Execution = {
  /** The members of `meta` that the execution itself tells. */
  readonly meta: { readonly [key: string]: Json };
  readonly units: bigint;
};

export function executionMeta(result: TransactionMetadata | FailedTransactionMetadata): Execution {
  const failed = result instanceof FailedTransactionMetadata;
  const ran = failed ? result.meta() : result;
  const err = failed ? transactionError(result) : null;
  const units = ran.computeUnitsConsumed();
  const meta = {
    computeUnitsConsumed: units,
    err,
    innerInstructions: innerInstructions(ran),
    logMessages: ran.logs(),
    ...returnData(ran),
    status: failed ? { Err: err } : { Ok: null },
  };
  return { meta, units };
}

function innerInstructions(ran: TransactionMetadata): Json[] {
  return ran.innerInstructions().flatMap((inner, index) => {
    const instructions = inner.map((one) => {
      const compiled = one.instruction();
      return {
        accounts: [...compiled.accounts()],
        data: getBase58Decoder().decode(compiled.data()),
        programIdIndex: compiled.programIdIndex(),
        stackHeight: one.stackHeight(),
      };
    });
    return instructions.length === 0 ? [] : [{ index, instructions }];
  });
}

/** Absent where no program returned anything. */
function returnData(ran: TransactionMetadata): { readonly [key: string]: Json } {
  const returned = ran.returnData();
  const data = returned.data();
  if (data.length === 0) return {};
  const programId = getBase58Decoder().decode(returned.programId());
  return { returnData: { data: [Buffer.from(data).toString("base64"), "base64"], programId } };
}
