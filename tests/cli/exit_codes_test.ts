// The exit code of every command, and its output: results on standard output, messages on standard error. Neither is a
// terminal here, as in a script. __snapshots__ contains both; read the changes of a snapshot.
import assert from "node:assert/strict";
import { PROGRAM } from "../../cli/program.ts";
import { settleQuickly } from "../support/test_clock.ts";
import { until } from "../support/until.ts";
import { addWorld, type Row, TABLE } from "./exit_code_table.ts";
import { createFakeCli, type FakeCli } from "./fake_cli.ts";
import { normalize } from "./golden/world.ts";
import { assertPicture } from "./picture.ts";

/** The milliseconds that cli/update/version_answer.ts waits before it retries the start of a busy program. */
const BUSY_MS = 50;

/** Runs the command of a row and returns its exit code. */
async function perform(cli: FakeCli, argv: string[], row: Row): Promise<number> {
  const { before, needs, then } = row;
  addWorld(cli);
  before?.(cli);
  await using _ = await needs?.(cli);
  const exit = cli.run(...argv);
  if (then !== undefined) {
    const waits = () => cli.proxied.length === 1 || cli.runtime.followers === 1;
    await until(waits, "it waits for what happens", settleQuickly);
    then(cli);
  }
  return await (needs === undefined ? cli.drive(exit) : untilEnd(exit, cli));
}

/**
 * Advances the clock only while the command waits to retry the start of a program whose file another process keeps open.
 */
async function untilEnd(exit: Promise<number>, { clock }: FakeCli): Promise<number> {
  let hasEnded = false;
  const end = () => hasEnded = true;
  exit.then(end, end);
  await until(async () => {
    if (clock.awaits(BUSY_MS)) await clock.advance(BUSY_MS);
    return hasEnded;
  }, "it comes to an end");
  return await exit;
}

/** Normalizes the output, so that it is the same on every machine and in every process. */
function withoutPlaces(text: string, { stateDir }: FakeCli): string {
  return normalize(text).replaceAll(stateDir, "/state")
    .replaceAll(/\/[^ ]*\/inkling-[0-9a-f]+\//g, "~/")
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>");
}

for (const [name, rows] of Object.entries(TABLE)) {
  // Only `ui` ends with Ctrl+C.
  const success = name === "ui" ? 130 : 0;
  Deno.test(`inkling ${name} exits with the right code, and separates results from messages`, async (t) => {
    const codes = new Set<number>();
    for (const given of rows) {
      const row = typeof given === "string" ? { words: given } : given;
      const { words, isRunning = true } = row;
      const argv = [name, words].filter((one) => one !== "").join(" ").split(" ");
      if (argv[0] === "") argv.shift();
      await t.step(
        `inkling ${argv.join(" ")}${isRunning ? "" : " while no service runs"}`,
        async (t) => {
          await using cli = await createFakeCli({ isRunning });
          const code = await perform(cli, argv, row);
          codes.add(code);
          const { stdout, stderr } = cli;
          const printed = `${withoutPlaces(stdout.text, cli)}--- standard error\n${
            withoutPlaces(stderr.text, cli)
          }`;
          await assertPicture(t, `exit code ${code}\n${printed}`, import.meta.url);
          if (stdout.text === "" || code !== success || codes.has(141)) return;
          // With closed output, a command prints nothing and exits with 141.
          await using unread = await createFakeCli({ isRunning });
          unread.stdout.isClosed = true;
          unread.stderr.isClosed = true;
          // With closed output, `ui` does not wait for Ctrl+C.
          const { then: _, ...rest } = row as Row;
          assert.equal(await perform(unread, argv, name === "ui" ? rest : row), 141);
          codes.add(141);
        },
      );
    }
    assert.ok(codes.has(success) && codes.has(141), "it succeeds, and notices that nobody reads");
    assert.ok([...codes].some((code) => code !== success && code !== 141), "it fails, too");
  });
}

Deno.test("the table of exit codes contains every command", () => {
  // `acp` speaks with an editor over standard input (tests/reach/acp), and `pair` succeeds only at a terminal
  // (tests/cli/golden/screens_test.ts).
  const elsewhere = ["acp", "pair"];
  const names = PROGRAM.commands.map(({ name }) => name).filter((one) => !elsewhere.includes(one));
  assert.deepEqual(Object.keys(TABLE).sort(), ["", ...names].sort());
});
