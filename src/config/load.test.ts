import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { temporaryFolder } from "../../test/support/written.ts";
import { DEFAULT_WIRE } from "./default-wire.ts";
import { ConfigError, type Fault } from "./faults.ts";
import { loadConfig, parseConfig } from "./load.ts";
import { configJsonSchema } from "./schema.ts";

const folder = temporaryFolder("config");

const NETWORK = `
networks:
  - name: mainnet
    family: evm
    upstreams:
      - { name: a, url: "http://127.0.0.1:8545" }
`;

const read = (text: string, environment: NodeJS.ProcessEnv = {}) =>
  parseConfig(text, { baseDir: "/base", environment });

function faults(text: string, environment: NodeJS.ProcessEnv = {}): readonly Fault[] {
  try {
    read(text, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

const fault = (path: string, message: string | RegExp, line: number = expect.any(Number)) => ({
  path,
  line,
  message: typeof message === "string" ? message : expect.stringMatching(message),
});

/** A file of one network with this text under `networks[0]`, and this one under its upstream. */
const withNetwork = (network: string, upstream = "", family = "evm") => `
networks:
  - name: n
    family: ${family}
${network.replace(/^(?=.)/gm, "    ")}
    upstreams:
      - name: a
        url: http://127.0.0.1:8545
${upstream.replace(/^(?=.)/gm, "        ")}
`;

describe("defaults", () => {
  test("a file of one network and one upstream is enough", () => {
    expect(read(NETWORK)).toEqual({
      server: {
        wire: DEFAULT_WIRE,
        host: "127.0.0.1",
        port: 8545,
        workers: 1,
        trustProxy: [],
        keepAliveMs: 65_000,
        shutdownTimeoutMs: 10_000,
        websocket: { maxCallsInAir: 1000, maxConnectionsPerKey: 1000 },
      },
      storage: {
        url: "sqlite:/base/data/tollgate.db",
        schema: "tollgate",
        poolSize: 10,
        statementTimeoutMs: 5000,
      },
      fleet: {},
      keys: { memoryBytes: 268_435_456 },
      usage: { keep: { minutes: 172_800_000, hours: 7_776_000_000, days: 63_072_000_000 } },
      cache: { memoryBytes: 268_435_456 },
      log: { level: "info" },
      plans: {
        free: { dailyCredits: 3_000_000, creditsPerSecond: 500, failover: false, maxKeys: 5 },
        developer: {
          dailyCredits: 15_000_000,
          creditsPerSecond: 4000,
          failover: false,
          maxKeys: 5,
        },
        team: { dailyCredits: 75_000_000, creditsPerSecond: 40_000, failover: false },
        growth: { dailyCredits: 200_000_000, creditsPerSecond: 40_000, failover: true },
        custom: { dailyCredits: 0, creditsPerSecond: 0, failover: true },
      },
      networks: [
        {
          name: "mainnet",
          family: "evm",
          hosts: [],
          timeoutMs: 8000,
          maxResponseBytes: 67_108_864,
          strictParams: false,
          unknownKeys: "pass",
          pendingBlock: "documented",
          signatures: "node",
          pendingTransactions: false,
          groups: [],
          confirmations: 1,
          hedgeShare: 0.1,
          upstreams: [
            {
              name: "a",
              url: "http://127.0.0.1:8545",
              role: "primary",
              headers: {},
              maxConnections: 64,
              lacks: [],
              archive: "auto",
              batch: 0,
            },
          ],
        },
      ],
    });
  });

  test("a plan that is built in keeps what the file does not name; a new one joins it", () => {
    const plans: Readonly<Record<string, unknown>> = read(
      `${NETWORK}plans: { free: { dailyCredits: 7 }, mine: { dailyCredits: 1, creditsPerSecond: 2 } }`,
    ).plans;
    expect(plans["free"]).toEqual({
      dailyCredits: 7,
      creditsPerSecond: 500,
      failover: false,
      maxKeys: 5,
    });
    expect(plans["mine"]).toEqual({ dailyCredits: 1, creditsPerSecond: 2, failover: false });
    expect(plans["growth"]).toMatchObject({ dailyCredits: 200_000_000 });
    expect(plans["constructor"]).toBeUndefined();
  });

  test("relative paths begin at the file's folder, absolute ones stay", () => {
    const { cache, storage, networks } = read(`
storage: { url: "sqlite:///var/t.db" }
cache: { disk: { path: ../c } }
networks:
  - { name: s, family: slot, upstreams: [{ name: l, url: "file:./my ledger" }, { name: m, url: "file:/m" }] }
`);
    expect(storage.url).toBe("sqlite:/var/t.db");
    const { storage: shared } = read(`
${NETWORK}storage: { url: "postgres://a%40:b%2F@h/d?sslmode=verify-ca&sslrootcert=ca.pem" }
`);
    expect(shared.url).toBe(
      "postgres://a%40:b%2F@h/d?sslmode=verify-ca&sslrootcert=%2Fbase%2Fca.pem",
    );
    expect(cache.disk).toEqual({ path: "/c", maxBytes: 10_737_418_240 });
    expect(networks[0]?.upstreams.map(({ url }) => url)).toEqual([
      "file:/base/my ledger",
      "file:/m",
    ]);
  });

  test("hosts are compared as Host headers are: lower case, no trailing dot", () => {
    expect(read(withNetwork("hosts: [RPC.Example.COM.]")).networks[0]?.hosts).toEqual([
      "rpc.example.com",
    ]);
  });
});

describe("faults", () => {
  test("all of a file are reported at once, in the order of its lines, each with path and line", () => {
    const text = `server:
  prot: 1
  port: "80"
  tls: { cert: none.pem }
colour: blue
networks:
  - name: ws
    family: evm
    chainId: 1.5
    upstreams:
      - { name: a, url: "ftp://10.0.0.1", ws: "http://x" }
      - name: a
        urls: http://10.0.0.1
  - family: slots
    hosts: [rpc.example.com, "https://rpc.example.com"]
    upstreams: []
  - { name: s, family: slot, chainId: 5, upstreams: [{ name: l, url: "file:l", ws: "ws://x" }] }
  - { name: s, family: slot, hosts: [RPC.example.com], upstreams: [{ name: l, url: "\${NOPE}" }] }
`;
    expect(faults(text)).toEqual([
      fault("server.prot", "is no key that is known here; did you mean port?", 2),
      fault("server.port", "is text, where a number is needed", 3),
      fault("server.tls.cert", "can't be read: /base/none.pem; a PEM file is needed", 4),
      fault("server.tls.key", "is missing; text is needed", 4),
      fault("colour", /^is no key that is known here; the keys here are server, admin, /, 5),
      fault("networks[0].name", "may not be v3 or ws; choose another name", 7),
      fault("networks[0].chainId", "is a fraction, where a whole number is needed", 9),
      fault("networks[0].upstreams[0].url", /^is no URL .*; write it as http:/, 11),
      fault("networks[0].upstreams[0].ws", /^is no URL .*; write it as ws:/, 11),
      fault(
        "networks[0].upstreams[1].name",
        "is the name of an upstream here already; choose another",
        12,
      ),
      fault("networks[0].upstreams[1].url", "is missing; text is needed", 12),
      fault("networks[0].upstreams[1].urls", "is no key that is known here; did you mean url?", 13),
      fault("networks[1].family", "is no family; choose one of evm, slot", 14),
      fault("networks[1].name", "is missing; text is needed", 14),
      fault("networks[1].hosts[1]", "is no host name; leave out scheme, port and path", 15),
      fault("networks[1].upstreams", "is an empty list; at least one is needed", 16),
      fault("networks[2].chainId", "is only for networks of family evm", 17),
      fault("networks[3].hosts[0]", "is a host of a network already; choose another", 18),
      fault("networks[3].name", "is the name of a network already; choose another", 18),
      fault("networks[3].upstreams[0].url", /^the environment variable NOPE is not set; /, 18),
    ]);
  });

  const rows: [string, string, string | RegExp][] = [
    ["", "networks", "is missing; a list is needed"],
    ["networks: []", "networks", "is an empty list; at least one is needed"],
    ["just words", "", "is text, where a group of keys is needed"],
    [withNetwork("", "archive: yes"), "networks[0].upstreams[0].archive", /true, false and auto/],
    [
      withNetwork("", "headers: { Host: 5 }"),
      "networks[0].upstreams[0].headers.Host",
      /in quotes$/,
    ],
    [
      withNetwork("", "headers: { Content-Length: '5' }"),
      "networks[0].upstreams[0].headers.Content-Length",
      /sets itself/,
    ],
    [
      withNetwork("", 'headers: { X-A: "a\\r\\nb" }'),
      "networks[0].upstreams[0].headers.X-A",
      /characters/,
    ],
    [
      withNetwork("", "requestsPerSecond: 0"),
      "networks[0].upstreams[0].requestsPerSecond",
      /more than 0/,
    ],
    [withNetwork("hedgeShare: 2"), "networks[0].hedgeShare", "is too large; it may be at most 1"],
    [
      withNetwork("confirmations: 2"),
      "networks[0].confirmations",
      /more than the network's 1 primary/,
    ],
    [withNetwork("timeoutMs: 4000000000"), "networks[0].timeoutMs", /at most 2147483647/],
    [
      withNetwork("finalTotalDifficulty: 0xc70d815d562d3cfa955"),
      "networks[0].finalTotalDifficulty",
      /in quotes$/,
    ],
    [withNetwork("signatures: nod"), "networks[0].signatures", "is not one of node, padded"],
    [withNetwork("window: 5", "", "slot"), "networks[0].window", /only for networks of family evm/],
    [withNetwork("timeout_ms: 5"), "networks[0].timeout_ms", /did you mean timeoutMs/],
    [withNetwork("constructor: 5"), "networks[0].constructor", /no key that is known/],
    [
      withNetwork("", "", "evm").replace("http://", "file:"),
      "networks[0].upstreams[0].url",
      /file: is for slot/,
    ],
    [
      `${NETWORK}server: { trustProxy: [10.0.0.0/33] }`,
      "server.trustProxy[0]",
      /no IP address or range/,
    ],
    [
      `${NETWORK}server: { publicUrl: "https://u:p@h/?a" }`,
      "server.publicUrl",
      /more than host and path/,
    ],
    [`${NETWORK}server:`, "server", "has no value; a group of keys is needed"],
    [`${NETWORK}admin: { port: 8545 }`, "admin.port", "is the port of server too; choose another"],
    [
      `${NETWORK}usage: { keep: { hours: 5 weeks } }`,
      "usage.keep.hours",
      /no duration; write it as 30s/,
    ],
    [`${NETWORK}storage: { url: "mysql://h/d" }`, "storage.url", /write it as sqlite:PATH/],
    [`${NETWORK}console: { signupPlan: gold }`, "console.signupPlan", /no plan/],
    [`${NETWORK}admin: { host: 0.0.0.0 }`, "admin.token", /is missing; admin.host is no loopback/],
    [`${NETWORK}admin: { host: "::" }`, "admin.token", /is missing; admin.host is no loopback/],
    [`${NETWORK}admin: { token: hunter2 }`, "admin.token", /is no token; at least 32 random/],
    [`${NETWORK}console: {}`, "console.secret", /is missing; at least 32 random characters/],
    [`${NETWORK}console: { secret: hunter2 }`, "console.secret", /is too short; at least 32/],
    [
      `${NETWORK}console: {}`,
      "console.signup",
      "is invite, which sends mail: add mail, or write closed",
    ],
    [`${NETWORK}console: { signup: open }`, "console.signup", /is open, which sends mail/],
    [
      `${NETWORK}console: { publicUrl: "https://example.com/dashboard" }`,
      "console.publicUrl",
      /holds a path/,
    ],
    [
      `${NETWORK}console: { privateWebhooks: 1 }`,
      "console.privateWebhooks",
      "is a number, where true or false is needed",
    ],
    [`${NETWORK}plans: { gold: { dailyCredits: 5 } }`, "plans.gold.creditsPerSecond", /is missing/],
    [
      `${NETWORK}plans: { "a b": { dailyCredits: 5, creditsPerSecond: 1 } }`,
      'plans["…"]',
      /no plain name/,
    ],
    [`${NETWORK}mail: { url: "http://h", from: me }`, "mail.url", /smtp:/],
    [`${NETWORK}log: { level: loud }`, "log.level", /is not one of trace, /],
    [`${NETWORK}log: { level: info, level: warn }`, "log.level", "stands here twice; keep one"],
    [`${NETWORK}x: *nothing`, "x", /alias/],
    [`${NETWORK}x: &x [*x]`, "x[0]", /alias/],
    [`${NETWORK}__proto__: { a: 1 }`, "", /no plain word/],
  ];
  test.each(rows.map(([text, path, message]) => ({ text, path, message })))(
    "$path $message",
    ({ text, path, message }) => {
      expect(faults(text)).toContainEqual(fault(path, message));
    },
  );

  test("each of two listeners on one port is fine where the port is 0 or the address differs", () => {
    const desk = `{ host: "::1", port: 0, signup: closed, secret: ${"s".repeat(32)} }`;
    read(`${NETWORK}server: { port: 0 }\nadmin: { port: 0 }\nconsole: ${desk}`);
  });

  test("a dashboard needs no mail where nobody signs up, and its short secret is not shown", () => {
    const desk = `signup: closed, publicUrl: "https://gate.example.com/"`;
    const { console } = read(`${NETWORK}console: { ${desk}, secret: ${"s".repeat(32)} }`);
    expect(console?.publicUrl).toBe("https://gate.example.com");
    const short = faults(`${NETWORK}console: { ${desk}, secret: hunter2 }`);
    expect(short).toHaveLength(1);
    expect(JSON.stringify(short)).not.toContain("hunter2");
  });

  test("faults of syntax name their line and quote nothing of the file", () => {
    for (const text of [
      "a: {\n b: hunter2",
      "a: !hunter2 x",
      "a: *hunter2",
      'a: "\\hunter2"',
      "a: 1\n---\nhunter2",
      "%hunter2\n---\n",
      "a: @hunter2",
      "a: 'x' hunter2",
      "a:\n\thunter2: 1",
      `a: { b: \${hunter2} }`,
    ]) {
      const found = faults(text);
      expect(found.length, text).toBeGreaterThan(0);
      for (const { line, message } of found) {
        expect(message).not.toContain("hunter2");
        expect(line, text).toBeGreaterThan(0);
      }
    }
  });

  test("of the faults of syntax that follow from the first, none is reported", () => {
    expect(faults(`server: { port: \${PORT} }${NETWORK}`)).toEqual([fault("", /needs quotes$/, 1)]);
  });

  test("brackets without end, and aliases that multiply, are faults and not the process's end", () => {
    expect(faults("[".repeat(5000)).length).toBeGreaterThan(0);
    expect(faults(`a: ${"[".repeat(100)}${"]".repeat(100)}`)).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/nested too deeply/) }),
    );
    const doubling = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`);
    expect(faults(["a0: &a0 [1]", ...doubling].join("\n"))).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/aliases counted/) }),
    );
  });

  test("any text gives a configuration or a ConfigError, never another exception", () => {
    const words = fc.constantFrom(
      "server",
      "networks",
      "family",
      "evm",
      "slot",
      "url",
      "plans",
      "constructor",
      "toString",
      "__proto__",
      "upstreams",
      "headers",
      "port",
      `\${A}`,
      "file:",
      "free",
      "",
    );
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        words,
        fc.jsonValue(),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.oneof(words, fc.string()), tie("value"), { maxKeys: 5 }),
      ),
    })).value;
    const networks = fc.array(
      fc.record(
        {
          name: words,
          family: words,
          hosts: json,
          upstreams: fc.array(fc.record({ name: words, url: words, headers: json })),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "grapheme" }),
          json.map((value) => stringify(value)),
          fc.record({ networks, server: json, plans: json }).map((value) => stringify(value)),
          fc.string({ unit: fc.constantFrom(..."a:{}[]-,*&!'\"\n |>#%@$?\t0") }),
        ),
        (text) => {
          faults(text, { A: "1" });
        },
      ),
      { numRuns: 500 },
    );
  }, 30_000);
});

describe("variables", () => {
  test("stand for a number or a boolean where they are the whole value", () => {
    const text = `server: { port: "\${PORT}" }\n${withNetwork(`strictParams: \${STRICT}\nhedgeShare: \${SHARE}`, `archive: \${ARCHIVE}`)}`;
    const config = read(text, { PORT: "9000", STRICT: "true", SHARE: "0.5", ARCHIVE: "false" });
    expect(config.server.port).toBe(9000);
    expect(config.networks[0]).toMatchObject({ strictParams: true, hedgeShare: 0.5 });
    expect(config.networks[0]?.upstreams[0]?.archive).toBe(false);
    expect(faults(text, { PORT: "90 00", STRICT: "yes", SHARE: "2", ARCHIVE: "x" })).toEqual([
      fault("server.port", "is text, where a number is needed"),
      fault("networks[0].strictParams", "is text, where true or false is needed"),
      fault("networks[0].hedgeShare", "is too large; it may be at most 1"),
      fault("networks[0].upstreams[0].archive", /true, false and auto/),
    ]);
    expect(faults(`server: { port: "8\${PORT}" }${NETWORK}`, { PORT: "1" })).toHaveLength(1);
  });

  test("digits stay text where text is wanted", () => {
    expect(read(`${NETWORK}keys: { pepper: "\${P}" }`, { P: "00123" }).keys.pepper).toBe("00123");
  });

  test("can't bring YAML or other variables into the file", () => {
    const value = `x\nserver: { port: 1 } # \${B} \${`;
    const { keys, server } = read(`${NETWORK}keys: { pepper: "\${A}" }`, { A: value, B: "b" });
    expect(keys.pepper).toBe(value);
    expect(server.port).toBe(8545);
  });

  test("a missing or empty one is named, and nothing else is said of its value", () => {
    const text = withNetwork("", `headers: { A: '\${ONE} \${TWO}', B: '\${toString}' }`).replace(
      "http://127.0.0.1:8545",
      `\${URL}`,
    );
    expect(faults(text, { TWO: "" }).map(({ message }) => message)).toEqual([
      "the environment variable URL is not set; set it before the start",
      "the environment variable ONE is not set; set it before the start",
      "the environment variable TWO is empty; set it before the start",
      "the environment variable toString is not set; set it before the start",
    ]);
  });

  test("two dollars keep the characters, and a malformed name is a fault that does not show it", () => {
    expect(read(`${NETWORK}keys: { pepper: "a$\${B}" }`).keys.pepper).toBe(`a\${B}`);
    for (const value of [`\${}`, `\${hunter 2}`, `a\${hunter2`]) {
      const found = faults(`${NETWORK}keys: { pepper: "${value}" }`);
      expect(found).toEqual([fault("keys.pepper", /without the name of a variable/)]);
      expect(found[0]?.message).not.toContain("hunter");
    }
  });

  test("no value of a variable, and no URL, stands in a fault", () => {
    const secret = "s3cr3t-value";
    const paths = leafPaths(configJsonSchema() as Schema);
    expect(paths.length).toBeGreaterThan(50);
    for (const path of paths) {
      for (const value of [secret, `ftp://u:${secret}@h/${secret}`]) {
        const byVariable = stringify(nest(path, `\${S}`));
        const byFile = stringify(nest(path, value));
        const text = JSON.stringify([
          faults(byVariable, { S: value }),
          value === secret ? [] : faults(byFile),
        ]);
        expect(text.replaceAll(/\/base\/[^;]*/g, ""), path.join(".")).not.toContain(secret);
      }
    }
    expect(
      JSON.stringify(faults(`server: { tls: { cert: '\${S}', key: k } }`, { S: secret })),
    ).not.toContain(secret);
    expect(JSON.stringify(faults(`https://h/${secret}: { url: 1 }`))).not.toContain(secret);
  });
});

