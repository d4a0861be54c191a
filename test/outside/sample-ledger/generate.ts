/**
 * Writes the sample ledger into a folder: `node test/outside/sample-ledger/generate.ts DIR`. Its
 * place in the project is src/dev/sample-ledger. Every run gives the same bytes.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tellStory } from "./story.ts";

function generate(folder: string): void {
  const { chain, finalizedSlot, samples } = tellStory();
  const slots = [...chain.blocks.keys()];
  const ledger = {
    format: 1,
    genesisHash: chain.genesisHash,
    firstSlot: Math.min(...slots),
    confirmedSlot: Math.max(...slots),
    finalizedSlot,
  };
  rmSync(join(folder, "blocks"), { recursive: true, force: true });
  mkdirSync(join(folder, "blocks"), { recursive: true });
  for (const [slot, text] of chain.blocks) {
    writeFileSync(join(folder, "blocks", `${slot}.json`), text);
  }
  writeFileSync(join(folder, "ledger.json"), `${JSON.stringify(ledger, null, 2)}\n`);
  writeFileSync(join(folder, "samples.json"), `${JSON.stringify(samples, null, 2)}\n`);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder to write the sample ledger into");
generate(folder);
