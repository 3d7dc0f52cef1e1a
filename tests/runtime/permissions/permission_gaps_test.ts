// Tests that permissions which agents need and Deno denies are reported before a run fails: in warnings, in validate and in
// the log.
import assert from "node:assert/strict";
import { join } from "node:path";
import { validateWorkspace } from "../../../ops/authoring/workspace_validation.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";

/** The permissions of a service that was started for agents without network, programs or variables. */
const CLOSED: Deno.TestDefinition["permissions"] = {
  read: true,
  write: true,
  net: ["127.0.0.1"],
  // The variables that the YAML package reads. --ignore-env makes them harmless.
  env: ["LOG_TOKENS", "LOG_STREAM"],
  run: false,
  sys: true,
};

const NEEDY = `---
model:
  provider: corp
  name: big
  base_url: https://models.corp.test/v1
custom_tools: [weather]
---
Greet \${CITY}.
`;

async function warningsOf(place: TestWorkspace, id: string): Promise<string[]> {
  await using runtime = await place.open({ mode: "read-only" });
  const { agent } = await runtime.getAgent(id);
  return agent.warnings.map(({ line, message, hint }) => `${line}: ${message} (${hint})`);
}

Deno.test({
  name: "an agent without its permissions gets a warning for each part of its file",
  permissions: CLOSED,
  async fn() {
    await using place = await createTestWorkspace({ shell: { INKLING_DATABASE_URL: "" } });
    await place.writeAgent("needy", NEEDY);
    const found = await warningsOf(place, "needy");
    const hint =
      `(start it again with the flags that "inkling permissions" prints for config.yaml and the agents)`;
    const of = (place: number, flags: string) =>
      `${place}: Inkling was started without ${flags}, which the agent needs ${hint}`;
    assert.deepEqual(found, [
      of(3, "--allow-net=models.corp.test:443 --allow-env=CORP_API_KEY"),
      of(6, "--allow-run"),
      of(2, "--allow-env=CITY"),
    ]);
    const logged = place.logged.filter(({ level }) => level === "warn");
    assert.equal(logged.length, 3);
    assert.match(logged[0]?.message ?? "", /--allow-net=models\.corp\.test:443/);
    assert.equal(logged[0]?.fields["agent"], "needy");
  },
});

Deno.test({
  name: "validate reports the permissions that its own process lacks",
  permissions: CLOSED,
  async fn() {
    await using place = await createTestWorkspace({ shell: { INKLING_DATABASE_URL: "" } });
    await place.writeAgent("needy", NEEDY.replace("custom_tools: [weather]\n", ""));
    const [file] = await validateWorkspace(await place.settings(), "needy", { cwd: place.root });
    const messages = file?.diagnostics.map(({ severity, message }) => `${severity} ${message}`);
    assert.ok(
      messages?.some((one) => one.startsWith("warning Inkling was started without --allow-net=")),
    );
  },
});

Deno.test({
  name: "an agent with a local model, and keys and variables in files, lacks no permission",
  permissions: CLOSED,
  async fn() {
    await using place = await createTestWorkspace({ shell: { INKLING_DATABASE_URL: "" } });
    await Deno.mkdir(join(place.agentsDir, "_config"));
    const file = join(place.agentsDir, "_config", ".env");
    await Deno.writeTextFile(file, "CORP_API_KEY=k-12345678\nCITY=Bern\n");
    await place.writeAgent(
      "fine",
      NEEDY.replace("https://models.corp.test", "http://127.0.0.1:8080")
        .replace("custom_tools: [weather]\n", ""),
    );
    assert.deepEqual(await warningsOf(place, "fine"), []);
    assert.deepEqual(place.logged.filter(({ level }) => level !== "info"), []);
  },
});

Deno.test("permissionGaps() reports nothing if Deno's flags deny nothing", async () => {
  await using place = await createTestWorkspace({ shell: { INKLING_DATABASE_URL: "" } });
  await place.writeAgent("needy", NEEDY);
  assert.deepEqual(await warningsOf(place, "needy"), []);
});
