import { Socket } from "node:net";
import pg from "pg";
import type { SystemTimers } from "../../lib/clock.ts";
import { isOutcomeUnknown, StorageError } from "../store.ts";
import type { PostgresAddress } from "./connection-url.ts";
import { isRefusal, isToRepeat, storageError } from "./faults.ts";
import { type Statement, Statements, type Values } from "./statement.ts";

export type DatabaseOptions = {
  readonly address: PostgresAddress;
  readonly schema: string;
  readonly poolSize: number;
  /** A statement that takes longer is given up, and its connection with it. */
  readonly statementTimeoutMs: number;
};

/** Of a transaction that was rolled back for the sake of another one. */
const REPEATS = 10;

/** OIDs of bigint and numeric: all figures here are below 2^53. */
const NUMBERS = [20, 1700];
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    NUMBERS.includes(oid) ? Number : pg.types.getTypeParser(oid, format as "text"),
};

/** A connection whose socket can be destroyed, so that a statement that hangs holds nothing. */
class Connection extends pg.Client {
  /** False: nobody knows what it would answer next. */
  isSound = true;
  readonly #socket: Socket;

  constructor(config: pg.ClientConfig) {
    const socket = new Socket();
    // The pool hides the password from whoever lists its options.
    super({ ...config, password: config.password, stream: () => socket });
    this.#socket = socket;
    // Without a statement in the air nobody else hears of it, and Node ends a process for it.
    this.on("error", () => {
      this.isSound = false;
    });
  }

  cut(): void {
    this.isSound = false;
    this.#socket.destroy();
  }
}

/** What runs on one connection, in a transaction or by itself. */
export type Session = {
  /** Rows; nothing is written. */
  readonly read: <Row>(sql: string, values?: Values) => Promise<readonly Row[]>;
  /** Rows of a statement that writes. */
  readonly write: <Row>(sql: string, values?: Values) => Promise<readonly Row[]>;
  /** How many rows were written. */
  readonly change: (sql: string, values?: Values) => Promise<number>;
};

export type Transaction = Session & {
  /** Statements without values, for as long as they take. */
  readonly script: (sql: string) => Promise<void>;
};

type Answer = { readonly rows: readonly unknown[]; readonly rowCount: number | null };

/**
 * A pool of connections to one database. No state is kept in a session: no prepared names, no search
 * path, so that a pooler such as PgBouncer may stand between in its transaction mode. Everything
 * rejects with a StorageError.
 */
export class PostgresDatabase implements Session {
  readonly #options: DatabaseOptions;
  readonly #statements: Statements;
  readonly #timers: Pick<SystemTimers, "after">;
  readonly #pool: pg.Pool;
  readonly traffic = { statements: 0, errors: 0, isUp: true };
  #closing: Promise<void> | undefined;
  #inAir = 0;
  #settled: () => void = () => undefined;

