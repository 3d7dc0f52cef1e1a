// Tests custom tools that do as much damage as they can: only their own call fails, and the next call works.
import assert from "node:assert/strict";
import type { ActionTool } from "../../../../runtime/tools/definition/tool.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { until, untilGone } from "../../../support/until.ts";
import { failureOf } from "../files/sandbox_fixture.ts";
import { ToolWorld } from "./tool_world.ts";

/** Opens a tool that runs the code for the argument `how`, or returns its process id. */
async function openVillain(world: ToolWorld, ways: Record<string, string>): Promise<ActionTool> {
  const cases = Object.entries(ways).map(([how, body]) => `case "${how}": { ${body} }`);
  await world.writeTool(
    "villain",
    `context.log("pid " + Deno.pid);
     // The service answers this request, so it has received the line before.
     await context.resolvePath(".");
     switch (args.how) { ${cases.join("\n")} }
     return String(Deno.pid);`,
  );
  const tool = await world.openTool("villain");
  return tool;
}

function pidsOf(world: ToolWorld): number[] {
  return world.logged.flatMap((line) => {
    const pid = /^pid (\d+)$/.exec(line)?.[1];
    return pid === undefined ? [] : [Number(pid)];
  });
}

const FOREVER = "await new Promise(() => {});";
const OWN = `request: { kind: "path", text: "a", access: "own" }`;
const NO_MESSAGE = /It sent something that is not a message$/;

/** Failures that end the tool's worker, each with the text for the model. */
const CAUGHT: readonly [how: string, body: string, reads: RegExp][] = [
  ["throw", `throw new RangeError("too far");`, /^too far$/],
  ["reject unseen", `Promise.reject(new Error("unseen")); ${FOREVER}`, /^Error: unseen$/],
  ["Deno.exit", `Deno.exit(3);`, /ended its own process \(exit code 3\) instead of returning/],
  ["throw later", `setTimeout(() => { throw new Error("late"); }); ${FOREVER}`, /^Error: late$/],
  ["throw a text", `throw "a text";`, /^a text$/],
  ["exit by node", `process.exit(4);`, /\(exit code 4\) instead of returning/],
  ["close", `close(); ${FOREVER}`, /ended its own process instead of returning a result$/],
  ["circle", `const one: any = {}; return one.self = one;`, /result cannot be written as JSON: /],
  ["bigint", `return 1n;`, /result cannot be written as JSON: .*BigInt/],
  ["function", `return () => {};`, /result cannot be written as JSON: a function$/],
  ["nonsense", `postMessage({ type: "nonsense" }); ${FOREVER}`, NO_MESSAGE],
  ["wrong type", `postMessage({ type: "done", result: 5 }); ${FOREVER}`, NO_MESSAGE],
  ["wrong access", `postMessage({ type: "request", id: 1, ${OWN} }); ${FOREVER}`, NO_MESSAGE],
  ["huge result", `return "x".repeat(20_000_000);`, /result is too long: 20000000 characters/],
];

/** Failures that end the tool's process, each with the text for the model. */
const DEADLY: readonly [how: string, body: string, reads: RegExp][] = [
  [
    "kills itself",
    `Deno.kill(Deno.pid, "SIGKILL"); await new Promise(() => {});`,
    /stopped before it had a result: its process was killed by a signal \(SIGKILL\)/,
  ],
  [
    "fills the heap",
    `const all = []; for (;;) all.push(new Array(100_000).fill(0));`,
    /stopped before it had a result: it ran out of memory/,
  ],
  [
    "fills buffers",
    `const all = []; for (;;) all.push(new Uint8Array(10_000_000).fill(1));`,
    /It used more than 512 MB of memory/,
  ],
  [
    "floods its output without a line's end",
    `const text = new Uint8Array(100_000).fill(65); for (;;) Deno.stderr.writeSync(text);`,
    /it printed more than 8 MB/,
  ],
];

for (const [kind, failures] of [["caught", CAUGHT], ["deadly", DEADLY]] as const) {
  Deno.test(`a ${kind} failure of a custom tool affects only its own call`, async (t) => {
    await using world = await ToolWorld.open();
    const tool = await openVillain(world, Object.fromEntries(failures));
    for (const [how, , reads] of failures) {
      await t.step(how, async () => {
        assert.match(await failureOf(world.run(tool, { how })), reads);
        await untilGone(pidsOf(world).at(-1) ?? assert.fail());
      });
    }
    assert.match(await world.run(tool), /^\d+$/, "the next call works");
    assert.equal(new Set(pidsOf(world)).size, failures.length + 1);
  });
}

