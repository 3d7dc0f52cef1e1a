// Converts two files of a case to the cause of a test's run, as the checks of a change trigger would.
import { lazyModule } from "../../base/lazy_module.ts";
import { basename } from "../../base/plain_path.ts";
import type { Agent, ChangeTrigger } from "../../runtime/agents/agent.ts";
import { ToolFailure } from "../../runtime/tools/failures/tool_failure.ts";
import type { EventCause } from "../../runtime/vocabulary/run_cause.ts";
import type { LastCheck } from "../../runtime/triggers/change/compare_content.ts";
import type { PrivateWorkspace } from "./private_workspace.ts";
import { InputUnusable } from "./refusals.ts";

const loadContent = lazyModule(() => import("../../runtime/triggers/change/content.ts"));
const loadComparison = lazyModule(() => import("../../runtime/triggers/change/compare_content.ts"));

/** Returns the cause of the first run that the change from `before` to `file` starts. Throws InputUnusable if it starts none. */
export async function readChangeInput(
  { before, file }: { before: string; file: string },
  { agent, workspace }: { agent: Agent; workspace: PrivateWorkspace },
): Promise<EventCause> {
  const [{ toContent }, { compareContent }] = await Promise.all([loadContent(), loadComparison()]);
  const trigger: ChangeTrigger = agent.trigger.type === "change"
    ? agent.trigger
    : { type: "change", url: basename(file), every: "1h", headers: {}, ignore: [], maxRuns: 1 };
  const { url = "", select, ignore } = trigger;
  const base = { source: "" };
  const compare = async (path: string, last?: LastCheck) => {
    const source = await Deno.readTextFile(workspace.pathOf(path));
    const type = typeOf(path);
    const content = await toContent(source, { type, url, select, ignore });
    return await compareContent(trigger, content, { last, base });
  };
  try {
    const { after } = await compare(before);
    const { found: [first], isFirst } = await compare(file, after);
    if (first !== undefined && !isFirst) return first.event;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    throw new InputUnusable(`The check of the trigger fails: ${error.message}`, { cause: error });
  }
  throw new InputUnusable(
    `The trigger starts no run: with its select and ignore, ${file} does not differ from ${before}`,
  );
}

/** Returns the content type of a file by its extension. Feeds are recognized by their content. */
function typeOf(path: string): string {
  return /\.html?$/i.test(path) ? "text/html" : /\.json$/i.test(path) ? "application/json" : "";
}
