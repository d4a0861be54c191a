import fc from "fast-check";
import { expect, test } from "vitest";
import { Fifo } from "./fifo.ts";

test("what comes first leaves first, whatever comes meanwhile", () => {
  const steps = fc.array(fc.constantFrom("push", "push", "shift", "shift", "clear"), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(steps, (all) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      for (const [index, step] of all.entries()) {
        if (step === "clear") model.length = 0;
        if (step === "clear") fifo.clear();
        else if (step === "shift") expect(fifo.shift()).toBe(model.shift());
        else {
          fifo.push(index);
          model.push(index);
        }
        expect(fifo.length).toBe(model.length);
      }
    }),
  );
});
