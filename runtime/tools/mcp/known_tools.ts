// The servers' tools as they were at their last use. A tool that has changed since needs a person's confirmation.
import type { McpConfirm } from "../../config/agent_settings.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { QuestionRaised } from "../definition/question_raised.ts";
import type { ToolContext, ToolQuestion } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { RemoteTool } from "./remote_tool.ts";
import { describeChange, type ToolFingerprint } from "./tool_fingerprint.ts";

/** The store of tool fingerprints, by server and tool. */
export interface KnownToolStore {
  /** Returns undefined for a tool that was never used. */
  findTool(server: string, tool: string): Promise<ToolFingerprint | undefined>;
  /** Replaces an earlier fingerprint. */
  keepTool(server: string, tool: string, fingerprint: ToolFingerprint): Promise<void>;
}

/** The collaborators of KnownTools. */
export interface KnownToolsOptions {
  store: KnownToolStore;
  log: ServiceLog;
  /** With `none` a change is only logged. */
  mcpConfirm(): McpConfirm | undefined;
}

/** Compares tools with their stored fingerprints. */
export class KnownTools {
  readonly #options: KnownToolsOptions;

  constructor(options: KnownToolsOptions) {
    this.#options = options;
  }

  /**
   * Admits a call if the tool is new, unchanged, or allowed by a person in its present form, and stores that form. Throws
   * QuestionRaised when no person has been asked yet, and ToolFailure when the person refused.
   */
  async admit(
    server: string,
    { name, fingerprint }: Pick<RemoteTool, "name" | "fingerprint">,
    { answers }: Pick<ToolContext, "answers">,
  ): Promise<void> {
    const { store, log, mcpConfirm } = this.#options;
    const known = await store.findTool(server, name);
    if (known?.digest === fingerprint.digest) return;
    if (known !== undefined) {
      if ((mcpConfirm() ?? "none") === "none") {
        const tool = `${server}/${name}`;
        const change = describeChange(known, fingerprint).join("; ");
        log.write("warn", `A tool of an MCP server has changed: ${change}`, { tool });
      } else {
        const question = toQuestion({ server, name, known, fingerprint });
        const given = answers.find((one) => one.question.message === question.message)?.answer;
        if (given === undefined) throw new QuestionRaised(question);
        if (!("approved" in given && given.approved)) {
          const reason = "approved" in given && given.reason ? `: ${given.reason}` : "";
          throw new ToolFailure(`Action denied by user${reason}`);
        }
      }
    }
    await store.keepTool(server, name, fingerprint);
  }
}

function toQuestion(
  { server, name, known, fingerprint }: {
    server: string;
    name: string;
    known: ToolFingerprint;
    fingerprint: ToolFingerprint;
  },
): ToolQuestion {
  // The digest distinguishes changes with equal descriptions, so that an answer to one does not count for another.
  const lines = [
    `Allow ${name}? The MCP server "${server}" has changed this tool since it was last used`,
    ...describeChange(known, fingerprint),
    `Digest: ${fingerprint.digest.slice(0, 32)}`,
  ];
  return { kind: "confirm", message: lines.join("\n"), options: null, multi: false };
}
