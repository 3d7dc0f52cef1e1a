// config.yaml of a running service: read again after each change. Settings that cannot change at run time keep their
// values, with a warning.
import { SystemClock } from "../../base/clock.ts";
import { AT_NEXT_START, type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";
import type { AgentDefaults, Config } from "./config.ts";
import { diagnose } from "./files/diagnosed_file.ts";
import {
  ConfigError,
  type ParseConfigOptions,
  type ReadConfig,
  readConfig,
} from "./parse_config.ts";

/** A file that changed less than this ago may be incomplete. */
export const QUIET_MS = 200;

/** The result of a check of the file. */
export type ConfigCheck =
  /** Nothing changed. */
  | "same"
  /** The file is being written: check again after QUIET_MS. */
  | "unsettled"
  /** The settings or the problems changed. */
  | "changed";

/** The configuration of a process. Call `refresh` to update it. */
export class ConfigFile {
  readonly #parsing: ParseConfigOptions;
  readonly #started: Config;
  #current: Config;
  #version: string | undefined;

  /** `config`: the settings at the start. `version`: the version of their file, see versionOf. */
  constructor(
    config: Config,
    { version, ...parsing }: ParseConfigOptions & { version: string | undefined },
  ) {
    this.#parsing = parsing;
    this.#started = config;
    this.#current = config;
    this.#version = version;
  }

  /** The settings in effect. Each change replaces the object. */
  get current(): Config {
    return this.#current;
  }

  /** Reads the file if it changed since the last read. A broken or missing file leaves the settings unchanged. */
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
        warn(path, "The file is gone: what it said holds until the service starts again"),
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
        warn(path, "The file cannot be used now: what it said before holds until it is mended"),
      ]);
    }
  }
}

/** Returns the new settings with the start's values of fixed ones, and a warning for each fixed one that differs. */
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
  // Reuses an equal object, because another one makes all agents parse again.
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

/** Returns a text that differs after each write of the file; undefined for an unreadable file. */
export async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino, size, mtime, ctime } = await Deno.stat(path);
    return [dev, ino, size, mtime?.getTime(), ctime?.getTime()].join(":");
  } catch {
    // The reader of the file reports the error.
    return undefined;
  }
}

/** Uses the file system's own clock, whatever clock the service has. */
async function isRecent(path: string): Promise<boolean> {
  const { mtime } = await Deno.stat(path).catch(() => ({ mtime: null }));
  return mtime !== null && Math.abs(new SystemClock().now() - mtime.getTime()) < QUIET_MS;
}
