// Loads the checks of change triggers with the first due check.
import type { Agent, ChangeTrigger } from "../../agents/agent.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { Checks, ChecksPorts } from "./checks.ts";

const loadChecks = lazyModule(() => import("./checks.ts"));

/** Returns the name of an agent's lease. Of the nodes that share a database, the holder checks the agent's source. */
export function checkLease(agentId: string): string {
  return `check ${agentId}`;
}

/** The collaborators of `LazyChecks`. */
export interface LazyChecksPorts {
  /** Requests the right to check the sources of these agents, and gives up all others. */
  want: (agentIds: readonly string[]) => Promise<void>;
  open: () => Promise<ChecksPorts> | ChecksPorts;
  log: ServiceLog;
}

/** The checks of a service. */
export class LazyChecks implements AsyncDisposable {
  readonly #ports: LazyChecksPorts;
  #checks: Promise<Checks> | undefined;
  #isOver = false;
  #wanted = "[]";

  constructor(ports: LazyChecksPorts) {
    this.#ports = ports;
  }

  /** Requests the right to check the sources of the agents with a change trigger. */
  async reconcile(agents: readonly Agent[]): Promise<void> {
    const ids = agents.filter(({ enabled, trigger }) => enabled && trigger.type === "change")
      .map(({ id }) => id);
    const wanted = JSON.stringify(ids);
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    await this.#ports.want(ids);
  }

  /** Starts a check of an agent's source. */
  begin(agent: Agent & { trigger: ChangeTrigger }, scheduledFor: number): void {
    if (this.#isOver) return;
    this.#checks ??= this.#open();
    this.#checks.then((checks) => checks.begin(agent, scheduledFor), (error) => {
      this.#checks = undefined;
      this.#ports.log.write("error", "The checks of sources cannot start", { error });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await (await this.#checks?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  async #open(): Promise<Checks> {
    const [{ Checks }, ports] = await Promise.all([loadChecks(), this.#ports.open()]);
    return new Checks(ports);
  }
}
