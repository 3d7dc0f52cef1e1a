// `deno task mail:changes`: a hundred agents check a page every minute. Prints the checks, the calls of the model, and the
// processor time and memory of the service. Arguments: minutes (60), agents (100).
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { kill, serve } from "../../tests/runtime/triggers/mortal_process.ts";
import { processorMs, residentMb } from "../soak/process_table.ts";
import { sleep } from "../soak/sleep.ts";

const minutes = Number(Deno.args[0] ?? 60);
const agents = Number(Deno.args[1] ?? 100);

let requests = 0;
await using pages = Deno.serve(
  { port: 0, hostname: "127.0.0.1", onListen() {} },
  ({ url, headers }) => {
    requests++;
    const number = Number(new URL(url).pathname.slice(1));
    // Every other page has an ETag, and every tenth a clock, which the agent ignores.
    const etag = number % 2 === 0 ? { etag: `"${number}"` } : undefined;
    if (etag !== undefined && headers.get("if-none-match") === etag.etag) {
      return new Response(null, { status: 304 });
    }
    const clock = number % 10 === 5 ? `<p>Now ${new Date().toISOString()}</p>` : "";
    const text = `<html><body><main><h1>Page ${number}</h1>${clock}</main></body></html>`;
    return new Response(text, { headers: { "content-type": "text/html", ...etag } });
  },
);
let calls = 0;
await using model = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
  calls++;
  return new Response("no model", { status: 500 });
});

await using place = await createTestWorkspace({ shell: { OPENAI_API_KEY: "key" } });
const provider = `model: { provider: openai, name: gpt-5, base_url: "http://127.0.0.1:${
  (model.addr as Deno.NetAddr).port
}/v1" }`;
for (let number = 0; number < agents; number++) {
  const url = `http://127.0.0.1:${(pages.addr as Deno.NetAddr).port}/${number}`;
  const trigger = `trigger: { type: change, url: "${url}", every: 1m, ignore: ['Now \\S+'] }`;
  await place.writeAgent(`page-${number}`, `---\n${provider}\n${trigger}\n---\nSay what is new.\n`);
}
const service = await serve(place);
const begin = await usageOf(service.pid);
for (let minute = 1; minute <= minutes; minute++) {
  await sleep(60_000);
  const { cpuSeconds, megabytes } = await usageOf(service.pid);
  if (minute % 5 === 0 || minute === minutes) {
    const cpu = cpuSeconds - begin.cpuSeconds;
    console.log(`${minute} min: ${requests} checks, ${cpu} s of the processor, ${megabytes} MB`);
  }
}
const end = await usageOf(service.pid);
await kill(service);
const runs = await place.all("SELECT 1 FROM executions");
const failed = await place.all<{ reason: string }>(
  "SELECT reason FROM slots WHERE reason LIKE '%failed%'",
);
for (const { reason } of failed.slice(0, 5)) console.log(`failed: ${reason}`);
const share = (end.cpuSeconds - begin.cpuSeconds) / (minutes * 60) * 100;
const held = calls === 0 && runs.length === 0 && failed.length === 0 &&
  // A busy machine joins checks that are late.
  requests >= agents * (minutes - 1) * 0.8;
console.log(
  `${held ? "held" : "FAILED"}: ${agents} agents, ${minutes} minutes, ${requests} checks, ` +
    `${failed.length} failed, ${runs.length} runs, ${calls} calls of a model; ` +
    `${
      share.toFixed(2)
    } % of one processor, ${begin.megabytes} MB at the start, ${end.megabytes} MB at the end`,
);
if (!held) Deno.exit(1);

/** Returns the processor time that a process has used, and its memory now. */
async function usageOf(pid: number): Promise<{ cpuSeconds: number; megabytes: number }> {
  const [ms, megabytes] = [await processorMs(pid), await residentMb(pid)];
  return { cpuSeconds: Math.round(ms / 1_000), megabytes: Math.round(megabytes) };
}
