// Tests how custom tools are described, checked, run and loaded again.
import assert from "node:assert/strict";
import { join } from "node:path";
import { SystemClock } from "../../../../base/clock.ts";
import { failureOf, refusalOf } from "../files/sandbox_fixture.ts";
import { ToolWorld } from "./tool_world.ts";

Deno.test("openTools() names each tool by its `name` or by its export", async () => {
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
     let calls = 0;
     export const count = { description: "Counts", run: () => ++calls };
     export { named };
     export default [named, { description: "Whenever", run() { return undefined; } }];`,
  );
  const tools = await world.openTools("weather");
  assert.deepEqual(tools.map(({ name, description }) => [name, description]), [
    ["count", "Counts"],
    ["today", "Today's weather"],
    ["tomorrow", "Tomorrow's"],
    ["weather", "Whenever"],
  ]);
  const [count, today, tomorrow, whenever] = tools;
  assert.ok(count && today && tomorrow && whenever);
  assert.deepEqual([today.effect({}), tomorrow.effect({})], ["read", "unsafe"]);
  assert.equal(await world.run(today), "sun");
  assert.equal(await world.run(tomorrow, { city: "Rome" }), '{"city":"Rome","sky":["clouds"]}');
  assert.equal(await world.run(whenever), "The tool returned nothing.");
  const counted = [await world.run(count), await world.run(count)];
  assert.deepEqual(counted, ["1", "1"], "nothing in memory outlives a call");
});

Deno.test("a custom tool reaches only its agent's paths", async (t) => {
  await using world = await ToolWorld.open();
  const { workspace, base, outside } = world.fixture;
  await world.fixture.write("notes/a.txt", "text");
  const notes = join(workspace, "notes");
  const paths = [{ alias: "notes", path: notes }];
  const { where, reader, lister, asker } = await world.openModule("reaching", {
    where: `const { agentId, executionId, workspace, paths } = context;
      const refusals = [];
      for (const path of ["{nowhere}/a", "../x", "agents/me.md", "/etc/passwd", ".env"]) {
        await context.resolvePath(path).then(() => refusals.push("open " + path), (e: Error) => refusals.push(e.message));
      }
      return { agentId, executionId, workspace, paths, cwd: Deno.cwd(), a: await context.resolvePath("{notes}/a.txt"),
        text: await Deno.readTextFile(await context.resolvePath("{notes}/new.txt", "write").then((path: string) => {
          Deno.writeTextFileSync(path, "new"); return path; })), refusals };`,
    reader: `const text = await Deno.readTextFile(args.path);
      await Deno.writeTextFile(args.path, "changed"); return text;`,
    lister: "for await (const _ of Deno.readDir(args.path));",
    asker: `const deep = "{workspace}/" + "a/".repeat(900);
      const ask = (n: number) => context.resolvePath(deep + n).catch((e: Error) => e.message);
      return (await Promise.all(Array.from({ length: 8 }, (_, n) => ask(n)))).length;`,
  });

  await t.step("a custom tool gets the calling agent and its paths", async () => {
    const { refusals, ...told } = JSON.parse(await world.run(where, {}, { paths }));
    assert.deepEqual(told, {
      agentId: "me",
      executionId: 7,
      workspace,
      paths: { workspace, notes },
      cwd: workspace,
      a: join(notes, "a.txt"),
      text: "new",
    });
    assert.equal(refusals.length, 5);
    for (const refused of refusals) assert.match(refused, /^(Cannot read|Unknown path alias)/);
    assert.ok(!JSON.stringify(refusals).includes(base));
  });

  await t.step("a custom tool reads read-only paths and cannot write them", async () => {
    const path = join(outside, "deep/a.txt");
    const options = { paths, readPaths: [join(outside, "deep")] };
    const failure = await failureOf(world.run(reader, { path }, options));
    assert.equal(failure, `This tool has no write access to "${path}"`);
  });

  await t.step(
    "a missing path is reported as missing, even in a partly open folder",
    async () => {
      const cases: [path: string, options: object, expected: RegExp][] = [
        [join(workspace, "nowhere"), {}, /^".*nowhere" does not exist$/],
        [join(notes, "nowhere"), { paths }, /No such file|does not exist/],
        [join(outside, "nowhere"), {}, /no read access to ".*nowhere"$/],
        [join(workspace, "agents/nowhere.md"), {}, /no read access to/],
      ];
      for (const [path, options, expected] of cases) {
        assert.match(await failureOf(world.run(lister, { path }, options)), expected);
      }
    },
  );

  await t.step(
    "the service answers other requests between a tool's path requests",
    async () => {
      const context = world.context();
      let others = 0;
      const other = setInterval(() => others++);
      const turns: number[] = [];
      const { sandbox } = context;
      const resolve = sandbox.resolve.bind(sandbox);
      sandbox.resolve = (...asked) => {
        // Simulates a slow disk: each of the first requests blocks the thread for one time slice.
        for (const end = performance.now() + 11; turns.length < 5 && performance.now() < end;);
        turns.push(others);
        return resolve(...asked);
      };
      try {
        assert.equal(await asker.run(asker.check({}), context), "8");
      } finally {
        clearInterval(other);
      }
      assert.equal(new Set(turns.slice(0, 5)).size, 5);
    },
  );
});

Deno.test("a custom tool gets its declared hosts and variables, but no provider's key", async (t) => {
  const variables = { CITY_TOKEN: "abc", OTHER: "def", OPENAI_API_KEY: "key" };
  await using world = await ToolWorld.open({ variables });
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("hello"),
  );
  const host = `127.0.0.1:${server.addr.port}`;
  const { caller, strict } = await world.openModule("declaring", {
    caller: [
      `const other = await Promise.resolve().then(() => Deno.env.get("OTHER")).catch((e: Error) => e.name);
       const elsewhere = await fetch("http://localhost:${server.addr.port}").catch((e: Error) => e.name);
       return { token: Deno.env.get("CITY_TOKEN"), missing: Deno.env.get("CITY_ZONE") ?? null, other, elsewhere,
         text: await (await fetch("http://${host}")).text() };`,
      `permissions: { net: ["${host}"], env: ["CITY_TOKEN", "CITY_ZONE"] },`,
    ],
    strict: [
      `throw new Error("no token");`,
      `permissions: { env: ["CITY_TOKEN", "CITY_ZONE", "CITY_MAP"] },`,
    ],
  });
  await t.step("a running tool gets only its declared hosts and variables", async () => {
    assert.deepEqual(JSON.parse(await world.run(caller)), {
      token: "abc",
      missing: null,
      other: "NotCapable",
      elsewhere: "NotCapable",
      text: "hello",
    });
    await world.writeTool("greedy", `return 1`, `permissions: { env: ["OPENAI_API_KEY"] },`);
    const message = await refusalOf(world.openTools("greedy"));
    assert.match(message, /OPENAI_API_KEY with a key of a provider/);
  });
  await t.step(
    "an unset variable is reported before a run, in the log, and with a failure",
    async () => {
      const expected = {
        toolNames: ["caller", "strict"],
        linksOut: [],
        unset: ["CITY_ZONE", "CITY_MAP"],
      };
      assert.deepEqual(await world.tools.inspect("declaring"), expected);
      const sentence = "The tool requests variables that are not set: CITY_ZONE";
      assert.deepEqual(world.logged, [`${sentence}.`]);
      const failure = await failureOf(world.run(strict));
      assert.equal(failure, `no token\n${sentence}, CITY_MAP.`);
    },
  );
});

Deno.test("openTools() reports an unusable module with the reason", async () => {
  await using world = await ToolWorld.open();
  await world.write("empty.js", `export const helper = 1;`);
  await world.write("agents.ts", `import "../../me.md" with { type: "text" };`);
  await world.write("quitter.ts", `Deno.exit(0);`);
  await world.write("sum.py", "");
  const { toolsDir } = world.directories;
  await Deno.symlink(join(world.fixture.outside, "secret.txt"), join(toolsDir, "out.ts"));
  await Deno.symlink("loop.ts", join(toolsDir, "loop.ts"));
  const cases: Record<string, RegExp> = {
    empty: /empty\.js: it exports no tool/,
    agents: /no read access to/,
    quitter: /ended its own process/,
    gone: /there is no gone\.ts and no gone\.js/,
    file_read: /no file_read\.js in .*\. It is a built-in tool, which every agent has: remove it/,
    run_agent: /It is a built-in tool, which the field agents adds: remove it from this list$/,
    "../me": /not the name of a file in the tools folder/,
    ".quitter": /not the name of a file in the tools folder/,
    sum: /only sum\.py: tools are written in TypeScript or JavaScript.* belongs in a skill/,
    out: /out\.ts is a symbolic link that points out/,
    loop: /loop cannot be read \(ELOOP\)/,
  };
  for (const [module, expected] of Object.entries(cases)) {
    const message = await refusalOf(world.openTools(module));
    assert.match(message, expected, module);
    assert.match(message, /^The custom tool .* cannot be used: /);
    assert.ok(!message.includes("\n"), `more than a line: ${message}`);
  }
  const problem = await refusalOf(world.openTools("gone"));
  assert.deepEqual(await world.tools.inspect("gone"), { problem });
});

Deno.test("loading a module runs no tool, and cannot read agents and workspace", async () => {
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

Deno.test("openTools() loads changed files and changed imports again", async () => {
  await using world = await ToolWorld.open();
  await world.write("shared.ts", `export const text = "one";`);
  await world.write(
    "tool.ts",
    `import { text } from "./shared.ts"; export default { description: text, run: () => text };`,
  );
  const open = async () => {
    const tool = await world.openTool("tool");
    return [tool.description, await world.run(tool)];
  };
  assert.deepEqual(await open(), ["one", "one"]);
  const starts = world.starts;
  assert.deepEqual(await open(), ["one", "one"]);
  assert.equal(world.starts, starts + 1, "nothing changed, so only the call needs a process");
  const shared = join(world.directories.toolsDir, "shared.ts");
  await Deno.writeTextFile(shared, `export const text = "two";`);
  assert.deepEqual(await open(), ["two", "two"]);
});

Deno.test("a separate process checks slow keywords of a tool's schema", async () => {
  await using world = await ToolWorld.open();
  const properties = {
    code: { type: "string", pattern: "^[A-Z]{2}$" },
    slow: { type: "string", pattern: "^(a+)+$" },
    next: { $ref: "#" },
    n: { type: "integer", default: 3 },
  };
  const parameters = { type: "object", properties };
  await world.write(
    "coded.ts",
    `export default { description: "x", run: ({ code }) => "ran " + code,
     parameters: ${JSON.stringify(parameters)} };`,
  );
  const tool = await world.openTool("coded");
  assert.deepEqual(tool.check({}), { n: 3 });
  assert.throws(() => tool.check({ n: "x" }), /"n": Instance type "string" is invalid/);
  assert.throws(
    () => tool.check({ m: 1 }),
    /unknown argument "m"; known are code, slow, next, n/,
  );
  const misfit = world.run(tool, { code: "AB", next: { code: "c" } });
  const expected = 'The arguments do not fit coded:\n- "next.code": String does not match pattern';
  assert.equal(await failureOf(misfit), expected);
  assert.equal(await world.run(tool, { code: "AB", next: { code: "CD" } }), "ran AB");
  class NoPatience extends SystemClock {
    override sleep = () => Promise.resolve();
  }
  const call = world.run(tool, { slow: `${"a".repeat(60)}!` }, { clock: new NoPatience() });
  const late =
    /^The check of the arguments of coded against its schema took longer than 5 s: .*Try other/;
  assert.match(await failureOf(call), late);
});
