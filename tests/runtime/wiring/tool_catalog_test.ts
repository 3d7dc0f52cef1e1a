// Tests the facts about the machine that the tools of a runtime use.
import assert from "node:assert/strict";
import { AgentRegistry } from "../../../runtime/agents/registry.ts";
import { TokenSecrets } from "../../../runtime/tools/mcp/sign_in/token_secrets.ts";
import { openToolCatalog } from "../../../runtime/wiring/tool_catalog.ts";
import { classifyAddress } from "../../../runtime/tools/http/ip_address.ts";
import { LogLines } from "../../support/log_lines.ts";
import { createTestAgent } from "../../support/test_agent.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { call, failureOf, SandboxFixture, testContext } from "../tools/files/sandbox_fixture.ts";

const PORT = 8_700;
/** The addresses by which other machines reach this machine. */
const OUTER = Deno.networkInterfaces().map(({ address }) => address)
  .filter((address) => ["public", "private"].includes(classifyAddress(address) ?? ""));

/** Returns the result of a request to the service's port at this host. */
async function refusalOf(host: string, http: string): Promise<string> {
  await using place = await createTestWorkspace({ config: `http: ${http}\n` });
  await using fixture = await SandboxFixture.open();
  await using resources = new AsyncDisposableStack();
  const settings = await place.settings();
  const { directories, config, home } = settings;
  const catalog = await openToolCatalog({
    settings,
    registry: new AgentRegistry({ directories, config, home, inspect: () => Promise.resolve([]) }),
    clock: new TestClock(),
    log: new LogLines(),
    tokenSecrets: new TokenSecrets(),
    knownTools: { findTool: () => Promise.resolve(undefined), keepTool: () => Promise.resolve() },
    isFirstWarning: () => Promise.resolve(false),
    version: "0.0.0-test",
    executable: Deno.execPath(),
    ownPorts: () => [PORT],
    resources,
  });
  const { signal } = new AbortController();
  const tool = (await catalog.openTools(createTestAgent(), { signal })).toolbox.get("http_request");
  assert.ok(tool !== undefined);
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${PORT}/health`;
  return await failureOf(call(tool, { url }, testContext(fixture.sandbox())));
}

Deno.test("openToolCatalog() denies the service's own port at every address of this machine", async () => {
  for (const address of OUTER) {
    assert.match(await refusalOf(address, "{}"), /: this is the service's own port\.$/, address);
  }
  const message = await refusalOf("10.213.97.251", "{ deny: [private] }");
  assert.match(message, /http\.deny in config\.yaml closes private addresses/);
});
