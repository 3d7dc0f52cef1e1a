// info: where everything is, and which providers can be used.
import type { InfoReport, Places } from "../../app.ts";
import { warnOfConfig } from "../../config_warnings.ts";
import { type CommandContext, workspaceOf } from "../../context.ts";
import { EXIT, type ExitCode } from "../../exit.ts";
import { describeStorage } from "../../output/reports/nodes.ts";

/** Shows the configuration in effect. */
export async function info(
  context: CommandContext,
  options: { json?: true },
): Promise<ExitCode> {
  const { app, output } = context;
  const report = await app.info(workspaceOf(context));
  const places = await app.places(context.workspace);
  if (options.json) {
    output.json(toJson(report, places));
    return EXIT.ok;
  }
  output.fields([
    ["Version", app.version],
    ["Config file", markMissing(report.configFile, report.configFileExists)],
    ["Env file", markMissing(report.workspaceEnvFile, report.workspaceEnvFileExists)],
    ["Workspace", report.workspace],
    ["Agents", report.agentsDir],
    ["State", places.stateDir],
    ["Log", places.logFile],
    ["Database", describeStorage(report.database)],
    ["Default model", describeModel(report)],
    ["Sandbox", describeSandbox(report)],
  ]);
  output.line();
  const { style } = output;
  output.table(
    [
      { header: "Provider" },
      {
        header: "Key",
        paint: (cell, value) => value === "missing" ? style.dim(cell) : style.green(cell),
      },
      { header: "Variable", shrinks: true },
    ],
    report.providers.map(({ name, keyVariable, hasKey }) => [
      name,
      keyVariable === null ? "not needed" : hasKey ? "set" : "missing",
      keyVariable ?? "",
    ]),
  );
  await warnOfConfig(context);
  return EXIT.ok;
}

function describeSandbox({ sandbox: { mode, missing } }: InfoReport): string {
  if (mode === "off") return "off: config.yaml says so";
  if (missing === null) return `bubblewrap (${mode})`;
  return `none (${mode}): ${missing.problem}. To get one, ${missing.remedy}`;
}

function describeModel({ defaultModel, defaultModelHasPrice }: InfoReport): string {
  if (defaultModel === null) return "none: every agent names its own";
  return `${defaultModel} (${defaultModelHasPrice ? "price known" : "no price known"})`;
}

function markMissing(path: string, exists: boolean): string {
  return exists ? path : `${path} (not there)`;
}

function toJson(report: InfoReport, places: Places): Record<string, unknown> {
  return {
    config_file: report.configFile,
    config_file_exists: report.configFileExists,
    workspace_env_file: report.workspaceEnvFile,
    workspace_env_file_exists: report.workspaceEnvFileExists,
    workspace: report.workspace,
    agents_dir: report.agentsDir,
    state_dir: places.stateDir,
    log_file: places.logFile,
    database: report.database,
    default_model: report.defaultModel,
    default_model_has_price: report.defaultModelHasPrice,
    sandbox: report.sandbox,
    providers: report.providers.map(({ name, keyVariable, hasKey }) => ({
      name,
      key_variable: keyVariable,
      has_key: hasKey,
    })),
  };
}
