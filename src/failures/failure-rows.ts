import type { ClientAnswer, FailureClass } from "./failure-classes.ts";

/**
 * One wording of one failure. Every condition that a row names must hold; the first row wins.
 * `text` is matched with and without the words that a node puts first; `detail` with each text in the error's `data`; `status` with
 * the HTTP status or a code that repeats one.
 */
export type FailureRow = {
  readonly from: string;
  readonly class: FailureClass;
  readonly code?: readonly number[];
  readonly status?: readonly number[];
  readonly event?: number;
  readonly text?: RegExp;
  readonly detail?: RegExp;
  readonly answer?: ClientAnswer;
};

/** Words anywhere in a text, save in one that speaks of a revert: those may be a contract's. */
const says = (words: string): RegExp => new RegExp(`^(?!.*\\brevert).*(?:${words})`, "is");

type Rest = Omit<FailureRow, "from" | "class" | "text">;
/** A pattern is how a text begins; a string, words that stand anywhere in it. */
type Row = readonly [from: string, match: RegExp | string | Rest, rest?: Rest];
const rows = (name: FailureClass, ...list: Row[]): FailureRow[] =>
  list.map(([from, match, rest]) => {
    if (match instanceof RegExp) return { from, class: name, text: match, ...rest };
    if (typeof match === "string") return { from, class: name, text: says(match), ...rest };
    return { from, class: name, ...match };
  });

