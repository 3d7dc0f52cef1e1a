// `inkling info`: prints the paths of the installation, the configuration in effect, and which providers have a key.
import { performs } from "../../command_line/command.ts";
import type { info } from "../../declarations/service_commands.ts";
import { ApiError } from "../../../api/client/client.ts";
import type { ServiceDefaults } from "../../../runtime/config/service_defaults.ts";
import type { Places } from "../../context/app.ts";
import type { SandboxReport, SetupReport } from "../../../ops/setup/setup_report.ts";
import { warnOfConfig } from "../../context/config_warnings.ts";
import { CommandFailure } from "../../context/context.ts";
import { readInfo } from "../../service/connection.ts";
import { describeStorage } from "../../output/reports/nodes.ts";

/** Prints the configuration in effect, as a list or as JSON. */
export const perform = performs<typeof info>(async (context, options) => {
  const { app, output } = context;
  const report = await app.info(context);
  const sandbox = await report.sandbox();
  const places = await app.places(context.workspace);
  const service = await app.serviceDefaults(context);
  const running = await readInfo(app, places).catch((error) => {
    if (!(error instanceof ApiError || error instanceof CommandFailure)) throw error;
  });
  const listening = running?.transports ?? futureTransports(service, places);
  if (options.json) return output.json(toJson(report, { sandbox, places, service, listening }));
  output.fields([
    ["Version", app.version],
    ["Config file", markMissing(report.configFile, report.configFileExists)],
    ["Env file", markMissing(report.workspaceEnvFile, report.workspaceEnvFileExists)],
    ["Workspace", report.workspace],
    ["Agents", report.agentsDir],
    ["State", places.stateDir],
    ["Log", places.logFile],
    ["Listening", listening.join(", ")],
    ...describeKey(service),
    ["Database", describeStorage(report.database)],
    ["Default model", describeModel(report)],
    ["Sandbox", describeSandbox(sandbox)],
  ]);
  output.line();
  const { style } = output;
  output.table(report.providers, [
    { header: "Provider", cell: ({ name }) => name },
    {
      header: "Key",
      cell: ({ keyVariable, hasKey }) =>
        keyVariable === null ? "not needed" : hasKey ? "set" : "missing",
      paint: (cell, value) => value === "missing" ? style.dim(cell) : style.green(cell),
    },
    { header: "Variable", cell: ({ keyVariable }) => keyVariable ?? "", shrinks: true },
  ]);
  await warnOfConfig(context);
});

/** Returns the addresses at which a service would listen if it started with these settings. */
function futureTransports({ port, host }: ServiceDefaults, { socketFile }: Places): string[] {
  return [`unix:${socketFile}`, ...(port === null ? [] : [`tcp://${host}:${port}`])];
}

/** Returns the row with the source of the TCP clients' key. Returns no row if there is neither a key nor a TCP port. */
function describeKey({ port, key, keySource, keyFile }: ServiceDefaults): [string, string][] {
  if (key !== undefined) return [["TCP key", keySource ?? "INKLING_API_KEY in the environment"]];
  return port === null ? [] : [["TCP key", `missing: no INKLING_API_KEY in ${keyFile}`]];
}

function describeSandbox({ mode, missing }: SandboxReport): string {
  if (mode === "off") return "off (set in config.yaml)";
  if (missing === null) return `bubblewrap (${mode})`;
  const shells = mode === "required" ? "no agent has a shell" : "each command of a shell asks";
  return `none (${mode}): ${missing.problem}, so ${shells}. To get one, ${missing.remedy}`;
}

function describeModel({ defaultModel, defaultModelHasPrice }: SetupReport): string {
  if (defaultModel === null) return "none: every agent must name one";
  return `${defaultModel} (${defaultModelHasPrice ? "price known" : "price unknown"})`;
}

function markMissing(path: string, exists: boolean): string {
  return exists ? path : `${path} (missing)`;
}

function toJson(
  report: SetupReport,
  { sandbox, places, service, listening }: {
    sandbox: SandboxReport;
    places: Places;
    service: ServiceDefaults;
    listening: readonly string[];
  },
): Record<string, unknown> {
  const { port, host, keepAlive, key } = service;
  return {
    config_file: report.configFile,
    config_file_exists: report.configFileExists,
    workspace_env_file: report.workspaceEnvFile,
    workspace_env_file_exists: report.workspaceEnvFileExists,
    workspace: report.workspace,
    agents_dir: report.agentsDir,
    state_dir: places.stateDir,
    log_file: places.logFile,
    transports: listening,
    service: { port, host, keep_alive: keepAlive, has_key: key !== undefined },
    database: report.database,
    default_model: report.defaultModel,
    default_model_has_price: report.defaultModelHasPrice,
    sandbox,
    providers: report.providers.map(({ name, keyVariable, hasKey }) => ({
      name,
      key_variable: keyVariable,
      has_key: hasKey,
    })),
  };
}
