// Waits for something that real input and output bring about, without knowing how long it takes.
import assert from "node:assert/strict";
import { settle } from "./test_clock.ts";

/** Lets everything run on until the condition holds; fails when it does not come to hold. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 1_000; i++) {
    if (condition()) return;
    await settle();
  }
  assert.fail(`it never happened: ${what}`);
}
