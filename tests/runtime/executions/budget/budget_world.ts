// Helpers: a workspace whose scripted model costs ten cents for each output token, and nothing for input.
import { join } from "node:path";
import type { Runtime } from "../../../../runtime/interface/runtime.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { createTestWorkspace, type TestWorkspace } from "../../../support/test_workspace.ts";

const PRICES = "demo/script: { input: 0, output: 100000 }\n";
/** Front matter that limits a reply to ten tokens, so that a call reserves one dollar. */
export const DOLLAR_CALLS = "settings: { max_tokens: 10 }";

export interface BudgetWorld extends AsyncDisposable {
  place: TestWorkspace;
  clock: TestClock;
  open(): Promise<Runtime>;
}

/** Opens a workspace with a model client that reports the usage that the test sets. */
export async function openBudgetWorld(
  options: { start?: string; config?: string } = {},
): Promise<BudgetWorld> {
  const place = await createTestWorkspace({ shell: { TZ: "UTC" } });
  await Deno.writeTextFile(join(place.configDir, "pricing.yaml"), PRICES);
  const file = join(place.configDir, "config.yaml");
  await Deno.writeTextFile(file, `${await Deno.readTextFile(file)}${options.config ?? ""}\n`);
  const clock = new TestClock(options.start ?? "2026-03-10T12:00:00.000Z");
  return {
    place,
    clock,
    open: () => place.open({ clock }),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

/** Returns a scripted reply with a text that costs this number of dimes. */
export function says(text: string, dimes: number): Record<string, unknown> {
  return { say: text, usage: { input: 7, output: dimes } };
}

/** Returns a scripted reply that calls a tool. */
export function calls(
  name: string,
  args: Record<string, unknown>,
  dimes: number,
): Record<string, unknown> {
  return { call: [{ name, arguments: args }], usage: { input: 7, output: dimes } };
}
