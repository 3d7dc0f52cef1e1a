import assert from "node:assert/strict";
import { SerialQueue } from "../../base/serial_queue.ts";

Deno.test("SerialQueue runs one piece of work at a time and continues after a failure", async () => {
  const queue = new SerialQueue();
  const gate = Promise.withResolvers<void>();
  const done: string[] = [];
  const first = queue.run(async () => {
    await gate.promise;
    done.push("first");
    return 1;
  });
  const second = queue.run(() => Promise.reject(new Error("broken")));
  const third = queue.run(() => {
    done.push("third");
    return Promise.resolve(3);
  });
  const failed = assert.rejects(second, /broken/);
  await Promise.resolve();
  assert.deepEqual(done, []);
  gate.resolve();
  await queue.settled();
  assert.deepEqual([await first, await third, done], [1, 3, ["first", "third"]]);
  await failed;
});
