// Custom tools as agents have them: described, checked, run, reloaded, kept within bounds.
import assert from "node:assert/strict";
import { join } from "node:path";
import { systemProcesses } from "../../../../cli/service/processes.ts";
import { SystemClock } from "../../../../base/clock.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { until } from "../../../support/until.ts";
import { failureOf, refusalOf } from "../files/sandbox_fixture.ts";
import { openBinary } from "./binary_program.ts";
import { ToolWorld, WAITER } from "./tool_world.ts";

Deno.test("openTools() offers each tool of a module, by its name or its export's", async () => {
  await using world = await ToolWorld.open();
  await world.write(
    "weather.ts",
    `import type { Missing } from "./no_such_file.ts";
     const named = { name: "today", description: "Today's weather", effect: "read", timeout: 5, run: () => "sun" };
     export const tomorrow: Missing | object = {
       description: "Tomorrow's", parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
       run: ({ city }: { city: string }) => ({ city, sky: ["clouds"] }),
     };
     export const helper = () => "not a tool";
     export const numbers = [1, 2];
     export { named };
     export default [named, { description: "Whenever", run() { return undefined; } }];`,
  );
  const tools = await world.openTools("weather");
  assert.deepEqual(tools.map(({ name, description }) => [name, description]), [
    ["today", "Today's weather"],
    ["tomorrow", "Tomorrow's"],
    ["weather", "Whenever"],
  ]);
  const [today, tomorrow, whenever] = tools;
  assert.ok(today && tomorrow && whenever);
  assert.deepEqual([today.effect({}), tomorrow.effect({})], ["read", "unsafe"]);
  assert.equal(await world.run(today), "sun");
  assert.equal(await world.run(tomorrow, { city: "Rome" }), '{"city":"Rome","sky":["clouds"]}');
  assert.equal(await world.run(whenever), "The tool returned nothing.");
});

Deno.test("a custom tool is told who calls and where it may go", async () => {
  await using world = await ToolWorld.open();
  await world.fixture.write("notes/a.txt", "text");
  await world.writeTool(
    "where",
    `const { agentId, executionId, workspace, paths } = context;
     const refusals = [];
     for (const path of ["{nowhere}/a", "../x", "agents/me.md", "/etc/passwd", ".env"]) {
       await context.resolvePath(path).then(() => refusals.push("open " + path), (e: Error) => refusals.push(e.message));
     }
     return { agentId, executionId, workspace, paths, cwd: Deno.cwd(), a: await context.resolvePath("{notes}/a.txt"),
       text: await Deno.readTextFile(await context.resolvePath("{notes}/new.txt", "write").then((path: string) => {
         Deno.writeTextFileSync(path, "new"); return path; })), refusals };`,
  );
  const { workspace, base } = world.fixture;
  const notes = join(workspace, "notes");
  const paths = [{ alias: "notes", path: notes }];
  const result = JSON.parse(await world.call("where", {}, { paths }));
  assert.deepEqual({ ...result, refusals: undefined }, {
    agentId: "me",
    executionId: 7,
    workspace,
    paths: { workspace, notes },
    cwd: workspace,
    a: join(notes, "a.txt"),
    text: "new",
    refusals: undefined,
  });
  assert.equal(result.refusals.length, 5);
  for (const refused of result.refusals) assert.match(refused, /^(Cannot read|Unknown path alias)/);
  assert.ok(!JSON.stringify(result.refusals).includes(base));
});

Deno.test("a custom tool reads what it may only read, and cannot write it", async () => {
  await using world = await ToolWorld.open();
  const { outside, workspace } = world.fixture;
  await world.fixture.write("notes/a.txt", "text");
  await world.writeTool(
    "reader",
    `const text = await Deno.readTextFile(args.path); await Deno.writeTextFile(args.path, "changed"); return text;`,
  );
  const path = join(outside, "deep/a.txt");
  const paths = [{ alias: "notes", path: join(workspace, "notes") }];
  const options = { paths, readPaths: [join(outside, "deep")] };
  const failure = await failureOf(world.call("reader", { path }, options));
  assert.equal(failure, `This tool has no write access to "${path}"`);
});

