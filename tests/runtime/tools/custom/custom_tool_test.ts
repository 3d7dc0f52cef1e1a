// Tests that the types for authors of tools match the check of their declarations.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { CustomTool } from "../../../../runtime/tools/custom/custom_tool.ts";
import type { FileToolDeclaration } from "../../../../runtime/tools/custom/tool_declaration.ts";
import { parseDeclarations } from "../../../../runtime/tools/custom/tool_declaration.ts";
import { REPOSITORY } from "../../../support/repository.ts";
import { ToolWorld } from "./tool_world.ts";

type Same<A, B> = [A] extends [B] ? [B] extends [A] ? true : false : false;
/** The fields that CustomTool and FileToolDeclaration both have. */
type Written = Required<Omit<CustomTool, "run" | "timeout">>;
type Read = Omit<FileToolDeclaration, "timeoutMs">;

const hasSameFields: Same<keyof Written, keyof Read> = true;
const hasSameEffects: Same<Written["effect"], Read["effect"]> = true;
const hasSamePermissions: Same<Required<Written["permissions"]>, Read["permissions"]> = true;

Deno.test("CustomTool has exactly the fields of a declaration", () => {
  assert.ok(hasSameFields && hasSameEffects && hasSamePermissions);
  const whole: Written & Required<Pick<CustomTool, "timeout">> = {
    name: "whole",
    description: "Has everything",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    permissions: { net: ["api.example.com:8443"], env: ["MY_TOKEN"] },
    effect: "idempotent",
    timeout: 600,
  };
  const { timeout, ...rest } = whole;
  const timeoutMs = timeout * 1_000;
  assert.deepEqual(parseDeclarations(JSON.stringify([whole])), [{ ...rest, timeoutMs }]);
});

Deno.test("parseDeclarations() reports the faults of a declaration", () => {
  let deep = {};
  for (let level = 0; level < 68; level++) deep = { items: deep };
  const refused: [declared: object, problem: RegExp][] = [
    [
      { description: undefined },
      /tool "one" is not declared correctly: description must be a text/,
    ],
    [{ permissions: { run: true } }, /permissions may name net and env, nothing else/],
    [
      { permissions: { env: ["LD_PRELOAD"] } },
      /permissions\.env\.0 is a variable that no tool gets/,
    ],
    [{ timeout: 4_000 }, /timeout .*600/],
    [{ parameters: { type: "array" } }, /parameters must be a schema of type object/],
    [
      { parameters: { title: "x".repeat(70_000) } },
      /the parameters of its tool one are over 64 KB/,
    ],
    [{ parameters: deep }, /what it exports is nested over 70 levels deep/],
  ];
  const problemOf = (...declared: object[]) =>
    JSON.stringify(parseDeclarations(
      JSON.stringify(declared.map((one) => ({ name: "one", description: "d", ...one }))),
    ));
  for (const [declared, problem] of refused) {
    assert.match(problemOf(declared).replaceAll("\\", ""), problem);
  }
  assert.match(problemOf({}, {}), /two tools with the name one/);
});

/** The example of docs/tools.md, whose type `deno task check` checks. */
const EXAMPLE = join(REPOSITORY, "tests/runtime/tools/custom/documented_tool.ts");

Deno.test("the example of a custom tool in docs/tools.md runs and has the type CustomTool", async () => {
  const page = await Deno.readTextFile(join(REPOSITORY, "docs/tools.md"));
  const code = /^```ts\n(.*?)^```$/ms.exec(page)?.[1] ?? "";
  const checked = (await Deno.readTextFile(EXAMPLE)).replace(
    /"[./]*\/runtime\/tools\/custom\//,
    '"./',
  );
  assert.equal(checked.slice(checked.indexOf("import")), code);
  await using world = await ToolWorld.open();
  await world.write("search.ts", code);
  await world.fixture.write("notes/a.txt", "");
  const notes = join(world.fixture.workspace, "notes");
  const entries = [...Deno.readDirSync(notes)].length;
  const paths = [{ alias: "notes", path: notes }];
  const result = await world.call("search", { folder: "{notes}" }, { paths });
  assert.equal(result, `${entries} entries`);
});
