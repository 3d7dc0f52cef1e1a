// Reads config.yaml again after each change while a service runs. Settings that cannot change at run time keep their
// values, and a warning names them.
import { SystemClock } from "../../base/clock.ts";
import { AT_NEXT_START, type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";
import type { AgentDefaults, Config } from "./config.ts";
import { diagnose } from "./files/diagnosed_file.ts";
import { versionOf } from "./files/file_stamp.ts";
import {
  ConfigError,
  type ParseConfigOptions,
  type ReadConfig,
  readConfig,
} from "./parse_config.ts";

/** The time after a change in which a file may be incomplete. */
export const QUIET_MS = 200;

/** The result of a check of the file. */
export type ConfigCheck =
  /** Neither the settings nor the problems changed. */
  | "same"
  /** The file is being written. Check it again after QUIET_MS. */
  | "unsettled"
  /** The settings or the problems of the file changed. */
  | "changed";

/** The configuration of a process. Call `refresh()` to update it. */
export class ConfigFile {
  readonly #parsing: ParseConfigOptions;
  readonly #started: Config;
  #current: Config;
  #version: string | undefined;

  /**
   * Creates the configuration. `config` has the settings at the start, and `version` is the version of their file (see
   * versionOf).
   */
  constructor(
    config: Config,
    { version, ...parsing }: ParseConfigOptions & { version: string | undefined },
  ) {
    this.#parsing = parsing;
    this.#started = config;
    this.#current = config;
    this.#version = version;
  }

  /** The settings in effect. After a change, this property is another object. */
  get current(): Config {
    return this.#current;
  }

  /** Reads the file if it changed since the last read. A broken or missing file does not change the settings. */
  async refresh(): Promise<ConfigCheck> {
    const { path } = this.#started;
    const version = await versionOf(path);
    if (version === this.#version) return "same";
    if (version !== undefined && await isRecent(path)) return "unsettled";
    const fresh = await this.#read(version);
    if (await versionOf(path) !== version) return "unsettled";
    this.#version = version;
    this.#current = fresh;
    return "changed";
  }

  async #read(version: string | undefined): Promise<Config> {
    const { path } = this.#started;
    const keep = (problems: readonly Diagnostic[]) => ({
      ...this.#current,
      warnings: [...problems],
    });
    if (version === undefined) {
      return keep([
        warn(path, "The file is missing. Its last settings apply until the service starts again"),
      ]);
    }
    try {
      const fresh = await readConfig(path, this.#parsing);
      return keepFixedSettings(fresh, {
        started: this.#started,
        defaults: this.#current.defaults,
      });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return keep([
        ...error.diagnostics,
        warn(
          path,
          "The file cannot be used. Its last valid settings apply until the file is fixed",
        ),
      ]);
    }
  }
}

/**
 * Returns the new settings, in which settings that need a restart keep their values of the start. Adds a warning for each
 * such setting that differs in the file.
 */
function keepFixedSettings(
  { config: fresh, file }: ReadConfig,
  { started, defaults }: { started: Config; defaults: AgentDefaults },
): Config {
  const { workspace, agentsDir, maxConcurrentRuns, publicUrl, http: { hosts, origins } } = started;
  const { database, databaseConnections, node, service } = started;
  const kept = {
    ...{ workspace, agentsDir, maxConcurrentRuns, publicUrl },
    ...{ database, databaseConnections, node, service },
  };
  // The former object is used if it is equal, because another object causes all agents to be parsed again.
  const isSame = JSON.stringify(fresh.defaults) === JSON.stringify(defaults);
  const config = {
    ...fresh,
    ...kept,
    defaults: isSame ? defaults : fresh.defaults,
    http: { ...fresh.http, hosts, origins },
  };
  const changed: [string[], unknown, unknown][] = [
    [["workspace"], fresh.workspace, workspace],
    [["agents_dir"], fresh.agentsDir, agentsDir],
    [["database"], fresh.database, database],
    [["database_connections"], fresh.databaseConnections, databaseConnections],
    [["node"], fresh.node, node],
    [["defaults", "max_concurrent_runs"], fresh.maxConcurrentRuns, maxConcurrentRuns],
    [["service"], fresh.service, service],
    [["public_url"], fresh.publicUrl, publicUrl],
    [["http", "hosts"], fresh.http.hosts, hosts],
    [["http", "origins"], fresh.http.origins, origins],
  ];
  const warnings = changed
    .filter(([, now, before]) => JSON.stringify(now) !== JSON.stringify(before))
    .map(([key]) => {
      const message = `${key.join(".")} has changed: ${AT_NEXT_START}`;
      return diagnose(file, key, { severity: "warning", message }, "key");
    });
  return { ...config, warnings: [...fresh.warnings, ...warnings] };
}

function warn(path: string, message: string): Diagnostic {
  return { ...errorAtStart(path, message), severity: "warning" };
}

/** Returns true if the file changed just now. Compares with the system's clock, because file times come from it. */
async function isRecent(path: string): Promise<boolean> {
  const { mtime } = await Deno.stat(path).catch(() => ({ mtime: null }));
  return mtime !== null && Math.abs(new SystemClock().now() - mtime.getTime()) < QUIET_MS;
}