Deno.test("a custom tool on a missing path says that it does not exist, also where only the rest of a folder is open", async () => {
  await using world = await ToolWorld.open();
  const { outside, workspace } = world.fixture;
  await world.fixture.write("notes/a.txt", "text");
  await world.writeTool("lister", "for await (const _ of Deno.readDir(args.path));");
  const paths = [{ alias: "notes", path: join(workspace, "notes") }];
  const cases: [path: string, options: object, expected: RegExp][] = [
    [join(workspace, "nowhere"), {}, /^".*nowhere" does not exist$/],
    [join(workspace, "notes/nowhere"), { paths }, /No such file|does not exist/],
    [join(outside, "nowhere"), {}, /no read access to ".*nowhere"$/],
    [join(workspace, "agents/nowhere.md"), {}, /no read access to/],
  ];
  for (const [path, options, expected] of cases) {
    assert.match(await failureOf(world.call("lister", { path }, options)), expected);
  }
});

Deno.test("a custom tool gets the hosts and variables it declares, no others, and never a provider's key", async () => {
  const variables = { CITY_TOKEN: "abc", OTHER: "def", OPENAI_API_KEY: "key" };
  await using world = await ToolWorld.open({ variables });
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("hello"),
  );
  const host = `127.0.0.1:${server.addr.port}`;
  await world.writeTool(
    "caller",
    `const other = await Promise.resolve().then(() => Deno.env.get("OTHER")).catch((e: Error) => e.name);
     const elsewhere = await fetch("http://localhost:${server.addr.port}").catch((e: Error) => e.name);
     return { token: Deno.env.get("CITY_TOKEN"), missing: Deno.env.get("CITY_ZONE") ?? null, other, elsewhere,
       text: await (await fetch("http://${host}")).text() };`,
    `permissions: { net: ["${host}"], env: ["CITY_TOKEN", "CITY_ZONE"] },`,
  );
  assert.deepEqual(JSON.parse(await world.call("caller")), {
    token: "abc",
    missing: null,
    other: "NotCapable",
    elsewhere: "NotCapable",
    text: "hello",
  });
  await world.writeTool("greedy", `return 1`, `permissions: { env: ["OPENAI_API_KEY"] },`);
  const message = await refusalOf(world.openTools("greedy"));
  assert.match(message, /OPENAI_API_KEY, a model provider's key/);
});

Deno.test("arguments are checked before a custom tool is called", async () => {
  await using world = await ToolWorld.open();
  await world.write(
    "strict.ts",
    `export default { description: "d", run: () => 1,
       parameters: { properties: { n: { type: "integer", default: 3 } } } };`,
  );
  const tool = await world.openTool("strict");
  assert.deepEqual(tool.check({}), { n: 3 });
  assert.throws(() => tool.check({ n: "x" }), /"n": Instance type "string" is invalid/);
  assert.throws(() => tool.check({ m: 1 }), /unknown argument "m"; known are n/);
});

