// `deno task night`: runs a made-up night and checks, item by item, that the service reports it.
import { HAPPENINGS } from "./happenings.ts";
import { compareNight } from "./told.ts";

const begin = performance.now();
const { succeeded, executions, costUsd, untold, invented, notInRecap, notInWhy, notOnPage } =
  await compareNight();
for (const line of untold) console.error(`not told: ${line}`);
for (const line of invented) console.error(`did not happen: ${line}`);
for (const line of notInRecap) console.error(`not in the recap: ${line}`);
for (const line of notInWhy) console.error(`why does not tell: ${line}`);
for (const line of notOnPage ?? []) console.error(`not on the page: ${line}`);
if (notOnPage === null) console.log("There is no browser: the page is not looked at.");
const seconds = Math.round((performance.now() - begin) / 1_000);
console.log(
  `9 hours in ${seconds} s: ${executions} executions, ${succeeded} of them well, $${
    costUsd.toFixed(2)
  }; ${HAPPENINGS.length - untold.length} of ${HAPPENINGS.length} happenings are told, ` +
    `${invented.length} invented, ${HAPPENINGS.length - notInRecap.length} are in the recap`,
);
const amiss = [untold, invented, notInRecap, notInWhy, notOnPage ?? []].flat();
Deno.exit(amiss.length === 0 ? 0 : 1);
