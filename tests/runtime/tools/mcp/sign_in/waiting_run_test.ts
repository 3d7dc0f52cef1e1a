// Tests that runs wait while an MCP server needs a sign-in, and continue after it.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Runtime } from "../../../../../runtime/interface/runtime.ts";
import { AuthorizationServer } from "../../../../support/machine/authorization_server.ts";
import { runToEnd, toEnd } from "../../../../support/test_workspace.ts";
import { FixtureHttpServer } from "../http_server.ts";
import { createPlace, entryOf, resultsOf } from "../mcp_place.ts";
import { signInAsPerson } from "./sign_in_world.ts";

async function openWorld(config = "") {
  await using stack = new AsyncDisposableStack();
  const auth = stack.use(new AuthorizationServer());
  const server = stack.use(new FixtureHttpServer());
  server.intercept = (request) => auth.guard(request);
  const place = stack.use(await createPlace({ remote: entryOf(server) }));
  if (config !== "") {
    const text = `workspace: ${place.workspace}\n${config}`;
    await Deno.writeTextFile(join(place.configDir, "config.yaml"), text);
  }
  const echo = (text: string) => ({ call: [{ name: "echo", arguments: { text } }] });
  await place.writeScript(
    "caller",
    [echo("one"), echo("two"), { say: "{result}" }],
    "mcp: [remote]",
  );
  const kept = stack.move();
  return {
    place,
    auth,
    signIn: async () => await signInAsPerson(await place.settings(), auth),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function answer(runtime: Runtime, id: number, approved: boolean): Promise<void> {
  const { requestId } = await runtime.pendingRequest(id);
  await runtime.respond(id, { requestId, answer: { approved } });
}

Deno.test("a run waits for a sign-in before it starts, and continues after it", async () => {
  await using world = await openWorld();
  await using runtime = await world.place.open();
  const waiting = await runToEnd(runtime, "caller");
  assert.equal(waiting.status, "waiting");
  const asked = await runtime.pendingRequest(waiting.id);
  assert.deepEqual([asked.toolName, asked.toolArgs], ["sign_in", { server: "remote" }]);
  assert.match(
    asked.message,
    /it needs a sign-in: inkling mcp login remote\n.*A denial ends them$/,
  );
  // An approval without a sign-in would only ask again.
  await assert.rejects(answer(runtime, waiting.id, true), {
    name: "AnswerMisfit",
    message: "Only a sign-in continues this run: inkling mcp login remote. A denial gives up",
  });
  assert.equal((await runtime.pendingRequest(waiting.id)).requestId, asked.requestId);
  await world.signIn();
  await answer(runtime, waiting.id, true);
  const ended = await toEnd(runtime, waiting.id);
  assert.deepEqual([ended.status, ended.outputData], ["success", "two"]);
  const { differences } = await runtime.replays.replay(waiting.id, { withAllTools: false });
  assert.deepEqual(differences, []);
});

Deno.test("a denied sign-in ends the run with the reason", async () => {
  await using world = await openWorld();
  await using runtime = await world.place.open();
  const waiting = await runToEnd(runtime, "caller");
  await answer(runtime, waiting.id, false);
  const ended = await toEnd(runtime, waiting.id);
  assert.equal(ended.status, "error");
  assert.match(ended.error ?? "", /it needs a sign-in: inkling mcp login remote/);
});

Deno.test("a sign-in that ends during a run makes it wait, and the call is made once", async () => {
  await using world = await openWorld();
  const { auth, place } = world;
  await world.signIn();
  await using runtime = await place.open();
  let isFirst = true;
  auth.intercept = () => undefined;
  const guard = auth.guard.bind(auth);
  const called: string[] = [];
  auth.guard = (request) => {
    const refused = guard(request);
    if (refused !== undefined || request.method !== "POST") return refused;
    void request.clone().json().then(({ method, params }) => {
      if (method !== "tools/call") return;
      called.push(params.arguments.text);
      // The person's account revokes everything after the first call.
      if (isFirst) {
        isFirst = false;
        auth.accessTokens.clear();
        auth.refreshTokens.clear();
      }
    });
    return undefined;
  };
  const waiting = await runToEnd(runtime, "caller");
  assert.equal(waiting.status, "waiting");
  assert.deepEqual(called, ["one"]);
  await world.signIn();
  await answer(runtime, waiting.id, true);
  const ended = await toEnd(runtime, waiting.id);
  assert.deepEqual([ended.status, ended.outputData], ["success", "two"]);
  assert.deepEqual(called, ["one", "two"]);
  assert.deepEqual(await resultsOf(runtime, waiting.id), ["one", "two"]);
  const { differences } = await runtime.replays.replay(waiting.id, { withAllTools: false });
  assert.deepEqual(differences, []);
});

Deno.test("one sign-in or one denial answers all runs that wait for the same server", async () => {
  await using world = await openWorld();
  const { place } = world;
  for (const id of ["other", "third"]) {
    await place.writeScript(id, [{ say: "done" }], "mcp: [remote]");
  }
  await using runtime = await place.open();
  const warnings = async () =>
    (await runtime.listAgents()).flatMap(({ agent: { id, warnings } }) =>
      warnings.map(({ message }) => `${id}: ${message}`)
    );
  assert.deepEqual(await warnings(), []);
  const agents = ["caller", "other", "third"];
  const begin = async () => {
    const runs = await Promise.all(agents.map((id) => runToEnd(runtime, id)));
    assert.deepEqual(runs.map(({ status }) => status), ["waiting", "waiting", "waiting"]);
    return runs.map(({ id }) => id);
  };
  const endOf = (ids: readonly number[]) => Promise.all(ids.map((id) => toEnd(runtime, id)));
  const [first = 0, ...others] = await begin();
  assert.equal((await runtime.pendingRequest(first)).waitingRuns, 3);
  assert.deepEqual(
    await warnings(),
    agents.map((id) =>
      `${id}: The MCP server "remote" cannot be used: it needs a sign-in: inkling mcp login remote`
    ),
  );
  await answer(runtime, first, false);
  for (const { status, error } of await endOf([first, ...others])) {
    assert.equal(status, "error");
    assert.match(error ?? "", /it needs a sign-in/);
  }
  assert.deepEqual(await warnings(), []);
  const again = await begin();
  await world.signIn();
  await answer(runtime, again[1] ?? 0, true);
  assert.deepEqual((await endOf(again)).map(({ status }) => status), [
    "success",
    "success",
    "success",
  ]);
});

Deno.test("several runs that wait for one sign-in cause one message", async () => {
  await using world = await openWorld(
    "notify: { to: [team], channels: { team: { type: slack, url: TEAM_URL } } }\n",
  );
  const { place } = world;
  // Nothing listens there, and messages reach no private address.
  place.shell["TEAM_URL"] = "https://127.0.0.1:1/hook";
  await place.writeScript("other", [{ say: "done" }], "mcp: [remote]");
  await using runtime = await place.open();
  const first = await runToEnd(runtime, "caller");
  const second = await runToEnd(runtime, "other");
  assert.deepEqual([first.status, second.status], ["waiting", "waiting"]);
  const messages = await place.all<{ execution_id: number; title: string }>(
    "SELECT execution_id, title FROM outbox WHERE kind = 'waiting'",
  );
  assert.deepEqual(messages.map((one) => [Number(one.execution_id), one.title]), [
    [first.id, "Sign in to remote"],
  ]);
});