  constructor(options: DatabaseOptions, timers: Pick<SystemTimers, "after">) {
    const { address, schema, poolSize } = options;
    const { host, port, user, password, database, ssl, connectTimeoutMs } = address;
    this.#options = options;
    this.#statements = new Statements(schema);
    this.#timers = timers;
    this.#pool = new pg.Pool({
      ...{ host, port, user, database, ssl, types },
      // Else it would be looked for in the files of the user's home.
      password: password ?? "",
      max: poolSize,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      application_name: "tollgate",
      Client: Connection as unknown as new () => pg.ClientBase,
    });
    // Of a connection that is in nobody's hands; the pool drops it.
    this.#pool.on("error", () => undefined);
  }

  get name(): string {
    return this.#options.address.name;
  }

  get schema(): string {
    return this.#options.schema;
  }

  /** For what brings its own statements. It must not be ended. */
  get pool(): pg.Pool {
    return this.#pool;
  }

  async read<Row>(sql: string, values: Values = {}): Promise<readonly Row[]> {
    const statement = this.#statements.of(sql, values);
    return (await this.#run(statement, true)).rows as readonly Row[];
  }

  async write<Row>(sql: string, values: Values = {}): Promise<readonly Row[]> {
    const statement = this.#statements.of(sql, values);
    return (await this.#run(statement, false)).rows as readonly Row[];
  }

  async change(sql: string, values: Values = {}): Promise<number> {
    return (await this.#run(this.#statements.of(sql, values), false)).rowCount ?? 0;
  }

  /** All of `work` or nothing. It is carried out again where it was rolled back for another one's sake. */
  transaction<Result>(work: (session: Transaction) => Promise<Result>): Promise<Result> {
    return this.#repeated(() => this.#using((connection) => this.#transact(connection, work)));
  }

  /** Waits for what is in the air. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    while (this.#inAir > 0) {
      await new Promise<void>((resolve) => {
        this.#settled = resolve;
      });
    }
    await this.#pool.end();
  }

  #run(statement: Statement, isRead: boolean): Promise<Answer> {
    const once = () => this.#using((connection) => this.#ask(connection, statement));
    return this.#repeated(async () => {
      try {
        return await once();
      } catch (error) {
        if (!isRead || !isOutcomeUnknown(error)) throw error;
        // A server that was started again: its old connections are found dead when they are used.
        return await once();
      }
    });
  }

  async #repeated<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await work();
      } catch (error) {
        const cause = error instanceof Error ? error.cause : undefined;
        if (!isToRepeat(cause) || repeats === REPEATS) throw error;
      }
    }
  }

  async #using<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    if (this.#closing !== undefined) throw new StorageError("the storage is closed");
    this.#inAir += 1;
    try {
      const client = await this.#connect();
      const connection = client as unknown as Connection;
      try {
        return await work(connection);
      } finally {
        client.release(!connection.isSound);
      }
    } finally {
      this.#inAir -= 1;
      if (this.#inAir === 0) this.#settled();
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      this.traffic.errors += 1;
      this.traffic.isUp = false;
      throw storageError(error, this.name);
    }
  }

  #ask(connection: Connection, statement: Statement): Promise<Answer> {
    this.traffic.statements += 1;
    return this.#send(connection, statement);
  }

  async #send(connection: Connection, statement: Statement): Promise<Answer> {
    const stopWaiting = this.#timers.after(this.#options.statementTimeoutMs, () =>
      connection.cut(),
    );
    try {
      const answer = await connection.query(statement.text, [...statement.values]);
      this.traffic.isUp = true;
      return answer;
    } catch (error) {
      throw this.#failure(error, connection);
    } finally {
      stopWaiting();
    }
  }

  #failure(error: unknown, connection: Connection): StorageError {
    const isKnown = isRefusal(error);
    if (!isKnown) connection.isSound = false;
    this.traffic.errors += 1;
    this.traffic.isUp = isKnown;
    return storageError(error, this.name, { isOutcomeUnknown: !isKnown });
  }

  async #transact<Result>(
    connection: Connection,
    work: (session: Transaction) => Promise<Result>,
  ): Promise<Result> {
    // Of a transaction, what is asked in it counts.
    const tell = (text: string) => this.#send(connection, { text, values: [] });
    await tell("BEGIN");
    let result: Result;
    try {
      result = await work(this.#sessionOn(connection));
    } catch (error) {
      // Where it fails too, the server rolls back when the connection ends.
      await tell("ROLLBACK").catch(() => connection.cut());
      // Whatever was lost, nothing was committed.
      throw isOutcomeUnknown(error) ? storageError((error as Error).cause, this.name) : error;
    }
    await tell("COMMIT");
    return result;
  }

  #sessionOn(connection: Connection): Transaction {
    const ask = (sql: string, values: Values = {}) =>
      this.#ask(connection, this.#statements.of(sql, values));
    const rows = async <Row>(sql: string, values?: Values) =>
      (await ask(sql, values)).rows as readonly Row[];
    return {
      read: rows,
      write: rows,
      change: async (sql, values) => (await ask(sql, values)).rowCount ?? 0,
      script: async (sql) => {
        try {
          await connection.query(this.#statements.script(sql));
        } catch (error) {
          throw this.#failure(error, connection);
        }
      },
    };
  }
}
