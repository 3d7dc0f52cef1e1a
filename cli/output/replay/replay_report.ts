// Prints the result of a replay: the replay is identical, or its first difference.
import type { ExecutionDetail } from "../../../api/schemas/execution_schemas.ts";
import type { ReplayBody } from "../../../api/schemas/replay_schemas.ts";
import { formatPlural } from "../figures.ts";
import type { Output } from "../output.ts";
import { toOneLine } from "../sanitize.ts";
import { showChange } from "./text_change.ts";

/** Prints whether the replay of an execution is identical, its differences, and its notes. */
export function showReplay(
  output: Output,
  { id, agent_id, status }: ExecutionDetail,
  replay: ReplayBody,
): void {
  const { style } = output;
  const { differences, steps, recorded_steps: recorded, notes } = replay;
  const name = `Execution ${id} of ${toOneLine(agent_id)}`;
  if (replay.identical) {
    const extent = status === "running" || status === "waiting" ? " so far" : "";
    output.sentence(
      `${name}: ${style.green("identical")}, ${formatPlural(steps, "step")}${extent}`,
    );
  } else {
    const same = steps === 0
      ? ""
      : `; ${formatPlural(steps, "step")} before it ${steps === 1 ? "is" : "are"} identical`;
    const place = differences[0]?.call ?? 0;
    const where = place === 0
      ? "before its first step"
      : `at step ${place} of ${Math.max(recorded, place)}`;
    output.sentence(`${name}: ${style.red("differs")} ${where}${same}`);
  }
  for (const { what, recorded, today } of differences) {
    output.sentence(`\n${style.bold(capital(toOneLine(what)))}`);
    showChange(output, recorded, today);
  }
  if (notes.length > 0 && differences.length > 0) output.detail("");
  for (const note of notes) output.note(note);
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
