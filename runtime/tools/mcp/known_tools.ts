// The tools of servers as they were when they were last used: one that has changed since asks a person first.
import type { McpConfirm } from "../../config/agent_settings.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { QuestionRaised } from "../question_raised.ts";
import type { ToolContext, ToolQuestion } from "../tool.ts";
import { ToolFailure } from "../tool_failure.ts";
import type { RemoteTool } from "./remote_tool.ts";
import { describeChange, type ToolPrint } from "./tool_print.ts";

/** The port to where prints are kept, by server and tool. */
export interface KnownToolStore {
  /** Undefined for one that was never used. */
  findTool(server: string, tool: string): Promise<ToolPrint | undefined>;
  /** In place of what was kept before. */
  keepTool(server: string, tool: string, print: ToolPrint): Promise<void>;
}

/** What they need. */
export interface KnownToolsOptions {
  store: KnownToolStore;
  log: ServiceLog;
  /** With `none` a change is logged and nobody is asked. */
  mcpConfirm(): McpConfirm | undefined;
}

/** Compares tools with what is kept of them. */
export class KnownTools {
  readonly #options: KnownToolsOptions;

  constructor(options: KnownToolsOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the tool may be called by this call: it is new, as it was, or a person allowed it as it is now, and is kept
   * as that. Throws QuestionRaised where nobody has been asked yet, and ToolFailure where the person said no.
   */
  async admit(
    server: string,
    { name, print }: Pick<RemoteTool, "name" | "print">,
    { answers }: Pick<ToolContext, "answers">,
  ): Promise<void> {
    const { store, log, mcpConfirm } = this.#options;
    const known = await store.findTool(server, name);
    if (known?.digest === print.digest) return;
    if (known !== undefined) {
      if ((mcpConfirm() ?? "none") === "none") {
        const tool = `${server}/${name}`;
        const change = describeChange(known, print).join("; ");
        log.write("warn", `A tool of an MCP server has changed: ${change}`, { tool });
      } else {
        const question = toQuestion({ server, name, known, print });
        const given = answers.find((one) => one.question.message === question.message)?.answer;
        if (given === undefined) throw new QuestionRaised(question);
        if (!("approved" in given && given.approved)) {
          const reason = "approved" in given && given.reason ? `: ${given.reason}` : "";
          throw new ToolFailure(`Action denied by user${reason}`);
        }
      }
    }
    await store.keepTool(server, name, print);
  }
}

function toQuestion(
  { server, name, known, print }: {
    server: string;
    name: string;
    known: ToolPrint;
    print: ToolPrint;
  },
): ToolQuestion {
  // The digest tells two changes apart that read the same: an answer to one is none to the other.
  const lines = [
    `Allow ${name}? The MCP server "${server}" has changed this tool since it was last used`,
    ...describeChange(known, print),
    `Digest: ${print.digest.slice(0, 32)}`,
  ];
  return { kind: "confirm", message: lines.join("\n"), options: null, multi: false };
}
