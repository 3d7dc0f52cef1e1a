// A tool of a server as an agent's tool.
import type { JsonObject } from "../../../base/json.ts";
import { compileArgumentsCheck } from "../json_schema/arguments_check.ts";
import type { ActionTool } from "../tool.ts";
import type { RemoteTool } from "./remote_tool.ts";
import type { CallOptions } from "./session.ts";

/** Of what a server says during one call, so many lines enter the service log. */
const PROGRESS_LINES = 10;

/**
 * The tool, under the name it has among the agent's others. `call` makes the call at the server; how long it may take is the
 * caller's to watch, by `timeoutMs`.
 */
export async function createMcpTool(
  tool: RemoteTool,
  options: {
    name: string;
    /** See ToolDeclaration. */
    otherNames: readonly string[];
    timeoutMs: number;
    call(args: JsonObject, options: CallOptions): Promise<string>;
  },
): Promise<ActionTool> {
  const { name, otherNames, timeoutMs, call } = options;
  const { description, parameters, effect } = tool;
  // What the schema says beyond that is the server's to check.
  const { check } = await compileArgumentsCheck(name, parameters);
  return {
    name,
    otherNames,
    description,
    parameters,
    timeoutMs,
    check,
    effect: () => effect,
    async run(args, { signal, redactor, log }) {
      let lines = 0;
      const onProgress = (line: string) => {
        if (++lines <= PROGRESS_LINES) log(line);
      };
      return await call(args, { signal, redactor, onProgress });
    },
  };
}
