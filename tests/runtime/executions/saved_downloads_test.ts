// Tests that a download into a file is guarded like file_write: questions, dry runs, replays.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestWorkspace } from "../../support/test_workspace.ts";
import { runToEnd } from "../../support/test_workspace.ts";
import { serve } from "../tools/builtin/http_site.ts";
import { answerToEnd, call, createToolPlace, doing, resultsOf } from "./executions_of.ts";

/** Creates a workspace in which agents may request this machine. */
const createPlace = () => createToolPlace({ lines: 'http: { allow: ["127.0.0.1"] }\n' });
const savedIn = ({ workspace }: TestWorkspace) =>
  Deno.readTextFile(join(workspace, "page.html")).catch(() => undefined);
const saving = (origin: string) =>
  doing(call("http_request", { url: origin, save_to: "page.html" }));

Deno.test("a download into a file waits for approval if file_write does", async () => {
  await using site = serve(() => new Response("<p>page"));
  await using place = await createPlace();
  await place.writeScript("saver", saving(site.origin));
  await place.writeScript("reader", doing(call("http_request", { url: site.origin })));
  await using runtime = await place.open();
  assert.equal((await runToEnd(runtime, "reader")).status, "success");
  const { id, status } = await runToEnd(runtime, "saver");
  const { message, toolArgs } = await runtime.pendingRequest(id);
  assert.deepEqual([status, message, toolArgs["save_to"]], [
    "waiting",
    "Allow http_request?",
    "page.html",
  ]);
  assert.deepEqual([site.seen.length, await savedIn(place)], [1, undefined]);
  assert.equal((await answerToEnd(runtime, id, { approved: true })).status, "success");
  assert.equal(await savedIn(place), "<p>page");
});

Deno.test("auto_approve of http_request or file_write exempts downloads, and `always` adds the first", async () => {
  await using site = serve(() => new Response("<p>page"));
  await using place = await createPlace();
  for (const name of ["file_write", "http_request", "all"]) {
    await place.writeScript(`free_${name}`, saving(site.origin), `auto_approve: [${name}]`);
  }
  await place.writeScript("asks", saving(site.origin), "auto_approve: [file_delete]");
  await place.writeScript(
    "confirms",
    saving(site.origin),
    "auto_approve: [file_write]\nconfirm: [http_request]",
  );
  await using runtime = await place.open();
  for (const name of ["file_write", "http_request", "all"]) {
    assert.equal((await runToEnd(runtime, `free_${name}`)).status, "success", name);
  }
  assert.equal((await runToEnd(runtime, "confirms")).status, "waiting");
  assert.equal((await runToEnd(runtime, "asks")).status, "waiting");
  const added = await runtime.autoApprove("asks", { tool: "http_request", write: true });
  assert.deepEqual([added.already, added.written], [false, true]);
  assert.match(added.diff, /\+auto_approve: \[file_delete, http_request\]/);
  assert.equal((await runToEnd(runtime, "asks", { sessionId: "s" })).status, "success");
});

Deno.test("a dry run describes a download and its path, and a closed path is an error", async () => {
  await using site = serve(() => new Response("<p>page"));
  await using place = await createPlace();
  const calls = ["page.html", "agents/me.md"].map((save_to) =>
    call("http_request", { url: site.origin, save_to })
  );
  await place.writeScript("saver", doing(...calls), 'auto_approve: "*"');
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "saver", { dryRun: true });
  const [described, refused] = await resultsOf(runtime, id);
  assert.match(
    String(described?.["content"]),
    /^Would call http_request \{.*"save_to":"page\.html"/,
  );
  const [{ preview }] = described?.["would_do"] as [{ preview: { path: string; problem: string } }];
  assert.equal(preview.path, "page.html");
  assert.match(preview.problem, /gets the body of the response: it is not known yet/);
  assert.equal(refused?.["is_error"], true);
  assert.deepEqual([site.seen, await savedIn(place)], [[], undefined]);
});

Deno.test("a replay neither requests the address nor writes the file", async () => {
  await using site = serve(() => new Response("<p>page"));
  await using place = await createPlace();
  await place.writeScript("saver", saving(site.origin));
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "saver");
  await answerToEnd(runtime, id, { approved: true });
  await Deno.remove(join(place.workspace, "page.html"));
  const { differences } = await runtime.replays.replay(id, { withAllTools: false });
  assert.deepEqual([site.seen.length, await savedIn(place)], [1, undefined]);
  assert.deepEqual(differences, []);
});