describe("loading", () => {
  test("a file that can't be read is one fault that says why", async () => {
    const missing = loadConfig(join(folder, "none.yaml"));
    await expect(missing).rejects.toThrow(
      /the configuration has a fault:\n.*none\.yaml can't be read: there is no such file/,
    );
    await expect(loadConfig(folder)).rejects.toThrow(/it is a folder/);
    writeFileSync(join(folder, "latin.yaml"), Buffer.from([0x61, 0xff]));
    await expect(loadConfig(join(folder, "latin.yaml"))).rejects.toThrow(/not UTF-8/);
  });

  test("a byte order mark is no fault, and paths begin at the file's folder", async () => {
    writeFileSync(join(folder, "a.yaml"), `\uFEFF${NETWORK}`);
    const { storage } = await loadConfig(join(folder, "a.yaml"), {});
    expect(storage.url).toBe(`sqlite:${join(folder, "data/tollgate.db")}`);
  });

  test("the error's text lists each fault on a line of its own", () => {
    expect(() => read("a: 1\nb: 2")).toThrow(
      /^the configuration has 3 faults:\n {2}a \(line 1\): .*\n {2}networks \(line 1\): .*\n {2}b \(line 2\): .*$/,
    );
  });
});

type Schema = {
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  additionalProperties?: Schema | boolean;
};

function leafPaths(schema: Schema, path: (string | number)[] = []): (string | number)[][] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    leafPaths(each, [...path, name]),
  );
  if (schema.items) inner.push(...leafPaths(schema.items, [...path, 0]));
  for (const each of schema.oneOf ?? []) inner.push(...leafPaths(each, path));
  if (typeof schema.additionalProperties === "object")
    inner.push(...leafPaths(schema.additionalProperties, [...path, "free"]));
  return inner.length > 0 ? inner : [path];
}

function nest(path: readonly (string | number)[], value: unknown): unknown {
  return path.reduceRight<unknown>(
    (inner, step) => (typeof step === "number" ? [inner] : { [step]: inner }),
    value,
  );
}
