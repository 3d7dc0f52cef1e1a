// Compares MCP tools with their state at their last use. If a tool has changed since, a person must confirm its use.
import type { McpConfirm } from "../../../config/agent_settings.ts";
import type { ServiceLog } from "../../../service_log/service_log.ts";
import { QuestionRaised } from "../../definition/raised.ts";
import type { ToolContext, ToolQuestion } from "../../definition/tool.ts";
import { ToolFailure } from "../../failures/tool_failure.ts";
import type { RemoteTool } from "./remote_tool.ts";
import { describeChange, type ToolFingerprint } from "./tool_fingerprint.ts";

/** The store of the fingerprints of used tools, by server and tool. */
export interface KnownToolStore {
  /** Returns the stored fingerprint of a tool, or undefined if the tool was never used. */
  findTool(server: string, tool: string): Promise<ToolFingerprint | undefined>;
  /** Stores a tool's fingerprint, and replaces the previous one. */
  keepTool(server: string, tool: string, fingerprint: ToolFingerprint): Promise<void>;
}

/**
 * Allows a call if the tool is new or unchanged, or a person has allowed the changed tool. Then stores the tool's
 * fingerprint. Throws QuestionRaised if no person was asked yet, and ToolFailure if the person denied it.
 */
export async function admitTool(
  server: string,
  { name, fingerprint }: Pick<RemoteTool, "name" | "fingerprint">,
  { knownTools, log, mcpConfirm, answers }: Pick<ToolContext, "answers"> & {
    /** Undefined in a workspace in which no tool of a server is called. */
    knownTools?: KnownToolStore;
    log: ServiceLog;
    /** Returns the setting `mcp_confirm`. If it is `none` or not set, a changed tool is only logged. */
    mcpConfirm(): McpConfirm | undefined;
  },
): Promise<void> {
  const known = await knownTools?.findTool(server, name);
  if (known?.digest === fingerprint.digest) return;
  if (known !== undefined) {
    const changes = describeChange(known, fingerprint);
    if ((mcpConfirm() ?? "none") === "none") {
      const tool = `${server}/${name}`;
      log.write("warn", `A tool of an MCP server has changed: ${changes.join("; ")}`, { tool });
    } else {
      // The digest distinguishes changes with the same description. So the answer to one change is not used for another.
      const lines = [
        `Allow ${name}? The MCP server "${server}" has changed this tool since it was last used`,
        ...changes,
        `Digest: ${fingerprint.digest.slice(0, 32)}`,
      ];
      const message = lines.join("\n");
      const question: ToolQuestion = { kind: "confirm", message, options: null, multi: false };
      const given = answers.find((one) => one.question.message === question.message)?.answer;
      if (given === undefined) throw new QuestionRaised(question);
      if (!("approved" in given && given.approved)) {
        const reason = "approved" in given && given.reason ? `: ${given.reason}` : "";
        throw new ToolFailure(`Action denied by user${reason}`);
      }
    }
  }
  await knownTools?.keepTool(server, name, fingerprint);
}