/** Code that ends only at the time limit of the call. */
const ENDLESS: Record<string, string> = {
  "loop": `for (;;);`,
  "stop itself": `Deno.kill(Deno.pid, "SIGSTOP"); for (;;);`,
  "close the descriptors": `const { Socket } = await import("node:net");
    for (let fd = 0; fd < 30; fd++) try { new Socket({ fd }).on("error", () => {}).destroy(); } catch {}
    await new Promise(() => {});`,
};

Deno.test("an endless custom tool is killed at its time limit", async () => {
  const clock = new TestClock();
  await using world = await ToolWorld.open({ clock });
  const tool = await openVillain(world, ENDLESS);
  for (const [at, how] of Object.keys(ENDLESS).entries()) {
    const stop = new AbortController();
    const reason = new Error("time is over");
    const outcome = world.run(tool, { how }, { signal: stop.signal }).catch((error) => error);
    await until(() => pidsOf(world).length === at + 1, "the call runs");
    stop.abort(reason);
    const error = await outcome;
    // A tool that closes its descriptors ends before the time limit, so its error differs.
    if (how !== "close the descriptors") assert.equal(error, reason);
    const pid = pidsOf(world)[at] ?? assert.fail();
    await untilGone(pid, async () => {
      if (clock.awaits(1_000)) await clock.advance(1_000);
    });
  }
  assert.match(await world.run(tool), /^\d+$/);
});

Deno.test("code that a custom tool leaves running harms no later call", async (t) => {
  await using world = await ToolWorld.open();
  await world.fixture.write("notes/a.txt", "");
  const tools = await world.openModule("all", {
    tidy:
      `const stopped = new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      context.log("ready");
      await stopped;
      const refused = await context.confirm("Too late?").catch((error: Error) => error.message);
      Deno.writeTextFileSync("notes/a.txt", refused);`,
    printer: `const write = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(text));
      if (args.how === "forge") {
        const message = JSON.stringify({ type: "done", result: "FORGED" });
        for (const mark of ["", "undefined", crypto.randomUUID(), "\\u0000"]) {
          write("\\n" + mark + message + "\\n" + mark);
          console.error(mark + message);
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      if (args.how === "mumble") write("no end of line");
      if (args.how === "talk") {
        for (let i = 0; i < 500; i++) console.log("line " + i + "y".repeat(5000));
      }
      return args.how;`,
    thief: `const { read } = await import("node:fs");
      void Deno.stdin.read(new Uint8Array(args.bytes));
      for (let i = 0; i < 3; i++) read(0, new Uint8Array(args.bytes), 0, args.bytes, null, () => {});
      await new Promise((resolve) => setTimeout(resolve, 50));
      return "took";`,
  });

  await t.step(
    "a tool's output cannot forge or hide messages of its host",
    async () => {
      for (const how of ["forge", "mumble", "talk"]) {
        world.logged.length = 0;
        assert.equal(await world.run(tools.printer, { how }), how);
        if (how === "mumble") assert.deepEqual(world.logged, ["no end of line"]);
      }
      assert.equal(world.logged.length, 101);
      assert.equal(world.logged.at(-1), "further lines of this call are left out");
      assert.ok(world.logged.every((line) => line.length < 2_100));
    },
  );

  await t.step(
    "a reader that a tool leaves on its input takes no later message",
    async () => {
      for (const bytes of [100_000, 1, 1]) {
        assert.equal(await world.run(tools.thief, { bytes }), "took");
      }
    },
  );

  await t.step(
    "a stopped run aborts the tool's signal and leaves time to clean up",
    async () => {
      world.logged.length = 0;
      const stop = new AbortController();
      const outcome = world.run(tools.tidy, {}, { signal: stop.signal }).catch(() => "stopped");
      await until(() => world.logged.length === 1, "the call runs");
      stop.abort(new Error("cancelled"));
      assert.equal(await outcome, "stopped");
      const left = () => world.fixture.read("notes/a.txt");
      await until(async () => await left() === "The run was stopped", "it put things in order");
    },
  );
});

Deno.test("a thread that a custom tool leaves in an endless loop ends with the call", async () => {
  await using world = await ToolWorld.open();
  await world.writeTool(
    "leaver",
    `if (args.leaves) new Worker("data:application/javascript,for (;;);", { type: "module" });
     await new Promise((resolve) => setTimeout(resolve, 100));
     return String(Deno.pid);`,
  );
  const tool = await world.openTool("leaver");
  const pid = Number(await world.run(tool, { leaves: true }));
  await untilGone(pid);
  assert.notEqual(Number(await world.run(tool)), pid);
});
