// Sets up one soak: its home directory, service, model, side effects and findings.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PERMISSION_FLAGS, sourceCommand } from "../../cli/self_command.ts";
import { createRealHome, type RealHome } from "../../tests/e2e/real_process.ts";
import type { Client } from "../../api/client/client.ts";
import { ApiError, ServiceUnreachable } from "../../api/client/client.ts";
import { FlakyModel } from "./load/flaky_model.ts";
import type { BrokenRow } from "./invariants/invariant.ts";
import type { Violation } from "./invariants/invariants.ts";
import { SideEffects } from "./load/side_effects.ts";
import { MODEL_CALLS, soakConfig, writeSoakAgents } from "./load/soak_agents.ts";
import { Chance } from "./chance.ts";
import { SoakService } from "./soak_service.ts";

/** The maximum number of rows kept for one broken rule; more rows would add no information. */
const ROWS_KEPT = 20;

/** Collects the violations of a soak, grouped by the broken rule. */
export class Findings {
  readonly #rows = new Map<string, { count: number; rows: BrokenRow[] }>();

  add(invariant: string, ...rows: BrokenRow[]): void {
    const found = this.#rows.get(invariant) ?? { count: 0, rows: [] };
    found.count += rows.length;
    found.rows.push(...rows.slice(0, ROWS_KEPT - found.rows.length));
    this.#rows.set(invariant, found);
  }

  addAll(violations: readonly Violation[]): void {
    for (const { invariant, rows } of violations) this.add(invariant, ...rows);
  }

  get rules(): string[] {
    return [...this.#rows.keys()];
  }

  list(): (Violation & { count: number })[] {
    return [...this.#rows].map(([invariant, { count, rows }]) => ({ invariant, count, rows }));
  }
}

/** The home directory, service, model and findings of one soak, which all parts of the soak share. */
export class SoakWorld implements AsyncDisposable {
  readonly home: RealHome;
  readonly seed: number;
  readonly model: FlakyModel;
  readonly effects: SideEffects;
  readonly service: SoakService;
  readonly findings = new Findings();
  /** The number of times each action was done, by the action's name. */
  readonly done = new Map<string, number>();

  private constructor(
    parts: { home: RealHome; seed: number; model: FlakyModel; effects: SideEffects },
  ) {
    this.home = parts.home;
    this.seed = parts.seed;
    this.model = parts.model;
    this.effects = parts.effects;
    this.service = new SoakService(parts.home, (rule, row) => this.findings.add(rule, row));
  }

  /**
   * Creates a home directory with all agents, the model's endpoint and the side effects. Does not start the service.
   * Without `isFlaky`, the model has no faults.
   */
  static async open({ seed, isFlaky }: { seed: number; isFlaky: boolean }): Promise<SoakWorld> {
    const collect = fileURLToPath(new URL("./collect.ts", import.meta.url));
    const flags = [
      "--v8-flags=--expose-gc",
      "--allow-ffi",
      `--preload=${collect}`,
      ...PERMISSION_FLAGS,
    ];
    const home = await createRealHome({ command: sourceCommand(flags) });
    await Deno.writeTextFile(join(home.configDir, "config.yaml"), soakConfig(home.workspace));
    const effects = await SideEffects.open(join(home.workspace, "ledger"));
    const model = new FlakyModel({
      chance: Chance.of(seed, "model"),
      effectsUrl: effects.url,
      limit: MODEL_CALLS,
      isFlaky,
    });
    await writeSoakAgents(home, { modelUrl: model.url });
    return new SoakWorld({ home, seed, model, effects });
  }

  get database(): string {
    return join(this.home.stateDir, "inkling.db");
  }

  chance(stream: string): Chance {
    return Chance.of(this.seed, stream);
  }

  count(what: string): void {
    this.done.set(what, (this.done.get(what) ?? 0) + 1);
  }

  /**
   * Sends a request to the service. Returns undefined if the service refuses it with an allowed status, or stops meanwhile.
   * Reports any other failure as a finding.
   */
  async attempt<T>(
    what: string,
    { allowed, work }: { allowed: readonly number[]; work: (client: Client) => Promise<T> },
  ): Promise<T | undefined> {
    const { client, generation } = this.service;
    if (client === undefined) return undefined;
    try {
      const result = await work(client);
      this.count(what);
      return result;
    } catch (error) {
      // The service was stopped or killed since the request was sent, so the request may fail.
      if (this.service.generation !== generation) return undefined;
      if (error instanceof ApiError && allowed.includes(error.status)) {
        this.count(`${what}: ${error.status}`);
        return undefined;
      }
      const isDown = error instanceof ServiceUnreachable;
      this.findings.add(
        isDown ? "a service that runs answers" : "a request is answered as it should be",
        { what, error: String(error), cause: isDown ? String(error.cause) : undefined },
      );
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    await this.effects[Symbol.asyncDispose]();
  }
}
