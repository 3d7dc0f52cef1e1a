// Renews the tools of a run after an MCP server has changed its list, so that the next model call has the new tools.
import { findTooManyTools } from "../../models/tool_limit.ts";
import type { AgentTools } from "../../tools/agent_tools.ts";
import { ToolsUnavailable } from "../../tools/failures/tools_unavailable.ts";
import type { Toolbox } from "../../tools/toolbox.ts";
import { type CallTerms, type PackedTerms, packTerms, toCallTerms } from "../record/call_terms.ts";
import type { Run } from "./run.ts";

/** The tools of a run, and the terms of its model calls. */
export interface OpenedTools {
  tools: AgentTools;
  callTerms: CallTerms;
  packed: PackedTerms;
}

/** Opens the tools again. Keeps the present ones if a server is unavailable, or there are too many. */
export async function renewTools(run: Run, opened: OpenedTools): Promise<void> {
  let tools: AgentTools;
  try {
    tools = await run.openTools(run.agent, { signal: run.signal });
  } catch (error) {
    if (!(error instanceof ToolsUnavailable)) throw error;
    return run.warn(error.message);
  }
  opened.tools = tools;
  const callTerms = toCallTerms(run.agent, tools.toolbox);
  const packed = await packTerms(callTerms);
  if (packed.tools.digest === opened.packed.tools.digest) return;
  const excess = findTooManyTools(run.agent.model, tools.toolbox.names().length);
  if (excess?.isCertain) {
    return run.warn(`The run keeps its tools after a change of an MCP server: ${excess.message}`);
  }
  const { gone, change } = compare(run.toolbox, tools.toolbox);
  run.toolbox = tools.toolbox;
  run.goneTools = new Set([...run.goneTools ?? [], ...gone]);
  opened.callTerms = callTerms;
  opened.packed = packed;
  run.note(change);
  if (tools.isPlayed !== true) await run.journal.notice("info", change);
}

function compare(before: Toolbox, now: Toolbox): { gone: string[]; change: string } {
  const [old, names] = [before.names(), now.names()];
  const added = names.filter((name) => !old.includes(name));
  const gone = old.filter((name) => !names.includes(name));
  const parts = [
    ...(added.length > 0 ? [`new: ${added.join(", ")}`] : []),
    ...(gone.length > 0 ? [`gone: ${gone.join(", ")}`] : []),
  ];
  const details = parts.length > 0 ? parts.join("; ") : "other descriptions";
  return { gone, change: `An MCP server has changed its tools: ${details}` };
}