/** Texts that begin with a node's own words, whatever code or HTTP status comes with them. */
const TEXTS: readonly FailureRow[] = [
  ...rows(
    "missing_state",
    ["Agave", /^block \d+ cleaned up/i, { code: [-32001], answer: "null" }],
    ["Agave", /^transaction history is not/i, { code: [-32011], answer: "unavailable" }],
    ["geth", /^missing trie node/i],
    ["geth", /^(?:required )?historical state\b.*\b(?:un)?(?:available|pruned)\b/i],
    ["geth", /^state (?:0x)?[0-9a-f]+ is not available/i],
    ["geth", /^state histories haven't been fully indexed/i],
    ["geth, reth, Nethermind", /^pruned history unavailable/i],
    ["geth, reth, Nethermind", { code: [4444] }],
    ["Besu", /^world state unavailable/i],
    ["Nethermind", /^no state available for block/i],
    ["reth", /^state (?:at|for) block .*\b(?:pruned|available)\b/i],
    ["reth", /^distance to target block exceeds maximum proof window/i],
    ["Kava", /^node state is pruned/i],
    ["Moonbeam", /^state already discarded/i],
    ["zkSync Era", /^block with such an id is pruned/i],
    ["OpenEthereum", /^this request is not supported because your node is running with state/i],
    ["Sei", /^(?:evm|bank) module does not exist on height/i],
    ["Cosmos chains", /^height \d+ is not available, lowest height/i],
    ["Lotus", /^bad tipset height/i],
    ["op-geth", /^no historical rpc is available/i],
    ["Chainstack", /^archive, debug and trace requests are not available/i],
    ["Infura", /^project id does not have access to archive state/i],
  ),
  ...rows("indexing", ["geth", /^(?:transaction )?indexing (?:is )?(?:still )?in progress/i]),
  ...rows(
    "block_unknown",
    ["Agave", /^block not available for slot/i, { code: [-32004] }],
    ["Agave", /^block status not yet available/i, { code: [-32014], answer: "unavailable" }],
    ["Agave", /^minimum context slot/i, { code: [-32016] }],
    ["geth", /^header (?:for hash )?not found/i],
    ["geth", /^(?:safe|finalized|pending|latest) block (?:is )?not (?:found|available)/i],
    ["geth", /^hash is not currently canonical/i],
    ["geth, logs", /^request beyond head block|^block range extends beyond current head/i],
    ["geth, Besu, OpenEthereum, Alchemy", /^unknown block\b/i],
    ["Erigon, reth", /^block\b(?: \S+){0,3}? (?:was )?not found/i],
    ["anvil", /^(?:requested )?resource not found/i, { code: [-32001] }],
    ["anvil", /^blockoutofrangeerror/i],
    ["ethereumjs", /^specified block greater than current height/i],
    ["hardhat", /^received invalid block tag \d+\. latest block number is/i],
    ["Nitro", /^unsupported block number/i],
    ["Avalanche", /^cannot query unfinalized data|^requested .*\bafter last accepted block/i],
    ["Besu", { code: [-39001] }],
  ),
  ...rows(
    "not_found",
    ["Agave", /^slot \d+ was skipped/i, { code: [-32007, -32009] }],
    ["ganache", /^cannot read properties of undefined \(reading 'toJSON'\)/i],
    ["reth", /^(?:transaction|receipt|uncle)\b(?: \S+){0,3}? not found/i],
  ),
  ...rows(
    "halt",
    ["geth", /^(?:contract creation code storage )?out of gas|^gas required exceeds allowance/i],
    ["geth", /^invalid (?:opcode|jump|code: must not begin)|^gas uint64 overflow/i],
    ["geth", /^stack (?:limit reached|underflow|overflow)|^return data out of bounds/i],
    ["geth", /^max (?:code size exceeded|call depth)|^write protection/i],
    ["anvil, revm", /^evm error\b/i],
    ["hardhat", /^transaction ran out of gas/i],
    ["OpenEthereum", /^vm execution error|^the execution failed due to an exception/i],
    ["java-tron", /^not enough energy/i],
  ),
  ...rows(
    "call_rejected",
    ["geth", /^insufficient (?:funds|balance|gas for floor data)/i],
    ["geth", /^intrinsic gas\b|^nonce too (?:low|high)|^max initcode size exceeded/i],
    ["geth", /^max (?:priority )?fee per gas (?:higher|less|lower|greater) than/i],
    ["geth", /^sender not an eoa|^transaction (?:underpriced|type not supported)/i],
    ["geth", /^eip-7702 transaction|^blob (?:transaction|\d+ has)/i],
    ["geth forks", "exceeds block gas limit|\\b(?:fee|price)\\b.{0,30} than (?:block )?base ?fee"],
    ["anvil", /^invalid input: `max_priority_fee_per_gas`/i],
    ["hardhat", /^transaction requires (?:at least|gas floor)/i],
    ["hardhat", /^transaction gas limit \(\d+\) is greater/i],
    ["hardhat", /^maxpriorityfeepergas \(\d+\) is bigger/i],
    ["ethereumjs", /^tx gas limit \d+ is lower/i],
    ["Besu", /^upfront cost exceeds/i],
    ["QuickNode", /^transaction cost exceeds current gas limit/i],
  ),
  ...rows(
    "too_large",
    ["geth, logs", /^exceed maximum block range|^(?:block )?range (?:is )?(?:too|exceeds|limit)/i],
    ["Infura", /^query returned more than/i],
    ["QuickNode", /^eth_getlogs is limited to/i],
    ["QuickNode", { code: [-32602], detail: /^the range .* exceeds the range allowed/i }],
    ["QuickNode", { code: [-32614] }],
    ["reth", /^re(?:sponse|quest) is too big/i],
  ),
  ...rows(
    "invalid_params",
    ["Agave", /^transaction version \(\d+\) is not/i, { code: [-32015], answer: "node_error" }],
    ["geth", /^batch too large/i, { code: [-32600] }],
    ["geth, ganache", /^both gasprice and \(maxfeepergas|^missing value for/i],
    ["geth", /^unable to decode storage key|^invalid (?:argument|param|request|block range)/i],
    ["geth", /^chainid does not match|^account \S+ has both 'state'/i],
    ["geth", /^exceed max (?:addresses|topics)|^too many arguments/i],
    ["hardhat", /^cannot send both gasprice/i],
    ["ethereumjs", /^hex string expected/i],
  ),
  ...rows(
    "execution_timeout",
    ["geth, Erigon", /^(?:evm )?execution (?:aborted|time(?:out|d out))/i],
    ["Besu", /^timeout expired/i],
  ),
  ...rows(
    "method_unknown",
    ["geth", /^(?:the )?method \S* ?(?:does not exist|(?:is )?not (?:available|found|supported))/i],
    ["Besu", /^method not enabled/i],
    ["Besu", { code: [-32604] }],
    [
      "proxyd",
      /^(?:the )?(?:rpc )?method (?:\S+ )??(?:is )?(?:not (?:whitelisted|allowed)|disabled)/i,
    ],
    ["geth", /^notifications not supported/i],
    ["Alchemy", /^unsupported method\b|^\w+ is not available on (?:the|this|your)\b/i],
    ["QuickNode", { code: [-32612, -32613] }],
    ["Chainstack", /^access to archival, debug, or trace data is not included/i],
  ),
  ...rows(
    "syncing",
    ["Agave", /^node is (?:behind|unhealthy)/i],
    ["Besu", /^initial sync\b/i],
    ["OpenEthereum", /^still syncing/i],
    ["forks", /^(?:the )?node is (?:still |not )?(?:fully )?(?:sync|ready)/i],
  ),
  ...rows(
    "internal",
    ["Agave", /^failed to query long-term storage/i],
    ["geth, Nitro", /^(?:leveldb|pebble)\b/i],
  ),
  // A file that is damaged says nothing against the others, and is the operator's to know.
  ...rows("unknown", [
    "Tollgate's ledger of files",
    /^blocks?(?: \d+)?: |^no block up to \d+/,
    { code: [-32000], answer: "unavailable" },
  ]),
];

/** Codes under which nodes repeat the client's own words, which no row below may read. */
const ECHOES = rows("invalid_params", ["JSON-RPC 2.0; ganache", { code: [-32602, -32700] }]);

/** The words of vendors about themselves, in many wordings. */
const WORDS: readonly FailureRow[] = [
  ...rows(
    "rate_limited",
    ["QuickNode", "\\b(?:requests?|calls|credits|units)\\b.{0,40}(?:per (?:sec|min)|/s(?:ec)?\\b)"],
    ["QuickNode", "\\d+/s(?:ec(?:ond)?)? request limit"],
  ),
  ...rows(
    "billing",
    ["Infura, a key's day", { event: -33400 }],
    ["Alchemy, Infura", "\\b(?:monthly|daily)\\b.*\\b(?:exceeded|reached|limit|exhausted)"],
    ["eRPC", "\\bquota\\b|free tier limit|plan limit|payment required|billing"],
    ["vendors", "(?:insufficient|out of|no more) credits|credits (?:exhausted|exceeded|used up)"],
    ["vendors", "(?:subscription|plan) (?:has |is )?(?:expired|inactive|cancell?ed)"],
  ),
  ...rows(
    "rate_limited",
    ["alloy, dRPC", "too many requests|\\brate[- ]?limit|request rate|throttl|slow down"],
    ["vendors", "requests? (?:limit|count) (?:reached|exceeded)|exceeded its .{0,40}capacity"],
  ),
  ...rows(
    "overloaded",
    ["proxyd", "over capacity|backend (?:is )?offline|no (?:backend|healthy upstream)"],
    ["eRPC", "too much load|overloaded|no (?:server (?:is )?available|available server)"],
    ["vendors", "service (?:is )?(?:temporarily |currently )?unavailable"],
    ["reth", "server (?:is )?(?:too )?busy"],
  ),
  ...rows(
    "timeout",
    ["geth", "(?:request|gateway|upstream|connection|server|i/o) time(?:d[- ]?)?[- ]?out"],
    ["eRPC", "handling timeout|deadline exceeded"],
  ),
  ...rows(
    "unauthorized",
    ["QuickNode, Alchemy", "\\bunauthori[sz]ed|authenticat|\\bforbidden\\b|access denied"],
    [
      "eRPC",
      "(?:invalid|missing|unknown|expired|wrong) (?:api|access|project|auth)[- ]?(?:key|id|token)",
    ],
    ["BlockPI", "api[- ]?key (?:is |has |not |required|invalid|expired|disabled|revoked|missing)"],
    ["dRPC", /^token is (?:invalid|expired)/i],
    ["Infura", "project id (?:settings|required)|account (?:is |has been )?(?:suspended|disabled)"],
  ),
  ...rows(
    "too_large",
    [
      "geth, proxyd",
      "(?:response|request|result|body|payload|query|range) .{0,40}too (?:large|big)",
    ],
    ["vendors", "(?:response|result) size .{0,20}exceed|range (?:is )?limited"],
    ["eRPC", "too many (?:results|logs)|(?:exceeds|max|maximum) .{0,20}(?:results|block range)"],
  ),
  ...rows(
    "missing_state",
    ["vendors", "\\bpruned\\b|missing trie node|archiv(?:e|al) (?:state|data|node)"],
    ["vendors", "(?:historical|old) (?:state|data) .{0,40}available"],
  ),
  ...rows("syncing", [
    "vendors",
    "\\bnode is (?:still )?syncing|\\bnot (?:yet )?synced|out of sync",
  ]),
  ...rows(
    "internal",
    ["JSON-RPC 2.0", "internal (?:server |json-rpc )?error"],
    ["eRPC, nodecore", "temporary server issue|crashed|bad gateway"],
    ["proxyd", "backend returned an invalid response"],
    ["proxies", "connection (?:refused|reset|closed)|unexpected eof|broken pipe|no such host"],
  ),
];

/** Where the words say nothing. */
const STATUSES_AND_CODES: readonly FailureRow[] = [
  ...rows("halt", ["ganache, hardhat", /^(?:error: )?vm exception while processing transaction/i]),
  ...rows("missing_state", ["op-geth", /^historical backend error/i]),
  ...rows("method_unknown", ["JSON-RPC 2.0", { code: [-32601] }]),
  ...rows("rate_limited", ["HTTP", { status: [429] }]),
  ...rows("billing", ["HTTP", { status: [402] }]),
  ...rows("unauthorized", ["HTTP; 404 for a path with no key", { status: [401, 403, 404, 407] }]),
  ...rows("invalid_params", ["HTTP", { status: [405, 415] }]),
  ...rows("too_large", ["HTTP", { status: [413, 414, 431] }]),
  ...rows("timeout", ["HTTP, Cloudflare", { status: [408, 504, 522, 524] }]),
  ...rows("overloaded", ["HTTP, Cloudflare", { status: [503, 521, 523, 529] }]),
  ...rows("internal", ["HTTP, Cloudflare", { status: [502, 520, 525, 526] }]),
  ...rows("rate_limited", ["EIP-1474; Cloudflare; alloy", { code: [-32005, 1008, -32055] }]),
  ...rows("invalid_params", ["JSON-RPC 2.0", { code: [-32600] }]),
  ...rows("internal", ["JSON-RPC 2.0", { code: [-32603] }]),
];

/** Adding a vendor's quirk is adding a row; the first that matches counts. */
export const FAILURE_ROWS: readonly FailureRow[] = [
  ...TEXTS,
  ...ECHOES,
  ...WORDS,
  ...STATUSES_AND_CODES,
];
