import type { BloomText } from "../bloom.ts";

/** A block as subscribers are told of it. */
export type ToldBlock = {
  /** Of a slot network, its slot. */
  readonly number: number;
  readonly hash: string;
  readonly parentNumber: number;
  readonly parentHash: string;
  /** Of the contracts and topics of its logs, where its header has one; else empty. */
  readonly bloom: BloomText | "";
  /** Where somebody stands who was told of it. */
  readonly cursor: string;
  /** As those are told who follow all blocks, with the end of that notification, in UTF-8 bytes. */
  readonly told: string;
};

/** Where someone stands who is told of a chain. */
export type Standpoint = { readonly number: number; readonly hash: string };

export const parentOf = ({ parentNumber, parentHash }: ToldBlock): Standpoint => ({
  number: parentNumber,
  hash: parentHash,
});

/** What comes next for who stands somewhere: a block joins, or the one where it stands has left the chain. */
export type Step = {
  readonly kind: "joins" | "leaves";
  readonly block: ToldBlock;
  /** It is higher than the head that is known here, of another branch: the head may be about to change to that. */
  readonly isAhead?: boolean;
};

/** `here`: there is nothing to tell. `unknown`: nodes have to be asked. */
export type NextStep = Step | "here" | "unknown";

export function isSameStep(one: NextStep, other: NextStep): boolean {
  if (typeof one === "string" || typeof other === "string") return one === other;
  return one.kind === other.kind && one.block.hash === other.block.hash;
}
