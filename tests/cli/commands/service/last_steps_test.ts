// The last steps of `inkling setup`: the unit, the channel, its test, and the verdict.
import assert from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import { createStandInManagers } from "../../../support/machine/stand_in_managers.ts";
import { CTRL_C, NOTHING } from "../../fake_input.ts";
import { createSetupWorld, type SetupWorld } from "../../setup_world.ts";

/** The answers of an unchanged setup with a demo model. */
const UNCHANGED = ["~/inkling", "demo", "echo", false, true];
const CONFIG = "# ours\nworkspace: ~/inkling\ndefaults: {provider: demo, model: echo}\n";

interface StepsWorld extends SetupWorld {
  /** Answers the questions after the files were written, and returns both outputs. */
  finish(answers: unknown[], expected?: number): Promise<string>;
  secretFile: string;
}

/** Creates a home whose channels accept test messages. */
async function createStepsWorld(config = CONFIG): Promise<StepsWorld> {
  const world = await createSetupWorld({ config });
  const { cli } = world;
  for (const name of ["phone", "team", "hook", "command"]) {
    cli.trials.set(name, { name, delivered: true, reply: "it answered 200" });
  }
  return {
    ...world,
    secretFile: join(world.home, ".config/inkling/.env"),
    async finish(answers, expected = 0) {
      cli.input.answers = [...UNCHANGED, ...answers];
      cli.stdout.text = cli.stderr.text = "";
      assert.equal(await cli.drive(cli.run("setup")), expected, cli.stderr.text);
      assert.deepEqual(cli.input.answers, []);
      return (cli.stdout.text + cli.stderr.text).replaceAll(/\s+/g, " ");
    },
  };
}

Deno.test("setup adds a channel of each kind, tests it, and asks if the message arrived", async () => {
  const url = "https://hooks.example/s3cr3t-path";
  const kinds: [answers: unknown[], channels: unknown, secret: RegExp | undefined][] = [
    [["ntfy", "https://ntfy.example", "my-topic", "tk_0123456789"], {
      phone: {
        ...{ type: "ntfy", topic: "my-topic", url: "https://ntfy.example" },
        token: "NTFY_TOKEN",
      },
    }, /^NTFY_TOKEN=tk_0123456789$/m],
    [["ntfy", "https://ntfy.sh", "a b", "my-topic", ""], {
      phone: { type: "ntfy", topic: "my-topic" },
    }, undefined],
    [
      ["slack", url],
      { team: { type: "slack", url: "SLACK_WEBHOOK_URL" } },
      /^SLACK_WEBHOOK_URL=.*s3cr3t/m,
    ],
    [["webhook", "no address", "https://hooks.example/in"], {
      hook: { type: "webhook", url: "https://hooks.example/in", secret: "INKLING_HOOK_SECRET" },
    }, /^INKLING_HOOK_SECRET=whsec_[\w+/]{43}=$/m],
    [["command", "mail -s Inkling me@example.org"], {
      command: {
        type: "command",
        run: ["mail", "-s", "Inkling", "me@example.org"],
        allow: true,
      },
    }, undefined],
  ];
  for (const [answers, channels, secret] of kinds) {
    await using world = await createStepsWorld();
    const { cli } = world;
    const said = await world.finish([...answers, true]);
    const text = await world.read(world.configFile);
    assert.deepEqual(parse(text).notify, { channels });
    assert.ok(text.startsWith("# ours\n"), "comments stay");
    if (secret === undefined) assert.ok(!world.files().includes(".config/inkling/.env"));
    else {
      assert.match(await world.read(world.secretFile), secret);
      assert.equal((await Deno.stat(world.secretFile)).mode! & 0o777, 0o600);
      assert.doesNotMatch(text + said, /tk_0123|s3cr3t|whsec_\w/);
    }
    assert.match(said, /delivered \(it answered 200\)/);
    assert.deepEqual(cli.lost, []);
    assert.equal(cli.input.asked.at(-1)?.message, "Did the message arrive?");
  }
});

Deno.test("setup skips a last step at Enter, and keeps the written files at Ctrl+C", async () => {
  await using world = await createStepsWorld();
  const { cli } = world;
  await world.finish(["later"]);
  const before = await world.read(world.configFile);
  for (
    const answers of [[CTRL_C], ["ntfy", CTRL_C], ["slack", ""], ["webhook", ""], ["command", ""]]
  ) {
    const code = answers.at(-1) === CTRL_C ? 130 : 0;
    const said = await world.finish(answers, code);
    if (code === 130) assert.match(said, /All files are written\. "inkling setup" offers/);
    assert.equal(await world.read(world.configFile), before);
  }
  // At the last question the channel is already written.
  await world.finish(["ntfy", "https://ntfy.sh", "topic", "", CTRL_C], 130);
  assert.ok("phone" in parse(await world.read(world.configFile)).notify.channels);
  cli.channels = [{ name: "phone", type: "ntfy", problem: null }];
  await world.finish([false]);
  assert.equal(cli.input.asked.at(-1)?.message, "Send a test message?");
});

Deno.test("setup reports a lost message, and ends the question when the link is opened", async () => {
  await using world = await createStepsWorld();
  const { cli } = world;
  cli.channels = [{ name: "phone", type: "ntfy", problem: null }];
  assert.match(await world.finish([true, false]), /then test it: inkling notify --test phone/);
  assert.deepEqual(cli.lost, ["phone"]);
  cli.trials.set("phone", { name: "phone", delivered: true, reply: "200", token: "secret" });
  cli.confirmed.add("secret");
  assert.match(await world.finish([true, NOTHING]), /The link of the message was opened/);
  cli.trials.set("phone", { name: "phone", delivered: false, reply: "it answered 404" });
  assert.match(await world.finish([true]), /phone: not delivered \(it answered 404\)/);
});

Deno.test("setup installs the unit, and continues if that fails", async () => {
  await using world = await createStepsWorld();
  const { cli, home } = world;
  const managers = createStandInManagers(home);
  cli.environment = { HOME: home, USER: "me", PATH: `${managers.bin}:/usr/bin:/bin` };
  Object.defineProperty(cli, "isRunning", { get: () => managers.isActive() });
  Object.assign(cli.lifecycle, { manager: "systemd" });
  managers.set("failing");
  assert.match(
    await world.finish([true, "later"]),
    /restart inkling\.service" failed: /,
  );
  await Deno.remove(join(managers.bin, "failing"));
  await world.finish([false, "later"]);
  const said = await world.finish([true, "later"]);
  assert.match(said, /Inkling is running, and starts with this machine/);
  cli.unit = { file: "inkling.service", isEnabled: true, isLingering: true };
  await world.finish(["later"]);
  cli.unit = undefined;
  managers.set("silent");
  cli.environment = { ...cli.environment, HOME: "/nowhere" };
  await world.finish(["later"]);
});
