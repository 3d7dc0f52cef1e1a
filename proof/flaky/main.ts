// `deno task flaky`: runs the test suite, or some of its files, several times and prints the tests that failed at least
// once. Endless loops keep the processors busy meanwhile (`--busy`), or the suite gets only one core (`--one-core`).
import { parseArgs } from "node:util";
import { REPOSITORY, TEST_PERMISSIONS } from "../../tests/support/repository.ts";

const { values, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    times: { type: "string", default: "10" },
    busy: { type: "string", default: "0" },
    "one-core": { type: "boolean", default: false },
    filter: { type: "string" },
  },
});
const times = readNumber("times", values.times);
const busy = readNumber("busy", values.busy);

/** The number of failed runs of each test, by the test's name. */
const failures = new Map<string, number>();
{
  using _loops = startLoops(busy);
  for (let run = 1; run <= times; run++) {
    const start = performance.now();
    const { failed, errors, summary } = await runSuite();
    for (const name of failed) failures.set(name, (failures.get(name) ?? 0) + 1);
    const seconds = Math.round((performance.now() - start) / 1_000);
    console.log(`run ${run} of ${times}: ${seconds} s, ${summary}`);
    for (const name of failed) console.log(`  FAILED: ${name}`);
    for (const line of errors) console.log(`    ${line}`);
  }
}
const beside = values["one-core"] ? "on one core" : `beside ${busy} endless loops`;
console.log(`${failures.size} tests failed at least once in ${times} runs ${beside}`);
for (const [name, count] of failures) console.log(`  ${count} of ${times}: ${name}`);
if (failures.size > 0) Deno.exitCode = 1;

/** Starts `count` endless loops in processes. Disposing the returned object ends the processes. */
function startLoops(count: number): Disposable {
  const loops = Array.from(
    { length: count },
    () => new Deno.Command("sh", { args: ["-c", "while :; do :; done"], stdin: "null" }).spawn(),
  );
  return {
    [Symbol.dispose]() {
      for (const loop of loops) loop.kill("SIGKILL");
    },
  };
}

async function runSuite(): Promise<{ failed: string[]; errors: string[]; summary: string }> {
  const command = [
    ...(values["one-core"] ? ["taskset", "--cpu-list", "0"] : []),
    ...[Deno.execPath(), "run", "--config", "tests/deno.json", ...TEST_PERMISSIONS],
    ...["tests/suite/main.ts", ...positionals],
    ...(values.filter === undefined ? [] : ["--filter", values.filter]),
  ];
  const [program = "", ...args] = command;
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd: REPOSITORY,
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  const lines = text.decode(stdout).split("\n");
  const failed = lines.map((line) => /^ {8}(?:FAILED|cancelled): (.*)$/.exec(line)?.[1])
    .filter((name) => name !== undefined);
  const summary = lines.findLast((line) => /^(ok|FAILED) \| /.test(line));
  if (code !== 0 && failed.length === 0) {
    throw new Error(
      `The suite failed without a failed test:\n${lines.join("\n")}${text.decode(stderr)}`,
    );
  }
  // Deno prints the errors of all failed tests between these two lines. They contain the seeds of random tests.
  const [from, to] = [" ERRORS ", " FAILURES "].map((line) => lines.indexOf(line));
  const errors = lines.slice(from, to).filter((line) => line.trim() !== "");
  return { failed, errors, summary: summary ?? "no summary" };
}

function readNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) {
    console.error(`--${name} takes a whole number, not "${text}"`);
    Deno.exit(2);
  }
  return number;
}
