// The recap of the exposed agents: the service's recap without the other agents.
import type { ListedExecution } from "../../api/schemas/execution_schemas.ts";
import type { RecapBody } from "../../api/schemas/report_schemas.ts";
import { addCosts } from "../../base/cost.ts";
import type { Exposed } from "../exposed.ts";

/** The largest page of the API's lists. */
const PAGE = 500;

/** Returns the recap of the exposed agents. Their own executions count; the cost is also that of the agents they called. */
export async function recapExposed(
  exposed: Exposed,
  span: { since?: string | undefined; until?: string | undefined },
): Promise<
  Pick<
    RecapBody,
    | "since"
    | "until"
    | "executions"
    | "cost_usd"
    | "failures"
    | "waiting"
    | "not_run"
    | "stopped"
    | "next"
  >
> {
  const recap = await exposed.client.recap(span);
  const ids = new Set((await exposed.agents()).map(({ id }) => id));
  const own = <Row extends { agent_id: string }>(rows: readonly Row[]) =>
    rows.filter(({ agent_id }) => ids.has(agent_id));
  const found: ListedExecution[] = [];
  for (;;) {
    const page = await exposed.executions({
      ...span,
      since: recap.since,
      limit: PAGE,
      offset: found.length,
    });
    found.push(...page);
    if (page.length < PAGE) break;
  }
  const count = (...statuses: string[]) =>
    found.filter(({ status }) => statuses.includes(status)).length;
  const resting = found.filter((one) => one.rests_until !== undefined).length;
  return {
    since: recap.since,
    until: recap.until,
    executions: {
      total: found.length,
      succeeded: count("success"),
      failed: count("error"),
      running: count("running") - resting,
      resting,
      waiting: count("waiting"),
    },
    cost_usd: found.reduce<number | null>((sum, one) => addCosts(sum, one.cost_usd), null),
    failures: own(recap.failures),
    waiting: own(recap.waiting),
    not_run: own(recap.not_run),
    stopped: own(recap.stopped),
    next: own(recap.next),
  };
}
