// Formats the report of a cluster proof. Violations are at its end.
import { median } from "../bench/paired.ts";
import { describeViolations } from "../soak/soak_report.ts";
import { HAS_FAKETIME } from "./cluster_node.ts";
import type { ClusterReport } from "./cluster.ts";

export function describeCluster(report: ClusterReport): string {
  const { takeovers, followed, violations } = report;
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  return [
    `${report.minutes.toFixed(1)} minutes with seed ${report.seed}`,
    `Done:       ${Object.entries(report.done).map(([name, n]) => `${name} ${n}`).join(", ")}`,
    `Executions: ${report.executions.map((e) => `${e.trigger} ${e.status} ${e.n}`).join(", ")}`,
    `Keys:       ${report.keys}, each with one execution at the most`,
    `Followers:  ${followed.frames} frames in ${followed.visits} visits to some node`,
    takeovers.length === 0
      ? "Taken over: nothing"
      : `Taken over: ${takeovers.length} runs; from the end of their node to their next frame ` +
        `${seconds(median(takeovers))} (median), ${seconds(Math.max(...takeovers))} at most`,
    HAS_FAKETIME
      ? "Clocks:     one right, one two minutes ahead, one two minutes behind"
      : "Clocks:     all the machine's: apt-get install faketime sets them apart",
    ...describeViolations(violations),
    violations.length === 0
      ? "Everything held."
      : `${violations.length} rules are broken: deno task cluster --seed ${report.seed}`,
  ].join("\n");
}
