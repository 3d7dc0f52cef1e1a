// The host of tools as a process: what it says to whoever speaks its language, and that it ends with its input.
import assert from "node:assert/strict";
import { toToolModule } from "../../../../../runtime/tools/custom/tool_files.ts";
import { readHostOutput } from "../../../../../runtime/tools/custom/host_output.ts";
import type {
  FromHost,
  HostRole,
  ToHost,
} from "../../../../../runtime/tools/custom/host_messages.ts";
import { hostCommand, ownProgram } from "../../../../../runtime/tools/custom/host_program.ts";
import { parseHostMessage } from "../../../../../runtime/tools/custom/host_reply.ts";
import { withTempDir } from "../../../../support/temp_dir.ts";
import { denoDirectory } from "../../../../support/repository.ts";

const MARK = "a-mark-that-no-tool-knows:";
const walls = (folder: string) => ({ read: [folder], write: [], net: [], env: [] });

/** A line of a host's input: a message, or a text that is none. */
type Said = ToHost | string;

interface Conversation {
  said: readonly Said[];
  /** What is said to each message that comes back; `null` closes the host's input. */
  reply(message: FromHost): ToHost | readonly ToHost[] | null | undefined;
}

/** Speaks with a host until its input is closed, and waits for its end. */
async function converse(
  folder: string,
  { said, reply }: Conversation,
): Promise<{ code: number; messages: FromHost[] }> {
  const child = spawnHost("tools", { folder });
  const input = child.stdin.getWriter();
  const say = (one: Said) => {
    const line = typeof one === "string" ? one : JSON.stringify(one);
    return input.write(new TextEncoder().encode(`${line}\n`));
  };
  for (const one of said) await say(one);
  const messages: FromHost[] = [];
  await Promise.all([
    readHostOutput(child.stdout, {
      source: "stdout",
      mark: MARK,
      onMessage: (line) => {
        const message = parseHostMessage(line);
        messages.push(message);
        const answer = reply(message);
        if (answer === null) void input.close();
        else for (const one of [answer ?? []].flat()) void say(one);
      },
      onLine: () => {},
      onBytes: () => {},
    }),
    child.stderr.pipeTo(new WritableStream()),
  ]);
  const { code } = await child.status;
  return { code, messages };
}