Deno.test("openTools() says which module cannot be used, and why", async () => {
  await using world = await ToolWorld.open();
  await world.write("empty.js", `export const helper = 1;`);
  await world.write("outside.ts", `import "${join(world.fixture.outside, "secret.txt")}";`);
  await world.write("agents.ts", `import "../../me.md" with { type: "text" };`);
  await world.write("quitter.ts", `Deno.exit(0);`);
  await world.write("sum.py", "");
  await world.age();
  const cases: Record<string, RegExp> = {
    empty: /empty\.js: it exports no tool/,
    outside: /no read access to/,
    agents: /no read access to/,
    quitter: /ended its own process/,
    gone: /there is no gone\.ts and no gone\.js/,
    "../me": /not the name of a file in the tools folder/,
    ".quitter": /not the name of a file in the tools folder/,
    sum: /only sum\.py: tools are written in TypeScript or JavaScript.* belongs into a skill/,
  };
  for (const [module, expected] of Object.entries(cases)) {
    const message = await refusalOf(world.openTools(module));
    assert.match(message, expected, module);
    assert.match(message, /^The custom tool .* cannot be used: /);
    assert.ok(!message.includes("\n"), `more than a line: ${message}`);
    assert.deepEqual(await world.tools.inspect(module), { problem: message });
  }
  const { toolsDir } = world.directories;
  await Deno.symlink(join(world.fixture.outside, "secret.txt"), join(toolsDir, "out.ts"));
  await Deno.symlink("loop.ts", join(toolsDir, "loop.ts"));
  const sentence = await refusalOf(world.openTools("out"));
  assert.match(sentence, /out\.ts is a symbolic link that leads out/);
  assert.match(await refusalOf(world.openTools("loop")), /loop cannot be read \(ELOOP\)/);
});

Deno.test("loading a module runs none of its tools, and reaches neither agents nor workspace", async () => {
  await using world = await ToolWorld.open();
  await world.fixture.write("notes/a.txt", "untouched");
  await world.write(
    "loud.ts",
    `const tried: string[] = [];
     for (const path of ["${world.fixture.workspace}/notes/a.txt", "${world.directories.agentsDir}/me.md"]) {
       try { Deno.readTextFileSync(path); tried.push("read"); } catch { tried.push("refused"); }
       try { Deno.writeTextFileSync(path, "changed"); tried.push("wrote"); } catch { tried.push("refused"); }
     }
     export default { description: tried.join(), run: () => { throw new Error("ran") } };`,
  );
  const [tool] = await world.openTools("loud");
  assert.equal(tool?.description, "refused,refused,refused,refused");
  const expected = { toolNames: ["loud"], linksOut: [], unset: [] };
  assert.deepEqual(await world.tools.inspect("loud"), expected);
});

Deno.test("a first call starts one process, later ones none", async () => {
  await using world = await ToolWorld.open();
  await world.writeTool("pid", `return Deno.pid;`);
  await world.age();
  const tool = await world.openTool("pid");
  const afterLoading = world.starts;
  const first = await world.run(tool);
  assert.equal(world.starts, afterLoading + 1);
  for (let i = 0; i < 5; i++) assert.equal(await world.run(tool), first);
  const again = await world.openTool("pid");
  assert.equal(await world.run(again), first);
  assert.equal(world.starts, afterLoading + 1);
});

Deno.test("nothing in memory outlives a call of a custom tool", async () => {
  await using world = await ToolWorld.open();
  await world.write(
    "counter.ts",
    `let calls = 0; export default { description: "d", run: () => ++calls + (globalThis as any).left++ ,
       parameters: {} }; (globalThis as any).left ??= 0;`,
  );
  const tool = await world.openTool("counter");
  assert.deepEqual([await world.run(tool), await world.run(tool)], ["1", "1"]);
});

Deno.test("a changed file is loaded anew, and so is what it imports", async () => {
  await using world = await ToolWorld.open();
  await world.write("shared.ts", `export const text = "one";`);
  await world.write(
    "tool.ts",
    `import { text } from "./shared.ts"; export default { description: text, run: () => text };`,
  );
  await world.age();
  const open = async () => {
    const tool = await world.openTool("tool");
    return [tool.description, await world.run(tool)];
  };
  assert.deepEqual(await open(), ["one", "one"]);
  const starts = world.starts;
  assert.deepEqual(await open(), ["one", "one"]);
  assert.equal(world.starts, starts, "nothing changed, nothing is loaded");
  await world.write("shared.ts", `export const text = "two";`);
  assert.deepEqual(await open(), ["two", "two"]);
});

