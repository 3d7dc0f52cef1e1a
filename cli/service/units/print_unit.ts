// The unit file with which systemd or launchd runs the service: printed by `inkling start --print-unit`, installed by
// `inkling service install`.
import { dirname, join } from "../../../base/plain_path.ts";
import type { CommandContext } from "../../context/context.ts";
import { commandFailed, misuse } from "../../context/exit.ts";
import { serviceCommand } from "../self_start.ts";
import { SERVICE_VARIABLES } from "../service_environment.ts";
import { toShellWord } from "../../command_line/shell_word.ts";
import type { Unit, UnitKind } from "./unit.ts";

/** The environment variables that the unit file sets: the memory allocator's settings, Inkling's folders, and PATH. */
const KEPT_VARIABLES = [
  ...Object.keys(SERVICE_VARIABLES),
  ...["INKLING_CONFIG_DIR", "INKLING_STATE_DIR", "INKLING_LOG_LEVEL"],
  ...["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "DENO_DIR", "PATH"],
];

/** The options of a unit. A unit always contains --keep-alive. */
type UnitOptions = Pick<Unit, "owner"> & {
  port?: number | undefined;
  host?: string | undefined;
};

/**
 * Returns the text of the unit file for a service manager, or for the default manager of this system if `kind` is true.
 * Throws CommandFailure for a text that such a file cannot contain.
 */
export async function formatUnit(
  context: CommandContext,
  kind: UnitKind | true,
  options: UnitOptions,
): Promise<string> {
  const { app, output } = context;
  const unit = await describeUnit(context, kind, options);
  const { command, environment, environmentFile, serviceKeyFile, logFile, keysFile } = unit;
  const files = [environmentFile, serviceKeyFile, logFile, keysFile];
  const texts = [...command, ...Object.values(environment), ...files];
  const odd = texts.find((text) => /\p{Cc}/u.test(text));
  if (odd !== undefined) {
    throw commandFailed(
      `Cannot write a unit file: ${
        JSON.stringify(odd)
      } contains a control character, which such a file cannot contain`,
    );
  }
  const { distribution } = app;
  if (distribution.kind === "npm" && /[\\/]_npx[\\/]/.test(distribution.directory)) {
    output.warning(
      `This Inkling is in npx's cache, which npm may clear at any time. Install the package with ` +
        `"npm install --global", then repeat this with the installed program`,
    );
  }
  switch (kind === true ? managerOfSystem() : kind) {
    case "systemd":
      return (await import("./systemd_unit.ts")).toSystemdUnit(unit);
    case "launchd":
      return (await import("./launchd_plist.ts")).toLaunchdPlist(unit);
    case undefined:
      throw misuse(
        "This system has no default service manager: use --print-unit=systemd or --print-unit=launchd",
      );
  }
}

/** Returns the service manager that is usual on this system, or undefined if there is none. */
export function managerOfSystem(): UnitKind | undefined {
  const { os } = Deno.build;
  return os === "linux" ? "systemd" : os === "darwin" ? "launchd" : undefined;
}

async function describeUnit(
  context: CommandContext,
  kind: UnitKind | true,
  { port, host, owner }: UnitOptions,
): Promise<Unit> {
  const { app, output } = context;
  const places = await app.places(context.workspace);
  const { configFile, workspaceEnvFile } = await app.info(context);
  const of = { workspace: places.workspace, host };
  const given = [
    ...(output.quiet ? ["--quiet"] : []),
    ...(output.verbose ? ["--verbose"] : []),
    ...(port === undefined ? [] : ["--port", String(port)]),
    ...(host === undefined ? [] : ["--host", host]),
    ...(places.workspace === undefined ? [] : ["--workspace", places.workspace]),
  ];
  const variables: Record<string, string> = { ...SERVICE_VARIABLES, ...app.environment };
  const print = kind === true ? "--print-unit" : `--print-unit=${kind}`;
  return {
    ...(owner !== undefined && { owner }),
    printCommand: ["inkling", "start", print, ...given].map(toShellWord).join(" "),
    command: [...await serviceCommand(app, of), "start", "--keep-alive", ...given],
    environment: Object.fromEntries(
      KEPT_VARIABLES.flatMap((name) => {
        const value = variables[name];
        return value === undefined || value === "" ? [] : [[name, value]];
      }),
    ),
    environmentFile: join(dirname(configFile), "service.env"),
    serviceKeyFile: join(dirname(configFile), ".env"),
    logFile: places.logFile,
    keysFile: workspaceEnvFile,
  };
}
