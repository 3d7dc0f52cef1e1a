import assert from "node:assert/strict";
import fc from "fast-check";
import { DueQueue } from "../../../../runtime/triggers/schedule/due_queue.ts";

Deno.test("DueQueue behaves as a sorted list does, whatever is put in, moved and removed", () => {
  const action = fc.tuple(fc.constantFrom("put", "remove", "take"), fc.nat(30), fc.nat(100));
  fc.assert(fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
    const queue = new DueQueue();
    const plain = new Map<string, number>();
    for (const [kind, number, time] of actions) {
      const key = `k${number}`;
      if (kind === "put") {
        queue.put(key, time);
        plain.set(key, time);
      } else if (kind === "remove") {
        queue.remove(key);
        plain.delete(key);
      } else {
        const taken = queue.takeUntil(time);
        const first = Math.min(...plain.values());
        assert.equal(taken !== undefined, first <= time);
        if (taken !== undefined) {
          assert.equal(plain.get(taken), first);
          plain.delete(taken);
        }
      }
      assert.equal(queue.firstTime ?? Infinity, Math.min(...plain.values()));
    }
  }));
});
