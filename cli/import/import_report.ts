// Prints what an import understood: for each agent what changes, what is lost, and what needs a yes of its own.
import type { OpenedImport, WrittenAgent } from "../../ops/import/agent_importer.ts";
import type { Permission } from "../../ops/import/permissions.ts";
import type { PlannedAgent } from "../../ops/import/import_plan.ts";
import { toVisibleLine } from "../../present/visible_text.ts";
import { toAgentWord } from "../command_line/agent_word.ts";
import { formatPlural } from "../output/figures.ts";
import type { Output } from "../output/output.ts";
import { wrapText } from "../output/wrap.ts";

/** The maximum number of ids that a list names. */
const NAMED = 8;

/** The words for the states of agents. */
export const STATES: Readonly<Record<PlannedAgent["state"], string>> = {
  new: "new",
  same: "imported before, unchanged",
  update: "an update",
  edited: "imported before, and changed here",
  taken: "another agent has this id",
  own: "converted in its place",
};

/** Prints an agent: its file, its changes like a diff, its losses, and the permissions that it wants. */
export function showAgent(output: Output, agent: PlannedAgent): void {
  const { style } = output;
  const { id, path, shape, state, changes, losses, grants } = agent;
  const from = path === "" ? shape : `${toVisibleLine(path)}: ${shape}`;
  output.line();
  output.line(
    wrapText(`${style.bold(toVisibleLine(id))} (${STATES[state]})`, output.stdout.columns),
  );
  const show = (sign: string, paint: (text: string) => string, text: string) => {
    const lines = wrapText(`    ${toVisibleLine(text)}`, output.stdout.columns).split("\n");
    const signed = lines.map((line, index) => index === 0 ? `  ${sign} ${line.slice(4)}` : line);
    for (const line of signed) output.line(paint(line));
  };
  show(" ", style.dim, from);
  for (const { what, becomes } of changes) {
    show("-", style.red, what);
    show("+", style.green, becomes);
  }
  for (const { what, why } of losses) show("!", style.yellow, `lost: ${what} (${why})`);
  for (const { setting, value, why } of grants) {
    show("?", style.cyan, `${setting}: ${JSON.stringify(value)} (only with your yes; ${why})`);
  }
}

/** Prints the skills, the files that are no agents, and the agents that are left as they are. */
export function showRest(
  output: Output,
  { skills, left }: Pick<OpenedImport, "skills" | "left">,
  unchanged: readonly PlannedAgent[],
): void {
  const { style } = output;
  if (skills.length > 0) {
    output.line(`\n${style.bold(formatPlural(skills.length, "skill"))}`);
    for (const { name, description, scripts } of skills) {
      const runs = scripts.length === 0 ? "" : ` (scripts: ${toIds(scripts)})`;
      output.line(
        wrapText(`  + ${toVisibleLine(`${name}: ${description}`)}${runs}`, output.stdout.columns),
      );
    }
  }
  if (left.length > 0) output.line(`\n${style.bold("Not imported")}`);
  for (const { what, why } of left) {
    output.line(wrapText(`  ${toVisibleLine(`${what}: ${why}`)}`, output.stdout.columns));
  }
  if (unchanged.length > 0) {
    const ids = toIds(unchanged.map(({ id }) => id));
    output.line();
    output.sentence(`Unchanged since the last import: ${ids}`);
  }
}

/** Returns the question about a permission, with the agents that want it. */
export function describePermission({ label, why, agents, server }: Permission): string {
  const entry = server === undefined
    ? ""
    : `\nIt adds this server to mcp-servers.json: ${JSON.stringify(server.entry)}`;
  const wanting = agents.length === 0 ? "" : `\nFor ${toIds(agents)}`;
  return `${toVisibleLine(label)}\n${toVisibleLine(why)}${wanting}${
    entry.split("\n").map(toVisibleLine).join("\n")
  }`;
}

/** Prints the written files, what is wrong with them, and the commands to type next. */
export function showWritten(
  output: Output,
  { written, refused, lost, replaced }: {
    written: readonly WrittenAgent[];
    refused: readonly Permission[];
    lost: number;
    /** The lines of a crontab that the agents replace. */
    replaced: readonly string[];
  },
): void {
  if (output.quiet) {
    for (const { path } of written) output.line(toVisibleLine(path));
    return;
  }
  output.line();
  for (const { path } of written) output.line(`${output.style.green("✔")} ${toVisibleLine(path)}`);
  // Imported agents often have the same problem, such as a missing key.
  const problems = written.flatMap(({ id, problems }) =>
    problems.map(({ severity, message }) => ({ id, severity, message: toVisibleLine(message) }))
  );
  for (const [message, same] of Map.groupBy(problems, (one) => one.message)) {
    const text = `${toIds(same.map(({ id }) => id))}: ${message}`;
    if (same.some(({ severity }) => severity === "error")) output.error(text);
    else output.warning(text);
  }
  const counts = [
    `${formatPlural(written.length, "agent")} imported`,
    ...(lost === 0 ? [] : [`${formatPlural(lost, "part")} lost`]),
    ...(refused.length === 0 ? [] : [`${formatPlural(refused.length, "permission")} not given`]),
  ];
  output.line();
  output.sentence(counts.join(", "));
  for (const { label, agents } of refused) {
    output.sentence(
      `Not given: ${toVisibleLine(label)}${agents.length === 0 ? "" : ` for ${toIds(agents)}`}`,
    );
  }
  if (refused.length > 0) {
    const kinds = [...new Set(refused.map(({ kind }) => kind))];
    output.sentence(
      `To give one later, repeat the command with ${
        kinds.map((kind) => `--allow ${kind}`).join(" or ")
      }.`,
    );
  }
  const off = written.filter(({ isSwitchedOff }) => isSwitchedOff);
  if (off.length > 0) {
    output.line();
    output.sentence("These agents start by themselves, and are switched off. Switch one on:");
    for (const { id } of off) output.line(`  inkling enable ${toAgentWord(toVisibleLine(id))}`);
  }
  if (replaced.length > 0) {
    output.line();
    output.sentence("The crontab is as it was. Before you switch the agents on, remove from it:");
    for (const line of replaced) output.line(`  ${toVisibleLine(line)}`);
  }
  const [first] = written;
  if (first !== undefined) {
    output.line(`\nTry one: inkling run ${toAgentWord(toVisibleLine(first.id))}`);
  }
}

/** Joins ids to a list, of which the end may be a count. */
function toIds(ids: readonly string[]): string {
  const more = ids.length - NAMED;
  const named = ids.slice(0, NAMED).map(toVisibleLine).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}
