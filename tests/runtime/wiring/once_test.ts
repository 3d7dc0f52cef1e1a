import assert from "node:assert/strict";
import { once } from "../../../runtime/wiring/once.ts";

Deno.test("once() opens for the first who asks, and gives the same to all", async () => {
  let opened = 0;
  const open = once(() => Promise.resolve(++opened));
  assert.equal(opened, 0);
  assert.deepEqual(await Promise.all([open(), open()]), [1, 1]);
  assert.equal(await open(), 1);
});

Deno.test("once() tries anew after a failure", async () => {
  const answers = [() => Promise.reject(new Error("busy")), () => Promise.resolve("there")];
  const open = once(() => answers.shift()!());
  await assert.rejects(open(), /busy/);
  assert.equal(await open(), "there");
});