Deno.test("calls at the same time have a process each, within the bound", async () => {
  await using world = await ToolWorld.open({ processes: { max: 4 } });
  await world.fixture.write("notes/log.txt", "");
  const body = `await new Promise((resolve) => setTimeout(resolve, 50)); return Deno.pid;`;
  await world.writeTool("pid", body);
  await world.age();
  const tool = await world.openTool("pid");
  const before = world.starts;
  const pids = await Promise.all(Array.from({ length: 6 }, () => world.run(tool)));
  assert.equal(new Set(pids).size, 2);
  assert.equal(world.starts, before + 2);
});

Deno.test("tools that hang in one execution hold up no other execution's", async () => {
  await using world = await ToolWorld.open();
  await world.writeTool("waiter", WAITER);
  await world.writeTool("quick", `return "done";`);
  await world.fixture.write("notes/a.txt", "");
  const waiter = await world.openTool("waiter");
  const hanging = Array.from({ length: 8 }, () => world.run(waiter, {}, { executionId: 1 }));
  await until(() => world.logged.length === 4, "as many hang as may");
  assert.equal(await world.call("quick", {}, { executionId: 2 }), "done");
  await world.fixture.write("notes/go", "");
  assert.deepEqual(await Promise.all(hanging), hanging.map(() => "went"));
});

Deno.test("the time of a call begins with its process; a wait for one in vain is told as that", async () => {
  const clock = new TestClock();
  await using world = await ToolWorld.open({ clock, processes: { max: 1 } });
  await world.writeTool("waiter", WAITER, "timeout: 5,");
  await world.fixture.write("notes/a.txt", "");
  const waiter = await world.openTool("waiter");
  // Its own clock stands still: it hangs as long as the test wants.
  const first = world.run(waiter, {}, { executionId: 1, clock: new TestClock() });
  await until(() => world.logged.length === 1, "the first call runs");
  const wait = 11 * 60_000;
  const late = failureOf(world.run(waiter, {}, { executionId: 2, clock }));
  await until(() => clock.awaits(wait), "the second call waits");
  await clock.advance(wait - 1_000);
  const third = world.run(waiter, {}, { executionId: 3, clock });
  await until(() => clock.awaits(wait), "the third call waits");
  await clock.advance(1_000);
  assert.equal(
    await late,
    "The call never began: all custom tools share 1 processes, and none became free for it within 11 minutes. " +
      "Try again when fewer calls are running.",
  );
  await world.fixture.write("notes/go", "");
  assert.deepEqual(await Promise.all([first, third]), ["went", "went"]);
});

Deno.test("a full house of idle processes makes room for another tool", async () => {
  await using world = await ToolWorld.open({ processes: { max: 1 } });
  await world.writeTool("one", `return Deno.pid;`);
  await world.writeTool("two", `return Deno.pid;`);
  const one = Number(await world.call("one"));
  const two = Number(await world.call("two"));
  assert.notEqual(one, two);
  assert.equal(await systemProcesses.isAlive(one), false);
});

Deno.test("a process that waits for a call in vain is ended", async () => {
  const clock = new TestClock();
  await using world = await ToolWorld.open({ clock, processes: { idleMs: 60_000 } });
  await world.writeTool("pid", `return Deno.pid;`);
  const pid = Number(await world.call("pid"));
  await clock.advance(59_000);
  assert.equal(await systemProcesses.isAlive(pid), true);
  await clock.advance(1_000);
  await until(async () => !(await systemProcesses.isAlive(pid)), "the idle process is gone");
});

Deno.test("disposing leaves no process, whether it was busy or idle", async () => {
  const pids: number[] = [];
  {
    await using world = await ToolWorld.open();
    await world.writeTool(
      "pid",
      `context.log("pid " + Deno.pid); await context.resolvePath("."); if (args.wait) await new Promise(() => {}); return Deno.pid;`,
    );
    pids.push(Number(await world.call("pid")));
    const tool = await world.openTool("pid");
    const busy = [1, 2].map(() => failureOf(world.run(tool, { wait: true })));
    await until(() => world.logged.length === 3, "both calls run");
    for (const line of world.logged) pids.push(Number(line.split(" ").at(-1)));
    await world.tools[Symbol.asyncDispose]();
    for (const failure of busy) assert.match(await failure, /was ended before it had a result/);
    for (const pid of pids) assert.equal(await systemProcesses.isAlive(pid), false);
    assert.match(await failureOf(world.run(tool)), /The service is stopping/);
  }
});

