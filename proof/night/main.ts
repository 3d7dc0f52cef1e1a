// `deno task night`: simulates a planned night of failures and checks, event by event, that the service reports each of
// them and nothing else.
import { PLANNED_EVENTS } from "./planned_events.ts";
import { compareNight } from "./reported_events.ts";

const begin = performance.now();
const { succeeded, executions, costUsd, unreported, unplanned, notInRecap, notInWhy, notOnPage } =
  await compareNight();
for (const line of unreported) console.error(`not reported: ${line}`);
for (const line of unplanned) console.error(`not planned: ${line}`);
for (const line of notInRecap) console.error(`not in the recap: ${line}`);
for (const line of notInWhy) console.error(`not reported by why: ${line}`);
for (const line of notOnPage ?? []) console.error(`not on the page: ${line}`);
if (notOnPage === null) console.log("Without a browser the page is not checked.");
const seconds = Math.round((performance.now() - begin) / 1_000);
console.log(
  `9 hours in ${seconds} s: ${executions} executions, ${succeeded} of them successful, $${
    costUsd.toFixed(2)
  }; ${PLANNED_EVENTS.length - unreported.length} of ${PLANNED_EVENTS.length} events reported, ` +
    `${unplanned.length} unplanned, ${PLANNED_EVENTS.length - notInRecap.length} are in the recap`,
);
const findings = [unreported, unplanned, notInRecap, notInWhy, notOnPage ?? []].flat();
Deno.exit(findings.length === 0 ? 0 : 1);
