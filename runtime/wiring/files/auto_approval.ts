// Adds a tool to `auto_approve` in an agent's file, or a command to `shell.allow`, so that the agent need not ask.
import { isDeepStrictEqual } from "node:util";
import type { Agent } from "../../agents/agent.ts";
import { addAllowedCommand, addAutoApproval } from "../../agents/approval/approval_edit.ts";
import { isAllowed, proposePatterns, toPatterns } from "../../agents/approval/command_patterns.ts";
import { isGuarded, isGuardedWriter, type NamedTool } from "../../agents/guarded_tools.ts";
import { parseAgent } from "../../agents/parse_agent.ts";
import { untilAborted, withinTime } from "../../../base/bounded_wait.ts";
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../../base/errors.ts";
import { writeFileAtomically } from "../../../base/files/atomic_file.ts";
import { unreadableReason } from "../../../base/files/unreadable.ts";
import { basename } from "../../../base/plain_path.ts";
import { unifiedDiff } from "../../../base/text/unified_diff.ts";
import type { ApprovalRequest, AutoApproval } from "../../interface/auto_approval.ts";
import { findBuiltinTool, isBuiltinName, yieldsName } from "../../vocabulary/builtin_tools.ts";
import type { RuntimeParts } from "../open_parts.ts";
import { ToolsUnavailable } from "../../tools/failures/tools_unavailable.ts";

/** Error: the tool cannot be added to auto_approve. The message contains the reason and the remedy. */
export class NotAutoApproved extends RuntimeError {
  override readonly code: RuntimeErrorCode;
  constructor(code: Extract<RuntimeErrorCode, "conflict" | "invalid">, message: string) {
    super(message);
    this.code = code;
  }
}

/** The maximum time in milliseconds to wait for an agent's tools. */
const PATIENCE_MS = 30_000;

/** The change of an agent's file that frees calls from approval. */
interface Freeing {
  /** Returns true if the agent need not ask. */
  isFree(agent: Agent): boolean;
  /** Returns the changed text. Undefined if the text must be changed by hand. */
  edit(text: string, agent: Agent): string | undefined;
  /** The change as a clause in the imperative. */
  byHand: string;
}

/**
 * Returns the change of the agent's file that frees calls of a tool from approval, and makes it if `write` is set. Throws
 * NotAutoApproved. The caller reloads the agents.
 */
export async function autoApprove(
  agent: Agent,
  { tool, command, write, by }: ApprovalRequest,
  ports: RuntimeParts,
): Promise<AutoApproval> {
  const { settings, redactor } = ports;
  const path = agent.sourcePath;
  const refuse = (message: string) =>
    new NotAutoApproved("conflict", `Cannot change ${basename(path)}: ${message}`);
  const found = await findTool(agent, tool, ports);
  // Another tool may have the name "shell".
  const isCommand = command !== undefined && found.name === "shell" && found.approval !== undefined;
  const isOwn = found.origin === undefined && found.approval === undefined;
  if (found.name === "shell" && isOwn && agent.shell !== undefined) {
    throw refuse("the entry shell means the built-in tool, so rename the custom tool shell");
  }
  const { isFree, edit, byHand } = isCommand ? freeCommand(command, found) : freeTool(found);
  const bytes = await readAgentBytes(path, refuse);
  const parse = (one: Uint8Array) => {
    const parsed = parseAgent({ path, bytes: one }, { ...settings, config: settings.config });
    if ("agent" in parsed) return parsed.agent;
    const [problem] = parsed.diagnostics.filter(({ severity }) => severity === "error");
    throw refuse(
      problem === undefined
        ? "it does not parse"
        : formatDiagnostic({ ...problem, path: basename(path) }),
    );
  };
  const before = parse(bytes);
  if (isFree(before)) return { path, diff: "", written: false, already: true };
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const changed = edit(text, before);
  const content = new TextEncoder().encode(changed ?? "");
  if (changed === undefined || !isFree(parse(content))) throw refuse(`${byHand} in it by hand`);
  const { diff } = await unifiedDiff(text, changed);
  const shown = { path, diff: redactor.redact(diff), already: false };
  if (!write) return { ...shown, written: false };
  if (!isDeepStrictEqual(await readAgentBytes(path, refuse), bytes)) {
    throw refuse("somebody changed it a moment ago; try again");
  }
  try {
    const change = { file: path, text: changed, agentId: agent.id };
    await ports.audit.changeFile(by, change, () => writeFileAtomically(path, content));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new NotAutoApproved("conflict", `Cannot write ${basename(path)}: ${reason}`);
  }
  return { ...shown, written: true };
}

