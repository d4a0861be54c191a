import type { Command } from "commander";

/** Where commands look for the configuration. */
export const FILE_HERE = "./tollgate.yaml";

/** The option of every command that reads the configuration. */
export const configOption = (command: Command): Command =>
  command.option("--config <file>", "the configuration, YAML", FILE_HERE);
