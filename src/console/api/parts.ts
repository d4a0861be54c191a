import type { Sessions } from "../auth/sessions.ts";
import type { ClientReader, ConsoleSettings, ConsoleTools } from "../settings.ts";

/** The parts that the routes work with. */
export type ApiParts = ConsoleSettings &
  ConsoleTools & {
    readonly sessions: Sessions;
    readonly clientOf: ClientReader;
    /** The program's. */
    readonly version: string;
  };
