// Tests that the table of the built-in tools agrees with the tools.
import assert from "node:assert/strict";
import { createMailTools } from "../../../runtime/tools/mail/mail_tools.ts";
import { FILE_CHANGERS } from "../../../runtime/tools/file_changers.ts";
import { createBuiltinTools } from "../../../runtime/tools/toolbox.ts";
import {
  builtinToolsBy,
  fileChangers,
  findBuiltinTool,
} from "../../../runtime/vocabulary/builtin_tools.ts";

const common = createBuiltinTools({ http: { allow: [], deny: [], ownPorts: () => [] } });

Deno.test("builtinToolsBy() returns the tools that every agent has, in their order", () => {
  assert.deepEqual(common.map(({ name }) => name), builtinToolsBy(undefined));
});

Deno.test("each tool that changes files has a preview", () => {
  assert.deepEqual(Object.values(FILE_CHANGERS).map(({ name }) => name), fileChangers());
  for (const { name, preview } of Object.values(FILE_CHANGERS)) {
    assert.notEqual(preview, undefined, name);
  }
});

Deno.test("the facts about written files fit the tools", () => {
  const mail = createMailTools({ autoApprove: [], mail: { account: "home" } }, () => {
    throw new Error("opens no account");
  });
  for (const tool of [...common, ...mail]) {
    const { mayWriteFile = false, writtenPath } = findBuiltinTool(tool.name) ?? {};
    assert.equal("writesFile" in tool, mayWriteFile, tool.name);
    const names = Object.keys(tool.parameters["properties"] ?? {});
    assert.ok(writtenPath === undefined || names.includes(writtenPath), tool.name);
  }
});