for (const kind of ["source", "binary"] as const) {
  Deno.test(`a tool's schema is checked whole, what may take long in a process of its own (${kind})`, async () => {
    await using binary = await openBinary();
    await using world = await ToolWorld.open(kind === "binary" ? { program: binary.program } : {});
    const properties = { code: { type: "string", pattern: "^[A-Z]{2}$" }, next: { $ref: "#" } };
    const parameters = { type: "object", properties };
    await world.write(
      "coded.ts",
      `export default { description: "x", run: ({ code }) => "ran " + code,
       parameters: ${JSON.stringify(parameters)} };`,
    );
    assert.equal(await world.call("coded", { code: "AB", next: { code: "CD" } }), "ran AB");
    const misfit = world.call("coded", { code: "AB", next: { code: "c" } });
    const expected =
      'The arguments do not fit coded:\n- "next.code": String does not match pattern';
    assert.equal(await failureOf(misfit), expected);
  });
}

Deno.test("a check of arguments that does not end is ended, and the call fails", async () => {
  await using world = await ToolWorld.open();
  await world.write(
    "endless.ts",
    `export default { description: "x", run: () => "ran",
       parameters: { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } } };`,
  );
  class NoPatience extends SystemClock {
    override sleep = () => Promise.resolve();
  }
  const call = world.call("endless", { a: `${"a".repeat(60)}!` }, { clock: new NoPatience() });
  const expected =
    /^The check of the arguments of endless against its schema took longer than 5 s: .*Try other/;
  assert.match(await failureOf(call), expected);
});

Deno.test("a variable that a tool asks for and that is not set is told: before a run, in the log, and with a failure", async () => {
  await using world = await ToolWorld.open({ variables: { THERE: "1" } });
  const permissions = `permissions: { env: ["THERE", "MY_TOKEN", "OTHER"] },`;
  const body = `if (args.strict) throw new Error("no token"); return "ran";`;
  await world.writeTool("asking", body, permissions);
  const expected = { toolNames: ["asking"], linksOut: [], unset: ["MY_TOKEN", "OTHER"] };
  assert.deepEqual(await world.tools.inspect("asking"), expected);
  const sentence = "Not set, though the tool asks for it: MY_TOKEN, OTHER.";
  assert.equal(await world.call("asking"), "ran");
  assert.deepEqual(world.logged, [`asking: ${sentence}`]);
  assert.equal(await failureOf(world.call("asking", { strict: true })), `no token\n${sentence}`);
});

Deno.test("the service answers others between the paths that a tool asks for all at once", async () => {
  await using world = await ToolWorld.open();
  await world.writeTool(
    "asker",
    `const deep = "{workspace}/" + "a/".repeat(900);
     const ask = (n: number) => context.resolvePath(deep + n).catch((e: Error) => e.message);
     return (await Promise.all(Array.from({ length: 300 }, (_, n) => ask(n)))).length;`,
  );
  const context = world.context();
  let others = 0;
  const other = setInterval(() => others++);
  const turns: number[] = [];
  const { sandbox } = context;
  const resolve = sandbox.resolve.bind(sandbox);
  sandbox.resolve = (...asked) => {
    // As on a slow disk: each of the first requests takes a slice of its own.
    for (const end = performance.now() + 11; turns.length < 20 && performance.now() < end;);
    turns.push(others);
    return resolve(...asked);
  };
  try {
    const tool = await world.openTool("asker");
    assert.equal(await tool.run(tool.check({}), context), "300");
  } finally {
    clearInterval(other);
  }
  assert.equal(new Set(turns.slice(0, 20)).size, 20);
});
