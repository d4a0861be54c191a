import {
  isAllowKind,
  MOST_ALLOW_ENTRIES,
  parseAllowEntry,
  parseNewEntry,
  TOO_MANY_ENTRIES,
} from "../../access/allow-entries.ts";
import { listsDetail } from "../../access/audit-entry.ts";
import { ALLOW_KINDS, type AllowKind, type AllowLists, type Storage } from "../../storage/store.ts";
import { CommandError, type Output, table, WITHIN_A_SECOND } from "../output.ts";
import { type AuditParts, note } from "./audit.ts";
import { findKey, label } from "./keys.ts";

export type AllowParts = AuditParts & {
  readonly storage: Pick<Storage, "keys" | "audit">;
  /** The networks of the configuration. */
  readonly networks: readonly string[];
};

export type AllowRequest = {
  readonly id: string;
  /** `KIND=VALUE` each; none: the lists are shown as they are. */
  readonly entries: readonly string[];
  readonly remove: boolean;
};

type Entry = { readonly kind: AllowKind; readonly value: string };

/**
 * `keys allow ID [--remove] KIND=VALUE…`: all entries or, where one is wrong, none.
 * @throws CommandError for an unknown key, kind, network or method, a malformed entry, an entry to be
 *   removed that is not there, and beyond 100 entries of a kind
 */
export async function allowKey(parts: AllowParts, request: AllowRequest): Promise<Output> {
  const { storage } = parts;
  const { entries, remove } = request;
  const { key } = await findKey(storage, request.id);
  const named = entries.map((text) => (remove ? readAny(text) : readNew(text, parts)));
  const allow = named.reduce(remove ? without : withEntry, key.allow);
  if (named.length > 0 && !(await storage.keys.update(key.id, { allow }, key.allow))) {
    // Another command was first: this one begins again with the lists that it left.
    return allowKey(parts, request);
  }
  if (named.length > 0) {
    const { id, accountId } = key;
    await note(parts, { accountId, action: "key.allow", target: id, detail: listsDetail(allow) });
  }
  const opened = ALLOW_KINDS.filter((kind) => key.allow[kind]?.length && !allow[kind]?.length);
  const lines = [
    ...opened.map((kind) => `no ${kind} is listed any more: the key is good for any ${kind}`),
    describe(label(key), allow),
    ...(named.length > 0 ? [WITHIN_A_SECOND] : []),
  ];
  return { json: { id: key.id, allow }, text: lines.join("\n") };
}

function describe(who: string, allow: AllowLists): string {
  const rows = ALLOW_KINDS.flatMap((kind) => (allow[kind] ?? []).map((value) => [kind, value]));
  if (rows.length === 0) return `${who} has no allow-lists: it may do all that its account may`;
  return `${who} is good for\n${table(["KIND", "VALUE"], rows)}`;
}

function readNew(text: string, { networks }: AllowParts): Entry {
  const { kind, value } = split(text);
  const parsed = parseNewEntry(kind, value, networks);
  if ("fault" in parsed) throw new CommandError(parsed.fault);
  return { kind, value: parsed.entry };
}

/** An entry to be removed may be one that is no longer let in. */
function readAny(text: string): Entry {
  const { kind, value } = split(text);
  const parsed = parseAllowEntry(kind, value);
  return { kind, value: "entry" in parsed ? parsed.entry : value };
}

function split(text: string): Entry {
  const [, kind = "", value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (isAllowKind(kind)) return { kind, value };
  // The text is not repeated: it may be the key itself.
  throw new CommandError(
    `an entry is written KIND=VALUE, such as ip=10.0.0.0/8; the kinds are ${ALLOW_KINDS.join(", ")}`,
  );
}

function withEntry(allow: AllowLists, { kind, value }: Entry): AllowLists {
  const list = allow[kind] ?? [];
  if (list.includes(value)) return allow;
  if (list.length < MOST_ALLOW_ENTRIES) return { ...allow, [kind]: [...list, value] };
  throw new CommandError(TOO_MANY_ENTRIES);
}

function without(allow: AllowLists, { kind, value }: Entry): AllowLists {
  const list = allow[kind] ?? [];
  if (!list.includes(value)) {
    const listed = list.length === 0 ? "it has none" : `it has ${list.join(", ")}`;
    throw new CommandError(
      `the key's list of kind ${kind} has no ${JSON.stringify(value)}; ${listed}`,
    );
  }
  const { [kind]: _, ...others } = allow;
  const rest = list.filter((entry) => entry !== value);
  return rest.length === 0 ? others : { ...others, [kind]: rest };
}
