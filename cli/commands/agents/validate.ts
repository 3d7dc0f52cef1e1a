// `inkling validate`: prints the errors and warnings of agent files.
import { performs } from "../../command_line/command.ts";
import type { validate } from "../../declarations/authoring_commands.ts";
import type { DiagnosticBody } from "../../../api/schemas/diagnostic_schemas.ts";
import { errorsFirst, errorsOf } from "../../../base/diagnostics.ts";
import type { ValidatedFile } from "../../context/app.ts";
import type { CommandContext } from "../../context/context.ts";
import { EXIT, misuse } from "../../context/exit.ts";
import { connectService } from "../../service/connection.ts";
import { formatPlural } from "../../output/figures.ts";
import type { Output } from "../../output/output.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { pad, widthOf } from "../../output/width.ts";
import { wrapText } from "../../output/wrap.ts";
import { unknownAgent } from "../../context/unknown_agent.ts";

/** The maximum width of the column with the positions of problems. Longer positions extend beyond it. */
const WIDEST_PLACE = 12;
/** The minimum width of a message beside its position. If less is free, the message is printed on lines below. */
const LEAST_TEXT = 32;

/** Checks all agents, or the agent with the given id or path. The exit code is 1 if there are errors. */
export const perform = performs<typeof validate>(async (context, options, { agent: target }) => {
  const { app, output } = context;
  const { connect = false } = options;
  const files = await app.validate(target, { workspace: context.workspace, connect });
  if (target !== undefined && files.length === 0) {
    const problem = await describePath(target);
    if (problem !== undefined) throw misuse(problem);
    const all = await app.validate(undefined, context);
    throw unknownAgent(target, all.map(({ agentId }) => ({ id: agentId })));
  }
  await addServiceWarnings(files, context);
  if (options.json) output.json(files.map(toJson));
  else showFiles(output, files);
  const failed = files.some(({ diagnostics }) => errorsOf(diagnostics).length > 0);
  return failed ? EXIT.failed : EXIT.ok;
});

/** Adds warnings that only a running service has, such as warnings about models. */
async function addServiceWarnings(
  files: readonly ValidatedFile[],
  context: CommandContext,
): Promise<void> {
  const { app, workspace } = context;
  // The service is optional for this command, so the error of a silent service is ignored.
  const client = await connectService(app, await app.places(workspace)).catch(() => undefined);
  if (client === undefined) return;
  using _client = client;
  for (const { agentId, path, diagnostics } of files) {
    // The service may use an older version of a file with errors, whose warnings are about text that has changed.
    if (!path.endsWith(".md") || errorsOf(diagnostics).length > 0) continue;
    const known = new Set(diagnostics.map(({ message }) => message));
    const found = await client.agent(agentId).catch(() => undefined);
    if (found?.source_path !== path) continue;
    diagnostics.push(...found.warnings.filter(({ message }) => !known.has(message)));
  }
}

/**
 * Returns a problem if the target is a path that names no agent file. Returns undefined if the target may be an agent's id.
 */
async function describePath(target: string): Promise<string | undefined> {
  const shown = `"${toOneLine(target)}"`;
  if (target.endsWith(".md")) return `There is no file ${shown}`;
  const isPath = /[\\/]/.test(target);
  let found: Deno.FileInfo;
  try {
    found = await Deno.stat(target);
  } catch {
    // The path does not exist or is not readable. Only a target with a separator is certainly a path.
    return isPath ? `There is no file ${shown}` : undefined;
  }
  if (!found.isDirectory) return `${shown} is not a .md file`;
  return isPath ? `${shown} is a folder, not a .md file` : undefined;
}

function toJson(file: ValidatedFile): Record<string, unknown> {
  const { agentId, path, diagnostics, connected } = file;
  return { agent_id: agentId, path, diagnostics, ...(connected !== undefined && { connected }) };
}

function showFiles(output: Output, files: readonly ValidatedFile[]): void {
  const { style } = output;
  let errorCount = 0;
  let warningCount = 0;
  for (const file of files) {
    const errors = errorsOf(file.diagnostics);
    const warnings = file.diagnostics.length - errors.length;
    errorCount += errors.length;
    warningCount += warnings;
    if (output.quiet && errors.length === 0) continue;
    const mark = errors.length > 0
      ? style.red("✖")
      : warnings > 0
      ? style.yellow("!")
      : style.green("✔");
    const shown = output.quiet ? errors : errorsFirst(file.diagnostics);
    const path = shown.length === 0 ? "" : `  ${style.dim(toOneLine(file.path))}`;
    output.line(`${mark} ${style.bold(toOneLine(file.agentId))}${path}`);
    showDiagnostics(output, file, shown);
    for (const { server, tools } of output.quiet ? [] : file.connected ?? []) {
      output.line(`  ${toOneLine(server)} started and lists ${formatPlural(tools, "tool")}`);
    }
  }
  output.detail(
    files.length === 0
      ? `There are no agent files to check. "inkling list" shows how to create one`
      : `${countFiles(files)}: ${formatPlural(errorCount, "error")}, ${
        formatPlural(warningCount, "warning")
      }`,
  );
}

/** Returns the number of files as text, such as `2 agents and 1 other file`. Markdown files count as agents. */
function countFiles(files: readonly ValidatedFile[]): string {
  const agents = files.filter(({ path }) => path.endsWith(".md")).length;
  const others = files.length - agents;
  return formatPlural(agents, "agent") +
    (others === 0 ? "" : ` and ${formatPlural(others, "other file")}`);
}

/** Prints the problems of a file, each with its position, severity, message and hint. */
function showDiagnostics(
  output: Output,
  file: ValidatedFile,
  diagnostics: readonly DiagnosticBody[],
): void {
  const { style, stdout } = output;
  const places = diagnostics.map(({ path, line, column }) =>
    // The path is added if the problem is in another file, such as a skill's.
    (path === file.path ? "" : `${toOneLine(path)}:`) + `${line}:${column}`
  );
  const width = Math.max(0, ...places.map(widthOf).filter((width) => width <= WIDEST_PLACE));
  const hang = width + "    warning  ".length;
  const isNarrow = stdout.columns - hang < LEAST_TEXT;
  const indent = " ".repeat(isNarrow ? 4 : hang);
  const wrap = (text: string) => wrapText(text, stdout.columns - indent.length).split("\n");
  for (const [index, { severity, message, hint }] of diagnostics.entries()) {
    const paint = severity === "error" ? style.red : style.yellow;
    const place = style.dim(pad(places[index] ?? "", width));
    const head = `  ${place}  ${paint(pad(severity, 7))}  `;
    const text = [
      ...wrap(toOneLine(message)),
      ...(hint === null ? [] : wrap(toOneLine(hint)).map(style.dim)),
    ];
    if (isNarrow) output.line(head.trimEnd());
    else output.line(head + (text.shift() ?? ""));
    for (const line of text) output.line(indent + line);
  }
}
