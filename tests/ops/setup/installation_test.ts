import { OpenAiServer } from "../../support/models/openai_server.ts";
import assert from "node:assert/strict";
import { parse } from "yaml";
import { Installation } from "../../../ops/setup/installation.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { TestClock } from "../../support/test_clock.ts";

const MODEL = { provider: "openai", model: "m" };
const modeOf = (path: string) => (Deno.statSync(path).mode ?? 0) & 0o777;

/**
 * Creates an installation in a temporary home. Calls `body` with the installation and the paths of config.yaml and of the
 * environment file.
 */
async function withInstallation(
  body: (
    world: { home: string; configFile: string; envFile: string; installation: Installation },
  ) => Promise<void>,
  shell: Record<string, string> = {},
): Promise<void> {
  await withTempDir(async (home) => {
    await Deno.mkdir(`${home}/.config/inkling`, { recursive: true });
    await Deno.mkdir(`${home}/inkling/agents/_config`, { recursive: true });
    await body({
      home,
      configFile: `${home}/.config/inkling/config.yaml`,
      envFile: `${home}/inkling/agents/_config/.env`,
      installation: new Installation({ shell, home, cwd: home, clock: new TestClock() }),
    });
  });
}

Deno.test("Installation.key() returns the place of the key that is used", () =>
  withInstallation(async ({ home, envFile, installation }) => {
    const source = async () => (await installation.key(MODEL, "~/inkling")).source;
    assert.equal(await source(), "the environment");
    await Deno.writeTextFile(`${home}/.config/inkling/.env`, "OPENAI_API_KEY=k\n");
    assert.equal(await source(), `${home}/.config/inkling/.env`);
    await Deno.writeTextFile(envFile, "OPENAI_API_KEY=\n");
    assert.equal(await source(), `${home}/.config/inkling/.env`);
    await Deno.writeTextFile(envFile, "OPENAI_API_KEY=k\n");
    assert.equal(await source(), envFile);
  }, { OPENAI_API_KEY: "k" }));

Deno.test("Installation.write() merges into the present content of config.yaml", () =>
  withInstallation(async ({ configFile, installation }) => {
    await installation.read();
    await Deno.writeTextFile(configFile, "agents_dir: team # since today\n");
    await installation.write({ workspace: "~/inkling", model: MODEL });
    const text = await Deno.readTextFile(configFile);
    assert.match(text, /^agents_dir: team # since today\n/);
    assert.equal(parse(text).defaults.provider, "openai");
  }));

Deno.test("Installation.write() keeps links and makes the keys private", () =>
  withInstallation(async ({ home, configFile, envFile, installation }) => {
    await Deno.writeTextFile(`${home}/dotfile.yaml`, "# shared\n", { mode: 0o644 });
    await Deno.symlink(`${home}/dotfile.yaml`, configFile);
    await Deno.writeTextFile(`${home}/keys`, "A=1\n");
    await Deno.chmod(`${home}/keys`, 0o644);
    await Deno.symlink(`${home}/keys`, envFile);
    await installation.write({ model: MODEL, apiKey: "k#1" });
    assert.ok(Deno.lstatSync(configFile).isSymlink && Deno.lstatSync(envFile).isSymlink);
    assert.match(await Deno.readTextFile(`${home}/dotfile.yaml`), /^# shared\n[^]*provider/);
    assert.equal(await Deno.readTextFile(`${home}/keys`), "A=1\nOPENAI_API_KEY='k#1'\n");
    assert.equal(modeOf(`${home}/keys`), 0o600);
  }));

Deno.test("Installation.write() changes no file if one file cannot be edited", () =>
  withInstallation(async ({ home, configFile, envFile, installation }) => {
    await Deno.writeTextFile(configFile, "a: &b {model: m}\ndefaults: *b\n");
    const wanted =
      /^ConfigNotEditable: Cannot merge into .*config\.yaml: defaults in it is not a plain section/;
    await assert.rejects(installation.write({ model: MODEL, apiKey: "k" }), wanted);
    await Deno.writeTextFile(configFile, "");
    await Deno.writeTextFile(envFile, "A='open\n");
    const refusal = /^EnvironmentFileNotEditable: Cannot add OPENAI_API_KEY to .*\.env/;
    await assert.rejects(installation.write({ model: MODEL, apiKey: "k#1" }), refusal);
    assert.equal(await Deno.readTextFile(configFile), "");
    assert.equal(await Deno.readTextFile(envFile), "A='open\n");
    await assert.rejects(Deno.stat(`${home}/inkling/agents/hello.md`), Deno.errors.NotFound);
  }));

Deno.test("Installation.write() names the folder that is in the place of a file", () =>
  withInstallation(async ({ home, installation }) => {
    await Deno.writeTextFile(`${home}/inkling/agents/_config/tools`, "");
    const expected = /^InstallationUnusable: Cannot make the folder .*\/_config\/tools: /;
    await assert.rejects(installation.write({ model: MODEL }), expected);
  }));

Deno.test("Installation.write() reports a file that is not text", () =>
  withInstallation(async ({ home, configFile, envFile, installation }) => {
    const bytes = Uint8Array.of(0x41, 0x3d, 0xff, 0x0a);
    await Deno.writeFile(envFile, bytes);
    await assert.rejects(installation.write({ model: MODEL, apiKey: "k" }), {
      name: "InstallationUnusable",
      code: "storage",
      message: /^Cannot use .*\/_config\/\.env:1:3: .*UTF-8/,
    });
    assert.deepEqual(await Deno.readFile(envFile), bytes);
    await assert.rejects(Deno.stat(configFile), Deno.errors.NotFound);
    await assert.rejects(Deno.stat(`${home}/inkling/agents/hello.md`), Deno.errors.NotFound);
  }));

Deno.test("Installation.tryModel() spends only what the workspace's budget allows", async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 100 };
  await using server = new OpenAiServer([{ text: "ready", usage }]);
  await withInstallation(async ({ configFile, installation }) => {
    // A token of the reply costs one cent, so a call reserves ten dollars.
    const prices = configFile.replace("config.yaml", "pricing.yaml");
    await Deno.writeTextFile(prices, "local/tiny: { input: 0, output: 10000 }\n");
    await Deno.writeTextFile(configFile, "budget: { per_day: 11 }\n");
    const model = { provider: "local", model: "tiny", baseUrl: server.origin };
    const { signal } = new AbortController();
    await installation.tryModel({ model }, signal);
    await assert.rejects(installation.tryModel({ model }, signal), {
      name: "BudgetExceeded",
      message: "Budget per_day ($11.00) of the workspace is used up",
    });
    server.assertDone();
  });
});
