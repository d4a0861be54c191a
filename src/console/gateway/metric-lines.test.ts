import fc from "fast-check";
import { Counter, Registry } from "prom-client";
import { expect, test } from "vitest";
import { samplesOf } from "./metric-lines.ts";

test("what the gateway's own library writes is read again, whatever the labels hold", async () => {
  const text = fc.string({ unit: "binary" }).filter((value) => value.isWellFormed());
  const labels = fc.record({ network: text, outcome: text });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(labels, { maxLength: 5, selector: JSON.stringify }),
      async (all) => {
        const registry = new Registry();
        const counter = new Counter({
          ...{
            name: "calls_total",
            help: "x",
            labelNames: ["network", "outcome"],
            registers: [registry],
          },
        });
        for (const [place, each] of all.entries()) counter.inc(each, place + 1);
        const other = new Counter({
          ...{
            name: "calls_total_more",
            help: "x",
            labelNames: ["network"],
            registers: [registry],
          },
        });
        other.inc({ network: "a" }, 9);
        const read = samplesOf(await registry.metrics(), "calls_total");
        expect(read).toEqual(all.map((each, place) => ({ labels: each, value: place + 1 })));
      },
    ),
  );
});
