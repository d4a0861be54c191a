import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestConsole, type TestConsole } from "../console/support/test-console.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { openRaw, readAnswers } from "../support/raw-connection.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { CHAIN_ID } from "./ask.ts";

let node: StandInNode;
let gateway: TestGateway;
let desk: TestConsole;
beforeAll(async () => {
  node = await startStandInNode();
  const upstreams = [{ name: "a", url: node.url }];
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
  });
  desk = await startTestConsole();
});
afterAll(async () => {
  await desk?.stop();
  await gateway?.stop();
  await node?.stop();
});

const UPGRADES = ["h2c", "TLS/1.0", "websocket2", "h2c, websocket"];

const request = (start: string, upgrade: string | undefined, body = "") =>
  [
    `${start} HTTP/1.1`,
    "Host: localhost",
    ...(upgrade === undefined
      ? []
      : [
          "Connection: Upgrade, HTTP2-Settings",
          `Upgrade: ${upgrade}`,
          "HTTP2-Settings: AAMAAABkAAQAAP__",
        ]),
    ...(body === "" ? [] : [`Content-Length: ${body.length}`]),
    "",
    body,
  ].join("\r\n");

/** What comes after a request that asks for another protocol, and what is answered until the end. */
async function answersTo(port: number, first: string, second: string) {
  const connection = await openRaw(port);
  connection.send(first + second);
  return readAnswers(await connection.closed);
}

describe.each(UPGRADES)(
  "a request that asks for %s is answered, and then the connection is closed",
  (upgrade) => {
    test("of the public port", async () => {
      const target = `POST /net/v3/${gateway.key}`;
      const first = request(target, upgrade, CHAIN_ID);
      const answers = await answersTo(gateway.port, first, request(target, undefined, CHAIN_ID));
      expect(answers.map(({ status }) => status)).toEqual([200]);
      expect(answers[0]?.head).toMatch(/\r\nconnection: close/i);
    });

    test("of the admin port", async () => {
      const first = request("GET /healthz", upgrade);
      const answers = await answersTo(gateway.adminPort, first, request("GET /healthz", undefined));
      expect(answers.map(({ status }) => status)).toEqual([200]);
      expect(answers[0]?.head).toMatch(/\r\nconnection: close/i);
    });

    test("of the dashboard's port", async () => {
      const first = request("GET /api/config", upgrade);
      const answers = await answersTo(desk.port, first, request("GET /api/config", undefined));
      expect(answers.map(({ status }) => status)).toEqual([200]);
      expect(answers[0]?.head).toMatch(/\r\nconnection: close/i);
    });
  },
);
