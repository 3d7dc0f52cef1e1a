// config.yaml while a service runs: read again when it changed. What cannot change while it runs keeps what it said at the
// start, and a warning says so.
import { SystemClock } from "../../../base/clock.ts";
import { AT_NEXT_START, type Diagnostic, errorAtStart } from "../../../base/diagnostics.ts";
import type { AgentDefaults, Config } from "../config.ts";
import { diagnose } from "./diagnosed_file.ts";
import {
  ConfigError,
  type ParseConfigOptions,
  type ReadConfig,
  readConfig,
} from "../parse_config.ts";

/** A file that changed so recently may not be complete yet. */
export const QUIET_MS = 200;

/** What became of a look at the file. */
export type ConfigLook =
  /** Nothing that was not known. */
  | "same"
  /** It is being written: look again after QUIET_MS. */
  | "unsettled"
  /** It says something else now, or what is wrong with it is another thing. */
  | "changed";

/** The configuration of a process, kept up to date by whoever calls `refresh`. */
export class ConfigFile {
  readonly #parsing: ParseConfigOptions;
  readonly #started: Config;
  #current: Config;
  #version: string | undefined;

  /** `config` is what the file said at the start, `version` which file that was: see versionOf. */
  constructor(
    config: Config,
    { version, ...parsing }: ParseConfigOptions & { version: string | undefined },
  ) {
    this.#parsing = parsing;
    this.#started = config;
    this.#current = config;
    this.#version = version;
  }

  /** What holds now. Another object after each change. */
  get current(): Config {
    return this.#current;
  }

  /** Reads the file if it is another one than the one that was read last. While it is broken or gone, what it said holds. */
  async refresh(): Promise<ConfigLook> {
    const { path } = this.#started;
    const version = await versionOf(path);
    if (version === this.#version) return "same";
    if (version !== undefined && await isYoung(path)) return "unsettled";
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
      return withStart(fresh, {
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

/** The settings of now, but for those that hold from start to end, with a warning for each of these that is another now. */
function withStart(
  { config: fresh, file }: ReadConfig,
  { started, defaults }: { started: Config; defaults: AgentDefaults },
): Config {
  const { workspace, agentsDir, maxConcurrentRuns, publicUrl, http: { hosts, origins } } = started;
  const { database, databaseConnections, node, service } = started;
  const kept = {
    ...{ workspace, agentsDir, maxConcurrentRuns, publicUrl },
    ...{ database, databaseConnections, node, service },
  };
  // The same object where they are the same: agents are parsed anew for another one.
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

/** A text that is another one once the file is written again; undefined where there is none. */
export async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino, size, mtime, ctime } = await Deno.stat(path);
    return [dev, ino, size, mtime?.getTime(), ctime?.getTime()].join(":");
  } catch {
    // Why it cannot be read is told by whoever reads it.
    return undefined;
  }
}

/** By the file system's own clock, whatever clock the service has. */
async function isYoung(path: string): Promise<boolean> {
  const { mtime } = await Deno.stat(path).catch(() => ({ mtime: null }));
  return mtime !== null && Math.abs(new SystemClock().now() - mtime.getTime()) < QUIET_MS;
}
