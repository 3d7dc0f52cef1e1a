// The example of docs/tools.md: custom_tool_test.ts compares both.
import type { CustomTool } from "../../../../runtime/tools/custom/custom_tool.ts";

const search: CustomTool<{ folder: string }> = {
  description: "Counts the entries of a folder",
  parameters: {
    type: "object",
    properties: { folder: { type: "string", description: "{alias}/path" } },
    required: ["folder"],
  },
  effect: "read",
  async run({ folder }, context) {
    let count = 0;
    for await (const _ of Deno.readDir(await context.resolvePath(folder))) count++;
    return `${count} entries`;
  },
};

export default search;
