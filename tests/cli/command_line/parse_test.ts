// The parser of command lines: what it makes of right ones, and what it says of wrong ones.
import assert from "node:assert/strict";
import fc from "fast-check";
import { UsageError } from "../../../cli/command_line/usage_error.ts";
import { readLine, type Request, SAMPLE } from "./sample_program.ts";
import { anyText } from "../../support/any_text.ts";

const words = (count: number, first?: string, ...others: string[]) => ({ count, first, others });

function tell(given: Partial<Request>): Request {
  return { command: "tell", options: {}, words: words(1), globals: {}, ...given };
}

Deno.test("parseCommandLine() reads options in every spelling, before, between and behind words", async () => {
  const table: [string, Request][] = [
    ["tell 1", tell({})],
    ["tell 7 a b c", tell({ words: words(7, "a", "b", "c") })],
    ["tell 1 -d", tell({ options: { detach: true } })],
    ["tell --detach 1 -n5", tell({ options: { detach: true, last: 5 } })],
    ["tell -dn5 1", tell({ options: { detach: true, last: 5 } })],
    ["tell -dn 5 1", tell({ options: { detach: true, last: 5 } })],
    ["tell --last=5 1 --last 6", tell({ options: { last: 6 } })],
    ["tell --path a 1 --path=b", tell({ options: { path: ["a", "b"] } })],
    ["tell --message= 1", tell({ options: { message: "" } })],
    ["tell --message=a=b 1", tell({ options: { message: "a=b" } })],
    ["tell 1 --unit", tell({ options: { unit: true } })],
    ["tell 1 --unit one", tell({ options: { unit: "one" } })],
    ["tell --unit -d 1", tell({ options: { unit: true, detach: true } })],
    ["tell 1 -utwo", tell({ options: { unit: "two" } })],
    ["tell 1 - -5 -.5e3", tell({ words: words(1, "-", "-5", "-.5e3") })],
    ["tell -- 1 -d", tell({ words: words(1, "-d") })],
    ["-q tell 1 -v", tell({ globals: { quiet: true, verbose: true } })],
    ["-w a tell 1 -w b", tell({ globals: { workspace: "b" } })],
    ["-qw tell list", {
      command: "list",
      options: {},
      words: {},
      globals: { quiet: true, workspace: "tell" },
    }],
    ["-- list", { command: "list", options: {}, words: {}, globals: {} }],
    ["secret", { command: "secret", options: {}, words: {}, globals: {} }],
  ];
  for (const [line, request] of table) {
    assert.deepEqual(await readLine(line.split(" ")), request, line);
  }
});

Deno.test("parseCommandLine() takes for a text whatever stands behind its option", async () => {
  for (const text of ["-q", "--json", "--", "-", "-5", "--message", "list", "-h", ""]) {
    assert.deepEqual(
      await readLine(["tell", "--message", text, "1"]),
      tell({ options: { message: text } }),
    );
    assert.deepEqual(
      await readLine(["tell", "1", "-m", text]),
      tell({ options: { message: text } }),
    );
  }
});

Deno.test("parseCommandLine() tells what is wrong, with what was meant, and of which command", async () => {
  const table: [line: string, message: string, command?: string][] = [
    ["lst", "Unknown command 'lst'. Did you mean list?"],
    ["secre", "Unknown command 'secre'"],
    ["xyzzy", "Unknown command 'xyzzy'"],
    ["xyzzy --bogus", "Unknown command 'xyzzy'"],
    ["--bogus list", "Unknown option '--bogus'"],
    ["--quite list", "Unknown option '--quite'. Did you mean --quiet?"],
    ["list --version", "Unknown option '--version'", "list"],
    ["list -x", "Unknown option '-x'", "list"],
    ["list -qx", "Unknown option '-x'", "list"],
    ["list -q5", "Unknown option '-5'", "list"],
    ["tell 1 --jsn=secret", "Unknown option '--jsn'. Did you mean --json?", "tell"],
    ["tell 1 --json=yes", "Option '--json' takes no argument", "tell"],
    ["tell 1 -n", "Option '-n, --last <count>' argument missing", "tell"],
    ["-w", "Option '-w, --workspace <dir>' argument missing"],
    [
      "list extra more",
      "Too many arguments for 'list'. Expected 0 arguments but got 2: extra, more.",
      "list",
    ],
    ["tell", "Missing required argument 'count'", "tell"],
    [
      "tell x",
      "Command-argument value 'x' is invalid for argument 'count'. It must be a whole number from 1.",
      "tell",
    ],
    [
      "tell 1 -n0",
      "Option '-n, --last <count>' argument '0' is invalid. It must be a whole number from 1.",
      "tell",
    ],
    [
      "tell 1 --unit=three",
      "Option '-u, --unit [kind]' argument 'three' is invalid. Allowed choices are one, two.",
      "tell",
    ],
    ["tell 1 -d --json", "Option '--json' cannot be used with option '-d, --detach'", "tell"],
  ];
  for (const [line, message, command] of table) {
    await assert.rejects(readLine(line.split(" ")), (error) => {
      assert.ok(error instanceof UsageError, line);
      assert.deepEqual([error.message, error.command], [message, command], line);
      return true;
    });
  }
});

Deno.test("parseCommandLine() gives help to who asks for it, whatever else is wrong", async () => {
  const [command] = SAMPLE.commands;
  assert.ok(command);
  for (
    const line of ["tell -h", "tell --help", "tell -n x --bogus -qh", "-h tell", "tell -n -- -h"]
  ) {
    assert.deepEqual(await readLine(line.split(" ")), { kind: "help", of: command }, line);
  }
  assert.deepEqual(await readLine(["tell", "1", "--", "-h"]), tell({ words: words(1, "-h") }));
  assert.deepEqual(await readLine(["--bogus", "-h"]), { kind: "help", of: SAMPLE });
  assert.deepEqual(await readLine(["--version"]), { kind: "version" });
  assert.deepEqual(await readLine(["-qV", "tell"]), { kind: "version" });
  for (const line of [[], ["-q"], ["--"]]) {
    assert.deepEqual(await readLine(line), { kind: "nothing" });
  }
});

Deno.test("parseCommandLine() understands or refuses any words, and fails at none", async () => {
  const word = fc.oneof(
    fc.constantFrom(
      "tell",
      "list",
      "-q",
      "-qd",
      "-n",
      "--last",
      "--unit",
      "--",
      "-",
      "--=",
      "-=",
      "1",
      "--path=",
      "__proto__",
      "--constructor",
    ),
    anyText({ maxLength: 6 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 8 }), async (line) => {
      try {
        await readLine(line);
      } catch (error) {
        assert.ok(error instanceof UsageError, String(error));
      }
    }),
    { numRuns: 50 },
  );
});
