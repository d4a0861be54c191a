import { useEffect, useState } from "preact/hooks";
import type { WatchEnd, Watched } from "../../../../src/console/contract/explorer.ts";
import { announce } from "../../announce.tsx";
import { messageOf, postForEvents } from "../../api.ts";
import { plural } from "../../format.ts";
import { useAccount } from "../../session.tsx";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/copy.tsx";
import { Card } from "../../ui/display.tsx";
import { Notice } from "../../ui/notice.tsx";
import type { SharedCall } from "./call-address.ts";
import { prettyJson } from "./lossless-json.ts";

/** Messages that are shown, newest first. */
const SHOWN = 50;
/** Characters of one. */
const MOST_TEXT = 20_000;

type Message = { readonly number: number; readonly text: string };

/** Whether what the method asks for comes in messages of its own. */
export const isWatched = (method: string): boolean =>
  /^(?:eth_subscribe|[a-z]+Subscribe)$/.test(method);

/** What a subscription tells, until somebody stops it or leaves the page. */
export function WatchCard({ call }: { readonly call: SharedCall }) {
  const { path } = useAccount();
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [end, setEnd] = useState<string>();
  const url = path("/explorer/watch");
  const isOver = end !== undefined;
  useEffect(() => {
    if (isOver) return;
    return listen(url, call, {
      message: (text) =>
        setMessages((before) =>
          [{ number: (before[0]?.number ?? 0) + 1, text }, ...before].slice(0, SHOWN),
        ),
      end: (reason) => {
        setEnd(reason);
        announce(`The subscription has ended: ${reason}.`);
      },
    });
  }, [url, call, isOver]);
  const count = messages[0]?.number ?? 0;
  return (
    <Card title="Events">
      <div class="stack">
        <div class="row">
          <span>
            {count === 0 ? "No events yet" : plural(count, "event")}
            {count > SHOWN && `, the last ${SHOWN} are shown`}
          </span>
          {!isOver && <Button onClick={() => setEnd("you stopped it")}>Stop</Button>}
        </div>
        {isOver && <Notice>The subscription has ended: {end}.</Notice>}
        {messages.map(({ number, text }) => (
          <Code
            key={number}
            label={`Message ${number}`}
            text={prettyJson(text).slice(0, MOST_TEXT)}
            wrap
          />
        ))}
      </div>
    </Card>
  );
}

type Listener = {
  readonly message: (text: string) => void;
  /** Told once. */
  readonly end: (reason: string) => void;
};

/** Returns what ends it. It is not opened again where it is lost: each subscription costs credits. */
function listen(url: string, call: SharedCall, { message, end }: Listener): () => void {
  const ending = new AbortController();
  const read = async (): Promise<string> => {
    for await (const { event, data } of postForEvents(url, call, ending.signal)) {
      if (event === "message") message((JSON.parse(data) as Watched).message);
      else return (JSON.parse(data) as WatchEnd).reason;
    }
    return "the dashboard's server ended it";
  };
  void read()
    .catch(messageOf)
    .then((reason) => {
      if (!ending.signal.aborted) end(reason);
    });
  return () => ending.abort();
}
