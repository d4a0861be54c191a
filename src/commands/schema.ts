import { configJsonSchema } from "../config/schema.ts";

/** `tollgate schema`: the JSON Schema of the configuration file. Returns the exit code. */
export function runSchema(print: (line: string) => void): number {
  print(JSON.stringify(configJsonSchema(), null, 2));
  return 0;
}
