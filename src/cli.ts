#!/usr/bin/env node
const OLDEST = 24;
const [major = ""] = process.versions.node.split(".");

// Nothing else is loaded before: an older Node does not understand it.
if (Number(major) < OLDEST) {
  process.stderr.write(
    `tollgate: Node ${OLDEST} or newer is needed, and this is Node ${process.versions.node}\n`,
  );
  process.exitCode = 1;
} else {
  const { prepareProcess } = await import("./lib/own-process.ts");
  prepareProcess();
  const { run } = await import("./commands/program.ts");
  process.exitCode = await run(process.argv);
}
