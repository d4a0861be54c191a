import { parseNewEntry } from "../../access/allow-entries.ts";
import type { NetworkConfig } from "../../config/network-schema.ts";
import type { Definition } from "../../methods/definition.ts";
import { exampleOf } from "../../methods/example.ts";
import { FAMILIES, withGroups } from "../../methods/families.ts";
import { makeOwnAccount, ownAccounts, ownAccountView } from "../accounts/own-accounts.ts";
import { isOperator } from "../api/access.ts";
import type { ApiParts } from "../api/parts.ts";
import { type BoundRoute, bind } from "../api/route.ts";
import {
  checkAllowEntry,
  listNetworks,
  type Method,
  type NetworkView,
  readConfig,
  readMe,
} from "../contract/session.ts";
import { searchedLog } from "../settings.ts";

export function sessionRoutes(parts: ApiParts): BoundRoute[] {
  const { config, version, mailer, sessions } = parts;
  const gateway = gatewayUrls(parts);
  const networks = config.networks.map((network) => networkView(network, gateway));
  const names = config.networks.map(({ name }) => name);
  const requestLog = searchedLog(config) !== undefined;
  const signup = config.console?.signup ?? "closed";
  const page = {
    name: "Tollgate",
    version,
    signup,
    mail: mailer !== undefined,
    gateway,
    requestLog,
  };
  return [
    bind(readConfig, async () => page),
    bind(readMe, async ({ user, note }) => {
      const accounts = [...(await ownAccounts(parts, user))];
      const made = accounts.length === 0 ? await makeOwnAccount(parts, user) : undefined;
      if (made !== undefined) accounts.push(made.account);
      if (made?.isNew) {
        const { id, plan } = made.account;
        note({ action: "account.create", target: id, accountId: id, detail: { plan } });
      }
      const { id, email, name, twoFactor } = user;
      return {
        user: { id, email, name, twoFactor, hasPassword: await sessions.hasPassword(id) },
        operator: await isOperator(parts, user),
        accounts: accounts.map((account) => ownAccountView(account, user)),
      };
    }),
    bind(listNetworks, async () => ({ networks })),
    bind(checkAllowEntry, async ({ body }) => {
      const parsed = parseNewEntry(body.kind, body.value, names);
      return "entry" in parsed
        ? { entry: parsed.entry, fault: null }
        : { entry: null, fault: parsed.fault };
    }),
  ];
}

type GatewayUrls = { readonly httpUrl: string; readonly wsUrl: string };

function gatewayUrls({ config, gatewayUrl }: ApiParts): GatewayUrls {
  const httpUrl = config.server.publicUrl ?? gatewayUrl;
  return { httpUrl, wsUrl: httpUrl.replace(/^http/, "ws") };
}

function networkView(network: NetworkConfig, { httpUrl, wsUrl }: GatewayUrls): NetworkView {
  const { name, family } = network;
  const groups = network.family === "evm" ? network.groups : [];
  return {
    name,
    family,
    chainId: (network.family === "evm" ? network.chainId : undefined) ?? null,
    httpUrl: `${httpUrl}/${name}/v3/`,
    wsUrl: `${wsUrl}/${name}/ws/v3/`,
    methods: withGroups(FAMILIES[family], groups).methods.filter(isForPages).map(methodView),
  };
}

/** A page that shows a subscription ends it by itself. */
const isForPages = ({ own }: Definition): boolean => own !== "unsubscribe";

function methodView({ method, credits, params }: Definition): Method {
  const example = exampleOf(params);
  return {
    method,
    credits,
    params: params.map(({ name, want, role, required, fallback, members = [] }) => ({
      ...{ name, want },
      role: role ?? null,
      required: required === true,
      fallback: fallback ?? null,
      members: members.map((member) => ({
        ...{ name: member.name, want: member.want, role: member.role ?? null },
        choices: member.choices ? [...member.choices] : null,
      })),
    })),
    example: example === undefined ? null : [...example],
  };
}
