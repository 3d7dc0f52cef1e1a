// `deno task bench`: prints all figures as a table or, with --json, as JSON. Arguments: the names of the groups to measure;
// --bundle measures the shipped bundle.
import { toNpmPackage } from "../../release/npm_package.ts";
import { openStage } from "../../release/stage.ts";
import { benchAgentTests } from "./agent_tests.ts";
import { benchAgents } from "./agents.ts";
import { benchCluster } from "./cluster.ts";
import { benchDelivery } from "./delivery.ts";
import { benchHttp } from "./http.ts";
import { type Figure, meetsGoal } from "./paired.ts";
import { benchReplays } from "./replays.ts";
import { benchRests } from "./rests.ts";
import { benchRuns } from "./runs.ts";
import { benchSandbox } from "./sandbox.ts";
import { benchSchedules } from "./schedules.ts";
import { benchSearch } from "./search.ts";
import { benchServiceRuns } from "./service_runs.ts";
import { benchStartUp } from "./start_up.ts";
import { benchStoredExecutions } from "./stored_executions.ts";

const GROUPS: Readonly<Record<string, () => Promise<Figure[]>>> = {
  start: benchStartUp,
  http: benchHttp,
  runs: benchRuns,
  service: benchServiceRuns,
  delivery: benchDelivery,
  executions: benchStoredExecutions,
  replays: benchReplays,
  agents: benchAgents,
  tests: benchAgentTests,
  schedules: benchSchedules,
  rests: benchRests,
  sandbox: benchSandbox,
  search: benchSearch,
  cluster: benchCluster,
};

// With --bundle, the groups that start a process start the bundle instead of the sources.
await using bundle = Deno.args.includes("--bundle") ? await openStage() : undefined;
if (bundle !== undefined) {
  await toNpmPackage(bundle);
  Deno.env.set("INKLING_TEST_BUNDLE", bundle.directory);
}
const names = Deno.args.filter((one) => !one.startsWith("-"));
const unknown = names.find((name) => GROUPS[name] === undefined);
if (unknown !== undefined) {
  console.error(`There is no group "${unknown}". There are: ${Object.keys(GROUPS).join(", ")}`);
  Deno.exit(2);
}
const asJson = Deno.args.includes("--json");
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(GROUPS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const figure of await measure()) {
    figures.push(figure);
    if (!asJson) console.log(format(figure));
  }
}
if (asJson) console.log(JSON.stringify(figures, null, 2));

function format(figure: Figure): string {
  const { name, ratio, subject, floor, unit, pairs, goal } = figure;
  const outcome = goal === undefined
    ? ""
    : `  ${meetsGoal(figure) ? "meets" : "MISSES"} the goal: ${goal.is} ${goal.bound} ` +
      (goal.of === "ratio" ? "x" : unit);
  return `${name.padEnd(58)} ${ratio.toFixed(2).padStart(7)} x floor   ` +
    `${toText(subject)} against ${toText(floor)} ${unit} (${pairs} pairs)${outcome}`;
}

function toText(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
