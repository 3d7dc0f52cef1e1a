// validate: what is wrong with agent files, all of it.
import type { DiagnosticBody } from "../../server/schemas.ts";
import type { ValidatedFile } from "../app.ts";
import { type CommandContext, workspaceOf } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { formatPlural } from "../output/figures.ts";
import type { Output } from "../output/output.ts";
import { toOneLine } from "../output/sanitise.ts";
import { unknownAgent } from "../unknown_agent.ts";

/** Checks one agent (by id or by the path of its file) or all; errors make the command fail. */
export async function validate(
  context: CommandContext,
  target: string | undefined,
  options: { json?: true },
): Promise<ExitCode> {
  const { app, output } = context;
  const files = await app.validate(target, workspaceOf(context));
  if (target !== undefined && files.length === 0) {
    const all = await app.validate(undefined, workspaceOf(context));
    throw unknownAgent(app, target, all.map(({ agentId }) => agentId));
  }
  if (options.json) output.json(files.map(toJson));
  else showFiles(output, files);
  const failed = files.some(({ diagnostics }) => select(diagnostics, "error").length > 0);
  return failed ? EXIT.failed : EXIT.ok;
}

function toJson({ agentId, path, diagnostics }: ValidatedFile): Record<string, unknown> {
  return { agent_id: agentId, path, diagnostics };
}

function select(
  diagnostics: readonly DiagnosticBody[],
  severity: DiagnosticBody["severity"],
): DiagnosticBody[] {
  return diagnostics.filter((diagnostic) => diagnostic.severity === severity);
}

function showFiles(output: Output, files: readonly ValidatedFile[]): void {
  const { style } = output;
  let errorCount = 0;
  let warningCount = 0;
  for (const { agentId, diagnostics } of files) {
    const errors = select(diagnostics, "error");
    const warnings = select(diagnostics, "warning");
    errorCount += errors.length;
    warningCount += warnings.length;
    if (output.quiet && errors.length === 0) continue;
    const mark = errors.length > 0
      ? style.red("✖")
      : warnings.length > 0
      ? style.yellow("!")
      : style.green("✔");
    output.line(`${mark} ${style.bold(toOneLine(agentId))}`);
    showGroup(output, style.red("Errors"), errors);
    if (!output.quiet) showGroup(output, style.yellow("Warnings"), warnings);
  }
  output.detail(
    files.length === 0
      ? `There are no agent files to check. "inkling list" says how to make one`
      : `${formatPlural(files.length, "agent")}: ${formatPlural(errorCount, "error")}, ${
        formatPlural(warningCount, "warning")
      }`,
  );
}

function showGroup(output: Output, title: string, diagnostics: readonly DiagnosticBody[]): void {
  if (diagnostics.length === 0) return;
  output.line(`  ${title}`);
  for (const { path, line, column, message, hint } of diagnostics) {
    output.line(`    ${toOneLine(`${path}:${line}:${column}: ${message}`)}`);
    if (hint !== null) output.line(`      ${output.style.dim(toOneLine(hint))}`);
  }
}
