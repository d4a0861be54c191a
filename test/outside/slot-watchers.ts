/** What clients of Solana nodes tell their users of by themselves. */
import { createSolanaRpcSubscriptions, signature as signatureOf } from "@solana/kit";
import { Connection, PublicKey } from "@solana/web3.js";

export type SlotWatch = {
  readonly http: string;
  readonly ws: string;
  /** Of a transaction that is waited for. */
  readonly signature: string;
  readonly account: string;
};

export type SlotHeard = {
  readonly slots: unknown[];
  readonly logs: unknown[];
  readonly signatures: unknown[];
  readonly accounts: unknown[];
};

export type SlotWatching = {
  readonly heard: SlotHeard;
  /** Once a transaction is confirmed: its error, or null. */
  readonly confirmed: Promise<unknown>;
  readonly end: () => Promise<void>;
};

const heardNothing = (): SlotHeard => ({ slots: [], logs: [], signatures: [], accounts: [] });

export async function watchSlotsWithWeb3({
  http,
  ws,
  signature,
  account,
}: SlotWatch): Promise<SlotWatching> {
  const connection = new Connection(http, { commitment: "confirmed", wsEndpoint: ws });
  const heard = heardNothing();
  const slots = connection.onSlotChange((slot) => heard.slots.push(slot));
  const logs = connection.onLogs("all", (one, { slot }) => heard.logs.push({ slot, ...one }));
  const accounts = connection.onAccountChange(new PublicKey(account), ({ lamports }, { slot }) =>
    heard.accounts.push({ slot, lamports }),
  );
  connection.onSignature(signature, ({ err }, { slot }) => heard.signatures.push({ slot, err }));
  const { value } = await connection.getLatestBlockhashAndContext();
  const confirmed = connection.confirmTransaction({ signature, ...value }, "confirmed");
  return {
    heard,
    confirmed: confirmed.then((result) => result.value.err),
    end: async () => {
      await connection.removeSlotChangeListener(slots);
      await connection.removeOnLogsListener(logs);
      await connection.removeAccountChangeListener(accounts);
    },
  };
}

export async function watchSlotsWithKit({
  ws,
  signature,
}: Pick<SlotWatch, "ws" | "signature">): Promise<Pick<SlotWatching, "heard" | "end">> {
  const heard = heardNothing();
  const subscriptions = createSolanaRpcSubscriptions(ws);
  const abort = new AbortController();
  const options = { abortSignal: abort.signal };
  const into = async (all: unknown[], told: AsyncIterable<unknown>): Promise<void> => {
    for await (const one of told) all.push(one);
  };
  const slots = await subscriptions.slotNotifications().subscribe(options);
  const signatures = await subscriptions
    .signatureNotifications(signatureOf(signature), { commitment: "confirmed" })
    .subscribe(options);
  const ends = [into(heard.slots, slots), into(heard.signatures, signatures)];
  return {
    heard,
    end: async () => {
      abort.abort();
      await Promise.allSettled(ends);
    },
  };
}
