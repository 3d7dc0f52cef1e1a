import assert from "node:assert/strict";
import { KeyedQueue, SerialQueue } from "../../base/serial_queue.ts";

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

Deno.test("KeyedQueue runs one piece of work of a key at a time, and others meanwhile", async () => {
  const queue = new KeyedQueue();
  const gate = Promise.withResolvers<void>();
  const done: string[] = [];
  const work = (name: string) => () => Promise.resolve(void done.push(name));
  const first = queue.run("a", () => gate.promise.then(() => Promise.reject(new Error("broken"))));
  const second = queue.run("a", work("second"));
  await queue.run("b", work("other"));
  assert.deepEqual(done, ["other"]);
  gate.resolve();
  await assert.rejects(first, /broken/);
  await second;
  assert.deepEqual(done, ["other", "second"]);
});
