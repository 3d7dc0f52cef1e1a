// Charts of an agent's runs over 30 days: outcomes, durations and cost by day.
import type { VNode } from "preact";
import type { StatsBody } from "../../../api/schemas/report_schemas.ts";
import { formatDuration, formatWhole, toCostFormat } from "../../parts/format.ts";
import { loadStats } from "../../state/load_stats.ts";
import { useResource } from "../../state/use_resource.ts";
import { UsageChart } from "../../parts/usage_chart.tsx";

const DAYS = 30;
const HEIGHT = 70;

type Usage = StatsBody["usage"][number];

/** Renders the charts; nothing for an agent without a run in this time. */
export function AgentCharts({ id }: { id: string }): VNode | null {
  const { data } = useResource((client) => loadStats(client, { days: DAYS }), {
    key: id,
    topics: ["executions"],
  });
  const usage = new Map(
    data?.usage.filter((one) => one.agent_id === id).map((one) => [one.date, one]),
  );
  if (data === undefined || usage.size === 0) return null;
  const barsOf = (valuesOf: (usage: Usage) => number[], count: number) =>
    data.days.map((date) => {
      const one = usage.get(date);
      const values = one === undefined ? Array(count).fill(0) : valuesOf(one);
      return { date, values, total: values.reduce((sum, value) => sum + value, 0) };
    });
  const ended = ({ succeeded, failed }: Usage) => Math.max(1, succeeded + failed);
  return (
    <div class="charts small">
      <UsageChart
        title="Runs"
        height={HEIGHT}
        bars={barsOf(({ succeeded, failed }) => [succeeded, failed], 2)}
        names={["succeeded", "failed"]}
        colours={["success", "error"]}
        formatAs={() => formatWhole}
        smallest={1}
      />
      <UsageChart
        title="Mean duration"
        height={HEIGHT}
        bars={barsOf((one) => [one.duration_ms / ended(one)], 1)}
        names={["duration"]}
        colours={[0]}
        formatAs={() => formatDuration}
      />
      <UsageChart
        title="Cost"
        height={HEIGHT}
        bars={barsOf(({ cost_usd }) => [cost_usd ?? 0], 1)}
        names={["cost"]}
        colours={[1]}
        formatAs={toCostFormat}
      />
    </div>
  );
}