/** Returns the change that adds a tool to `auto_approve`. */
function freeTool(tool: NamedTool): Freeing {
  const entry = tool.origin === undefined ? tool.name : `${tool.origin.server}/${tool.origin.tool}`;
  const mayWrite = findBuiltinTool(tool.name)?.mayWriteFile === true;
  return {
    isFree: (agent) => !isGuarded(agent, tool) && !(mayWrite && isGuardedWriter(agent, tool)),
    edit: (text) => addAutoApproval(text, entry),
    byHand: `add ${JSON.stringify(entry)} to auto_approve`,
  };
}

/** Returns the change that adds the narrowest patterns for a command to `shell.allow`. */
function freeCommand(command: string, shell: NamedTool): Freeing {
  const allowOf = ({ shell }: Agent) => toPatterns(shell?.allow ?? []);
  return {
    isFree: (agent) => !isGuarded(agent, shell) && isAllowed(command, allowOf(agent)),
    edit(text, agent) {
      const patterns = proposePatterns(command, allowOf(agent));
      if (patterns === undefined) {
        throw new NotAutoApproved(
          "conflict",
          "No pattern can allow this command, because it contains more than words and quotes: approve it each time",
        );
      }
      return patterns.reduce<string | undefined>(
        (changed, pattern) => changed && addAllowedCommand(changed, pattern),
        text,
      );
    },
    byHand: "add the command to shell.allow, and remove shell from confirm",
  };
}

async function readAgentBytes(
  path: string,
  refuse: (message: string) => NotAutoApproved,
): Promise<Uint8Array> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    throw refuse(unreadableReason(error));
  }
}

/**
 * Finds a tool by its name in a run or by its server's name for it. Throws NotAutoApproved for a tool that the agent does
 * not have, and for ask_user.
 */
async function findTool(
  agent: Agent,
  asked: string,
  { openTools, clock }: RuntimeParts,
): Promise<NamedTool> {
  if (asked === "ask_user") {
    throw new NotAutoApproved(
      "invalid",
      "ask_user asks by itself: auto_approve does not answer it",
    );
  }
  // Built-in tools are known without opening the agent's tools, unless another tool may have the name.
  if (isBuiltinName(asked) && !yieldsName(asked)) return { name: asked };
  const reason = new ToolsUnavailable("its tools were not there within 30 s");
  try {
    const { toolbox } = await withinTime(
      { clock, ms: PATIENCE_MS, reason },
      (signal) => untilAborted(openTools(agent, { signal }), signal),
    );
    const tool = toolbox.names().flatMap((name) => toolbox.get(name) ?? [])
      .find(({ name, origin }) =>
        name === asked || origin && `${origin.server}/${origin.tool}` === asked
      );
    if (tool !== undefined) return tool;
    throw new NotAutoApproved(
      "invalid",
      `Agent '${agent.id}' has no tool ${JSON.stringify(asked)}. It has: ${
        toolbox.names().join(", ")
      }`,
    );
  } catch (error) {
    if (!(error instanceof ToolsUnavailable)) throw error;
    throw new NotAutoApproved(
      "conflict",
      `Cannot look up ${JSON.stringify(asked)}: ${error.message}`,
    );
  }
}