function spawnHost(
  role: HostRole,
  { folder, args: scriptArgs = [] }: { folder: string; args?: string[] },
): Deno.ChildProcess {
  const own = ownProgram();
  const { args, environment } = hostCommand(own, {
    role,
    permissions: walls(folder),
    closed: { read: [], write: [] },
    args: scriptArgs,
    lookup: (name) => name === "DENO_DIR" ? denoDirectory() : Deno.env.get(name),
    // A host inherits nothing, not even where the profiles of what ran go.
    variables: Object.fromEntries(
      Object.entries(Deno.env.toObject()).filter(([name]) => name === "DENO_COVERAGE_DIR"),
    ),
  });
  return new Deno.Command(own.program, {
    args,
    env: environment,
    clearEnv: true,
    cwd: folder,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function writeTool(folder: string, source: string) {
  await Deno.writeTextFile(`${folder}/tool.ts`, source);
  const module = toToolModule({ module: "tool", path: `${folder}/tool.ts` });
  const surroundings = { agentId: "me", executionId: 7, workspace: folder, paths: {} };
  const permissions = walls(folder);
  return {
    describe: { type: "describe", id: "d", module, permissions } as const,
    call: (id: string, args = {}) =>
      ({ type: "call", id, module, tool: "tool", args, surroundings, permissions }) as const,
  };
}

const hello: ToHost = { type: "hello", mark: MARK, keeps: [] };

Deno.test("hostTools() describes a file, and ends well when its input does", async () => {
  await withTempDir(async (folder) => {
    const { describe } = await writeTool(
      folder,
      `const twice = { run: () => 1 };
       const list = [{ name: "a", run: () => 1 }, "no tool", null];
       export { list, list as again, twice };
       export const none = [1, null, () => {}, { run: "now" }, {}];
       export default [twice, { description: "Adds", parameters: {}, effect: "read", run: () => 1 }];`,
    );
    const { code, messages } = await converse(folder, {
      said: [hello, { type: "ping" }, describe],
      reply: ({ type }) => type === "described" ? null : undefined,
    });
    assert.deepEqual(messages.slice(0, 2), [{ type: "pong" }, { type: "started" }]);
    const [, , described] = messages;
    assert.ok(described?.type === "described");
    assert.deepEqual(JSON.parse(described.tools), [
      { name: "a" },
      { name: "twice" },
      { name: "tool", description: "Adds", parameters: {}, effect: "read" },
    ]);
    assert.equal(code, 0);
  });
});

Deno.test("hostTools() does work once however often it is asked to, and takes a torn line for nothing", async () => {
  await withTempDir(async (folder) => {
    const { call } = await writeTool(
      folder,
      `export default { run: (args) => args.text.toUpperCase() };`,
    );
    const work = call("one", { text: "hi" });
    const { messages } = await converse(folder, {
      said: [hello, '{"type":"ca', work, "", work],
      reply: ({ type }) => type === "done" ? null : undefined,
    });
    const types = messages.map(({ type }) => type);
    assert.deepEqual(types.filter((type) => type === "started"), ["started", "started"]);
    assert.deepEqual(messages.filter(({ type }) => type === "done"), [
      { type: "done", result: "HI" },
    ]);
  });
});

Deno.test("hostTools() hands a request out and its reply back in", async () => {
  await withTempDir(async (folder) => {
    const { call } = await writeTool(
      folder,
      `export default { word: "its own", async run(_, context) {
        context.log("asking");
        const asked = [
          context.ask("Who?"),
          context.confirm("Sure?"),
          context.confirm("Sure?"),
          context.choose("Which?", ["x", "y"], { multi: true }),
          context.choose("Which?", ["x"]),
          context.resolvePath("a.txt"),
          context.resolvePath("b.txt", "write").catch((error) => error.message),
        ];
        return [...await Promise.all(asked), this.word];
      } };`,
    );
    const asks = (kind: string, message: string) => ({ kind, message });
    const choice = (options: string[], multi: boolean) => ({
      ...{ kind: "choose", message: "Which?", options, multi },
    });
    const path = (text: string, access: string) => ({ kind: "path", text, access });
    const requests: [request: object, reply: { value: unknown } | { error: string }][] = [
      [asks("ask", "Who?"), { value: "Ada" }],
      [asks("confirm", "Sure?"), { value: true }],
      [asks("confirm", "Sure?"), { value: null }],
      [choice(["x", "y"], true), { value: ["y"] }],
      [choice(["x"], false), { value: null }],
      [path("a.txt", "read"), { value: "/w/a.txt" }],
      [path("b.txt", "write"), { error: 'Cannot write "b.txt"' }],
    ];
    const ids: number[] = [];
    const { code, messages } = await converse(folder, {
      said: [hello, call("one"), { type: "reply", id: 99, value: "to nobody's question" }],
      reply(message) {
        if (message.type === "request" && ids.push(message.id) === requests.length) {
          // The newest is answered first: each reply finds its own question.
          return ids.toReversed().map((id) => ({
            ...(requests[id - 1]?.[1] ?? assert.fail("asked too often")),
            type: "reply" as const,
            id,
          }));
        }
        return message.type === "done" ? null : undefined;
      },
    });
    assert.equal(code, 0);
    assert.deepEqual(messages, [
      { type: "started" },
      { type: "log", text: "asking" },
      ...requests.map(([request], index) => ({ type: "request", id: index + 1, request })),
      {
        type: "done",
        result: '["Ada",true,false,["y"],[],"/w/a.txt","Cannot write \\"b.txt\\"","its own"]',
      },
    ]);
  });
});

Deno.test("hostTools() says why a call has no result, and stays for the next one", async () => {
  await withTempDir(async (folder) => {
    const { call } = await writeTool(
      folder,
      `export default { run: ({ how }) => {
        if (how === "throw") throw new Error("no such city");
        if (how === "text") throw "a text";
        if (how === "leave") Deno.exit(3);
        if (how === "exit") return import("node:process").then(({ exit }) => exit(4));
        if (how === "circle") { const one = {}; return one.self = one; }
        if (how === "strange") { postMessage({ type: "done", result: 5 }); return new Promise(() => {}); }
        if (how === "unknown") {
          postMessage({ type: "request", id: 1, request: { kind: "path", text: "a", access: "own" } });
          return new Promise(() => {});
        }
        if (how === "close") close();
        if (how === "odd") return 1n;
        if (how === "function") return () => {};
        if (how === "long") return "x".repeat(1_000_001);
        if (how === "garbage") { postMessage({ type: "nonsense" }); return new Promise(() => {}); }
      } };`,
    );
    const failures: [string, RegExp][] = [
      ["throw", /^no such city$/],
      ["text", /^a text$/],
      ["leave", /^It ended its own process \(exit code 3\) instead of returning a result$/],
      ["exit", /^It ended its own process \(exit code 4\)/],
      ["circle", /^It ran, but its result cannot be written as JSON: /],
      ["strange", /^It sent something that is not a message$/],
      ["unknown", /^It sent something that is not a message$/],
      ["close", /^It ended its own process instead of returning a result$/],
      ["odd", /^It ran, but its result cannot be written as JSON: .*BigInt/],
      ["function", /^It ran, but its result cannot be written as JSON: a function$/],
      ["long", /^It ran, but its result is too long: 1000001 characters, at most 1000000 /],
      ["garbage", /^It sent something that is not a message$/],
    ];
    const calls = [...failures.map(([how]) => call(how, { how })), call("none")];
    const { code, messages } = await converse(folder, {
      said: [hello, ...calls.splice(0, 1)],
      reply: ({ type }) => type === "started" ? undefined : calls.shift() ?? null,
    });
    const ends = messages.filter(({ type }) => type !== "started");
    for (const [index, [how, expected]] of failures.entries()) {
      const failed = ends[index];
      assert.ok(failed?.type === "failed", how);
      assert.match(failed.message, expected);
    }
    assert.deepEqual(ends.slice(failures.length), [
      { type: "done", result: "The tool returned nothing." },
    ]);
    assert.equal(code, 0);
  });
});

Deno.test("hostTools() hears only so much of a tool: 200 lines, 1,000 requests, and none that cannot be sent", async () => {
  await withTempDir(async (folder) => {
    const { call } = await writeTool(
      folder,
      `export default { run: async ({ how }, context) => {
        for (let i = 0; how === "talk" && i < 300; i++) context.log("line " + i);
        for (let i = 0; how === "ask" && i < 1_001; i++) context.ask("Who?").catch(() => {});
        if (how === "later") setTimeout(() => { throw new Error("nobody waits for this"); });
        if (how === "later" || how === "ask") await new Promise(() => {});
        return "said";
      } };`,
    );
    const calls = ["talk", "ask", "later"].map((how) => call(how, { how }));
    const { messages } = await converse(folder, {
      said: [hello, ...calls.splice(0, 1)],
      reply: ({ type }) => type === "done" || type === "failed" ? calls.shift() ?? null : undefined,
    });
    assert.equal(messages.filter(({ type }) => type === "log").length, 200);
    assert.equal(messages.filter(({ type }) => type === "request").length, 1_000);
    const ends = messages.filter(({ type }) => type === "done" || type === "failed");
    assert.deepEqual(ends.map((end) => "message" in end ? end.message : end.type), [
      "done",
      "It asked for more than 1000 things",
      "Error: nobody waits for this",
    ]);
  });
});

Deno.test("hostTools() tells a running tool that the run was stopped", async () => {
  await withTempDir(async (folder) => {
    const { call } = await writeTool(
      folder,
      `export default { run: (_, context) => new Promise((resolve) => {
        const waiting = context.ask("Who?").catch((error) => error.message);
        context.signal.addEventListener("abort", async () => {
          const later = await context.ask("Who then?").catch((error) => error.message);
          resolve([await waiting, later]);
        });
        context.log("busy");
      }) };`,
    );
    const { messages } = await converse(folder, {
      said: [{ type: "abort" }, hello, call("one")],
      reply: ({ type }) => type === "log" ? { type: "abort" } : type === "done" ? null : undefined,
    });
    assert.deepEqual(messages.at(-1), {
      type: "done",
      result: '["The run was stopped","The run was stopped"]',
    });
  });
});

Deno.test("hostScript() runs a script with its arguments and ends with its exit code", async () => {
  await withTempDir(async (folder) => {
    await Deno.writeTextFile(
      `${folder}/script.ts`,
      `console.log(Deno.args.join(" ")); Deno.exit(4);`,
    );
    const { url } = toToolModule({ module: "script", path: `${folder}/script.ts` });
    const args = ["one", "two"];
    const child = spawnHost("script", { folder, args });
    const input = child.stdin.getWriter();
    const script = { url, args, permissions: walls(folder) };
    await input.write(new TextEncoder().encode(JSON.stringify(script)));
    await input.close();
    const { code, stdout } = await child.output();
    assert.deepEqual([code, new TextDecoder().decode(stdout)], [4, "one two\n"]);
  });
});
