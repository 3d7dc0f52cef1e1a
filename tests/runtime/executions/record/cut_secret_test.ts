// Tests a secret at the position where a result is cut: no half of the secret is kept, shown or logged.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../../support/test_workspace.ts";
import { writeConfig, writeSkill } from "../executions_of.ts";
import { boundAnswer } from "../../../../runtime/executions/record/ending.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";

const TOKEN = "sekret-value-1234567890";
const PROVIDER_KEY = "provider-key-1234567890";

/** Removes whole secrets from a text and returns the remaining parts of secrets. */
const halves = (text: string) =>
  text.replaceAll(TOKEN, "").replaceAll(PROVIDER_KEY, "").match(/sekret|provider-key/g) ?? [];

Deno.test("a run keeps and shows no half of a secret in a cut tool result", async () => {
  const shell = { APP_TOKEN: TOKEN, OPENAI_API_KEY: PROVIDER_KEY };
  await using place = await createTestWorkspace({ shell });
  await writeSkill(place, "printing", "Print.");
  const printing = [TOKEN, PROVIDER_KEY].map((secret) =>
    `head -c ${64 * 1024 - 12} /dev/zero | tr '\\0' x; printf ${secret}`
  );
  for (const [index, script] of printing.entries()) {
    await writeConfig(place, `skills/printing/print${index}.sh`, script);
  }
  const run = (index: number) => ({
    name: "skill_run_script",
    arguments: { skill_name: "printing", script_name: `print${index}.sh` },
  });
  const lines = "skills: [printing]\npaths: [.]\nauto_approve: [skill_run_script]";
  await place.writeScript("printer", [{ call: [run(0), run(1)] }, { say: "{result}" }], lines);
  await using runtime = await place.open();
  const first = await runToEnd(runtime, "printer");
  assert.equal(first.status, "success", first.error ?? "");
  const frames = JSON.stringify(await payloadsOf(runtime, first.id));
  assert.match(frames, /More output was dropped/);
  assert.deepEqual(halves(frames), []);
  await runToEnd(runtime, "printer");
  assert.deepEqual(halves(JSON.stringify(place.logged)), []);
  for await (const { name, isFile } of Deno.readDir(place.stateDir)) {
    const text = isFile ? await Deno.readTextFile(join(place.stateDir, name)) : "";
    assert.deepEqual(halves(text), [], name);
  }
});

const BOUND = 1_000_000;
const NOTE =
  /\n\[The answer was cut: it has (\d+) characters, 1000000 is the most that is kept\.\]$/;

Deno.test("boundAnswer() keeps no half of a secret at the cut", () => {
  const value = "supersecretvalue";
  const withSecret = new Redactor(() => [{ name: "A_KEY", value }]);
  const text = "🦊".repeat(BOUND - 90) + value + "x".repeat(200);
  const kept = boundAnswer(text, withSecret);
  assert.doesNotMatch(kept, /🦊super/);
  assert.match(kept, NOTE);
});
