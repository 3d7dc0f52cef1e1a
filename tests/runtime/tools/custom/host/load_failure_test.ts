// Tests the message for a tool's file that cannot be loaded: one sentence with the position.
import assert from "node:assert/strict";
import { join } from "node:path";
import { failureOf } from "../../files/sandbox_fixture.ts";
import { ToolWorld } from "../tool_world.ts";

const RULE =
  "a custom tool may import only node: modules and, by relative path, files of the tools folder";

const TOOL = `export default { description: "d", run: () => 1 };`;

Deno.test("openTools() reports the fault and its position in an unusable file", async () => {
  await using world = await ToolWorld.open();
  const { toolsDir } = world.directories;
  await world.write("broken.ts", "\nconst b = ;");
  await world.write("inner.ts", `import "./broken.ts";\n${TOOL}`);
  assert.deepEqual(await world.tools.inspect("inner"), {
    problem: `The custom tool inner cannot be used: ${toolsDir}/broken.ts:2:11: ` +
      "SyntaxError: Expression expected",
  });
});

Deno.test("a call fails with the fault and its position if it cannot load a file", async () => {
  await using world = await ToolWorld.open();
  // The calls share a process, which a tool that is loaded for its description does not.
  await world.writeTool(
    "loader",
    `if (args.file) return await import("./" + args.file); return await import("npm:left-pad");`,
  );
  const cases: Record<string, [source: string, failure: string]> = {
    "": ["", `Cannot import "npm:left-pad" (loader.ts:3:`],
    "thrown.ts": [
      `const f = () => {\n  throw new Error("no good");\n};\nf();\n${TOOL}`,
      "no good",
    ],
    "bare.ts": [`import "left-pad";`, `Cannot import "left-pad" (bare.ts:1:8): ${RULE}`],
    "npm.ts": [
      `// Pads.\nimport x from "npm:left-pad"; x; ${TOOL}`,
      `Cannot import "npm:left-pad" (npm.ts:2:15): ${RULE}`,
    ],
    "url.ts": [
      `await import("https://localhost:9/x.ts"); ${TOOL}`,
      `Cannot import "https://localhost:9/x.ts" (url.ts:1:1): ${RULE}`,
    ],
    "outer.ts": [
      `import "./lib/package.ts";`,
      `Cannot import "jsr:@std/path" (lib/package.ts:1:8): ${RULE}`,
    ],
    "engine.ts": [
      `const a = 1; let a = 2;\n${TOOL}`,
      "engine.ts:1:18: Identifier 'a' has already been declared",
    ],
    "exports.ts": [
      `import { b } from "./loader.ts"; b;\n${TOOL}`,
      "exports.ts:1:10: The requested module './loader.ts' does not provide an export named 'b'",
    ],
  };
  await Deno.mkdir(join(world.directories.toolsDir, "lib"));
  await world.write("lib/package.ts", `import "jsr:@std/path";`);
  const tool = await world.openTool("loader");
  for (const [file, [source, failure]] of Object.entries(cases)) {
    if (file !== "") await world.write(file, source);
    const message = await failureOf(world.run(tool, { file }));
    assert.equal(message.slice(0, failure.length), failure);
  }
  assert.deepEqual(world.logged.filter((line) => line.includes("--no-npm")), []);
});
