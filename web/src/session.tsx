import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useEffect, useMemo, useState } from "preact/hooks";
import type { ConsoleConfig, Me, OwnAccount } from "../../src/console/contract/session.ts";
import { ApiError, accountPath, api, onSignedOut, UNREACHABLE } from "./api.ts";
import { asApiError } from "./load.ts";
import { onBack } from "./reach.ts";
import { readSetting, useSetting, writeSetting } from "./settings.ts";

/** Who is signed in, and for which account the pages speak. */
export type Session = {
  readonly config: ConsoleConfig;
  /** Undefined: nobody is signed in. */
  readonly me: Me | undefined;
  /** The account that was chosen; undefined where the person has none. */
  readonly account: OwnAccount | undefined;
  readonly selectAccount: (id: string) => void;
  /** Asks again who is signed in; after each sign-in, sign-out and change of the person. */
  readonly refresh: () => Promise<Me | undefined>;
  /** Whether a session ended while pages were open, rather than by signing out. */
  readonly expired: boolean;
};

type Known = {
  readonly config?: ConsoleConfig;
  readonly me?: Me | undefined;
  readonly expired: boolean;
  readonly error?: ApiError;
};

const Context = createContext<Session | undefined>(undefined);

/** Nobody being signed in is an answer here, not an error: so the session is asked for first. */
async function whoAmI(): Promise<Me | undefined> {
  if ((await api.get<object | null>("/auth/get-session")) === null) return undefined;
  try {
    return await api.get<Me>("/me");
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined;
    throw error;
  }
}

type Props = {
  readonly children: ComponentChildren;
  readonly waiting: ComponentChildren;
  readonly failed: (error: ApiError, retry: () => void) => ComponentChildren;
};

export function SessionProvider({ children, waiting, failed }: Props) {
  const [known, setKnown] = useState<Known>({ expired: false });
  const [chosen] = useSetting("account");
  const start = useCallback(() => {
    setKnown({ expired: false });
    Promise.all([api.get<ConsoleConfig>("/config"), whoAmI()]).then(
      ([config, me]) => setKnown({ config, me, expired: false }),
      (error: unknown) => setKnown({ expired: false, error: asApiError(error) }),
    );
  }, []);
  useEffect(start, [start]);
  const isAway = known.error?.code === UNREACHABLE;
  useEffect(() => (isAway ? onBack(start) : undefined), [isAway, start]);
  useEffect(() => {
    onSignedOut(() =>
      setKnown((before) =>
        before.me === undefined ? before : { ...before, me: undefined, expired: true },
      ),
    );
  }, []);
  const refresh = useCallback(async () => {
    const me = await whoAmI();
    setKnown((before) => ({ ...before, me, expired: false }));
    return me;
  }, []);
  const { config, me, expired } = known;
  const session = useMemo<Session | undefined>(() => {
    if (config === undefined) return undefined;
    const accounts = me?.accounts ?? [];
    return {
      config,
      me,
      account: accounts.find(({ id }) => id === chosen) ?? accounts[0],
      selectAccount: (id) => writeSetting("account", id),
      refresh,
      expired,
    };
  }, [config, me, expired, chosen, refresh]);
  if (known.error !== undefined) return failed(known.error, start);
  if (session === undefined) return waiting;
  return <Context.Provider value={session}>{children}</Context.Provider>;
}

export function useSession(): Session {
  const session = useContext(Context);
  if (session === undefined) throw new Error("useSession outside SessionProvider");
  return session;
}

const Viewed = createContext<OwnAccount | undefined>(undefined);

/** Pages that operators look at as the account's own people see them. */
export function ViewedAccount(props: {
  readonly account: OwnAccount;
  readonly children: ComponentChildren;
}) {
  return <Viewed.Provider value={props.account}>{props.children}</Viewed.Provider>;
}

/**
 * The chosen account and the path of the API for it, on pages that are shown only with an account:
 * `const { account, path } = useAccount(); useGet(path("/keys"))`.
 */
export function useAccount(): {
  readonly account: OwnAccount;
  readonly path: (rest?: string) => string;
} {
  const session = useSession();
  const account = useContext(Viewed) ?? session.account;
  if (account === undefined) throw new Error("useAccount without an account");
  return { account, path: (rest = "") => accountPath(account.id, rest) };
}

/** Forgets which account was chosen, for the next person at this browser. */
export function forgetAccount(): void {
  if (readSetting("account") !== undefined) writeSetting("account", undefined);
}
