import "./explorer.css";
import { useState } from "preact/hooks";
import type { ExplorerReply } from "../../../../src/console/contract/explorer.ts";
import type { Method, Networks, NetworkView } from "../../../../src/console/contract/session.ts";
import { announce } from "../../announce.tsx";
import { api } from "../../api.ts";
import { useGet } from "../../load.ts";
import { Link, navigate } from "../../router.tsx";
import { useAccount } from "../../session.tsx";
import { Card, PageHead, Skeleton } from "../../ui/display.tsx";
import { Select } from "../../ui/field.tsx";
import { Empty, LoadFault } from "../../ui/notice.tsx";
import { readAddress, type SharedCall, writeAddress } from "./call-address.ts";
import { CallForm, type Draft } from "./call-form.tsx";
import { CallResult } from "./call-result.tsx";
import { type MadeCall, useHistory } from "./history.ts";
import { HistoryCard } from "./history-card.tsx";
import { MethodPicker } from "./method-picker.tsx";
import { initialTexts, textsOf } from "./param-texts.ts";
import { requestText } from "./request-text.ts";
import { isWatched, WatchCard } from "./watch-card.tsx";

/** A console to try each method of each network. */
export function ExplorerPage() {
  const { data, error, reload } = useGet<Networks>("/networks");
  const [first] = data?.networks ?? [];
  return (
    <>
      <PageHead title="Explorer">
        Try any method. Each call goes through the gateway with its own key, costs the usual
        credits, and counts in your <Link to="/usage">usage</Link>.
      </PageHead>
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      {data === undefined && error === undefined && <Skeleton lines={8} />}
      {data !== undefined && first === undefined && (
        <Empty icon="network" title="No networks yet">
          This gateway serves no networks. An operator can add one under <code>networks</code> in
          its configuration.
        </Empty>
      )}
      {data !== undefined && first !== undefined && (
        <Bench networks={[first, ...data.networks.slice(1)]} />
      )}
    </>
  );
}

type Chosen = { readonly network: NetworkView; readonly method: Method; readonly draft: Draft };
type Some<T> = readonly [T, ...T[]];

const BEGINNERS: readonly string[] = ["eth_blockNumber", "getSlot"];

/** The method of that name, else one that needs nothing. */
function methodOf({ methods }: NetworkView, name: string): Method {
  const found = methods.find(({ method }) => method === name);
  const beginner = methods.find(({ method }) => BEGINNERS.includes(method));
  return found ?? beginner ?? methods[0] ?? { method: name, credits: 0, params: [], example: null };
}

/** Params of a call that is opened again, as the form's texts where it can show them. */
function draftOf(method: Method, params: readonly unknown[] | undefined): Draft {
  if (params === undefined) return { texts: initialTexts(method.params) };
  const texts = textsOf(method.params, params);
  return texts === undefined ? { raw: requestText(method.method, params) } : { texts };
}

function chosenFrom(networks: Some<NetworkView>, search: string): Chosen {
  const shared = readAddress(search);
  const network = networks.find(({ name }) => name === shared.network) ?? networks[0];
  const method = methodOf(network, shared.method);
  const isKnown = method.method === shared.method;
  return { network, method, draft: draftOf(method, isKnown ? shared.params : undefined) };
}

function Bench({ networks }: { readonly networks: Some<NetworkView> }) {
  const { account, path } = useAccount();
  const { calls, add } = useHistory(account.id);
  const [{ network, method, draft }, setChosen] = useState(() =>
    chosenFrom(networks, location.search),
  );
  const [shown, setShown] = useState<MadeCall>();
  const [watched, setWatched] = useState<WatchedCall>();

  const choose = (to: NetworkView, name: string, params?: readonly unknown[]) => {
    const next = methodOf(to, name);
    setChosen({ network: to, method: next, draft: draftOf(next, params) });
    const address = writeAddress({ network: to.name, method: next.method, params });
    navigate(address, { replace: true });
  };
  const send = async (name: string, params: readonly unknown[]) => {
    const call = { network: network.name, method: name, params };
    navigate(writeAddress(call), { replace: true });
    if (isWatched(name)) {
      setWatched((before) => ({ call, id: (before?.id ?? 0) + 1 }));
      return;
    }
    setWatched(undefined);
    const reply = await api.post<ExplorerReply>(path("/explorer"), call);
    setShown(add({ ...call, reply }));
    announce(`Answer of ${name}: status ${reply.status}, ${reply.credits} credits.`);
  };
  const open = (call: MadeCall) => {
    setWatched(undefined);
    setShown(call);
    const of = networks.find(({ name }) => name === call.network);
    if (of !== undefined) choose(of, call.method, call.params);
  };
  return (
    <>
      <div class="bench">
        <Card title="Call">
          <div class="stack">
            <Select
              name="network"
              label="Network"
              choices={networks.map(({ name }) => ({ value: name, label: name }))}
              value={network.name}
              onChange={(to) => {
                const of = networks.find(({ name }) => name === to);
                if (of !== undefined) choose(of, method.method);
              }}
            />
            <MethodPicker
              methods={network.methods}
              value={method.method}
              onChange={(name) => choose(network, name)}
            />
            <CallForm
              key={`${network.name} ${method.method}`}
              {...{ network, method, draft }}
              onDraft={(next) => setChosen({ network, method, draft: next })}
              onMethod={(name, params) => choose(network, name, params)}
              onSend={send}
            />
          </div>
        </Card>
        <Outcome {...{ shown, watched }} />
      </div>
      {calls.length > 0 && <HistoryCard calls={calls} onOpen={open} />}
    </>
  );
}

type WatchedCall = { readonly call: SharedCall; readonly id: number };
type OutcomeProps = {
  readonly shown: MadeCall | undefined;
  readonly watched: WatchedCall | undefined;
};

function Outcome({ shown, watched }: OutcomeProps) {
  if (watched !== undefined) return <WatchCard key={watched.id} call={watched.call} />;
  return shown === undefined ? <Waiting /> : <CallResult key={shown.id} call={shown} />;
}

function Waiting() {
  return (
    <Card title="Answer">
      <Empty icon="explorer" title="No call yet">
        Choose a method and send it. The answer appears here with its cost, its time, the block it
        is for, and the node that served it.
      </Empty>
    </Card>
  );
}
