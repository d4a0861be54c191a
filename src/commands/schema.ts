import { describedSchema } from "../config/described-schema.ts";

/** `tollgate schema`: the JSON Schema of the configuration file, for editors. Returns the exit code. */
export function runSchema(print: (line: string) => void): number {
  print(JSON.stringify(describedSchema(), null, 2));
  return 0;
}
