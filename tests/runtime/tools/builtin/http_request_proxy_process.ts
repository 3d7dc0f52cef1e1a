// Calls http_request in a process whose environment variables name a proxy. Prints the results and the requests that the
// site received. Arguments: the origin of the site.
import { ask as askSite, OPEN_POLICY, refusal } from "./http_site.ts";

const [port = ""] = Deno.args;
const options = {
  resolveHost: () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]),
};
const named = [`http://site.test:${port}/`, `https://site.test:${port}/`];
const closed = { policy: { deny: ["private"] }, options };
const own = { policy: { ownPorts: () => [Number(port)] }, options };
const refusals: string[] = [];
for (const url of named) {
  for (const setting of [closed, own]) refusals.push(await refusal({ url }, setting));
}
const answer = await askSite({ url: named[0] }, { policy: OPEN_POLICY, options });
console.log(JSON.stringify({ refusals, answer }));
