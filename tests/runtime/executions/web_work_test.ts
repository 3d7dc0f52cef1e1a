// Tests of whole tasks on the web with a scripted model: a page names a PDF file, and a deployment needs time.
import assert from "node:assert/strict";
import { join } from "node:path";
import { TestClock } from "../../support/test_clock.ts";
import { toEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { serve } from "../tools/builtin/http_site.ts";
import { call, createToolPlace, FREE, resultsOf } from "./executions_of.ts";

const HOUR = 3_600_000;
/** Agents may request this machine. */
const LOCAL = { lines: 'http: { allow: ["127.0.0.1"] }\n' };
/** Returns the steps of a script with one call in each reply. */
const inTurn = (...calls: ReturnType<typeof call>[]) => [
  ...calls.map((one) => ({ call: [one] })),
  { say: "Done." },
];

Deno.test("an agent reads a page, and saves the PDF file that the page names", async () => {
  const pdf = new TextEncoder().encode("%PDF-1.7\nthe report");
  await using site = serve((request) =>
    new URL(request.url).pathname === "/files/report.pdf"
      ? new Response(pdf, { headers: { "content-type": "application/pdf" } })
      : new Response(
        '<title>Reports</title><nav>Home</nav><main><h1>May</h1><a href="files/report.pdf">the report</a></main>',
        { headers: { "content-type": "text/html" } },
      )
  );
  await using place = await createToolPlace(LOCAL);
  const save = { url: `${site.origin}/files/report.pdf`, save_to: "reports/may.pdf" };
  const steps = inTurn(call("http_request", { url: site.origin }), call("http_request", save));
  await place.writeScript("saver", steps, FREE);
  await using runtime = await place.open();
  const { id } = await runtime.run("saver", {});
  assert.equal((await toEnd(runtime, id)).status, "success");
  const [page, saved] = (await resultsOf(runtime, id)).map(({ content }) => String(content));
  assert.match(page ?? "", new RegExp(`# May[^]*\\[the report\\]\\(${save.url}\\)`));
  assert.doesNotMatch(page ?? "", /Home/);
  assert.match(saved ?? "", /reports\/may\.pdf/);
  assert.deepEqual(await Deno.readFile(join(place.workspace, "reports/may.pdf")), pdf);
});

Deno.test("an agent checks a deployment again after a rest", async () => {
  let state = "pending";
  await using site = serve(() => new Response(state));
  await using place = await createToolPlace(LOCAL);
  const look = call("http_request", { url: site.origin });
  const steps = inTurn(look, call("wait", { for: "2h", reason: "the deployment" }), look);
  await place.writeScript("deployer", steps);
  const clock = new TestClock("2026-03-01T00:00:00.000Z");
  await using runtime = await place.open({ clock });
  const { id } = await runtime.run("deployer", {});
  await until(async () => (await runtime.getExecution(id)).rest !== undefined, "the run rests");
  state = "deployed";
  clock.jump(2 * HOUR);
  await clock.advance(0);
  assert.equal((await toEnd(runtime, id)).status, "success");
  const texts = (await resultsOf(runtime, id)).map(({ content }) => String(content));
  assert.equal(texts.length, 3);
  for (const [index, word] of [/pending$/, /^Rested 2h 00m/, /deployed$/].entries()) {
    assert.match(texts[index] ?? "", word);
  }
});
