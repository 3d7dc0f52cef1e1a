// The last steps of `inkling setup`: the unit, the channel, its test, and the verdict.
import assert from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import { offerLastSteps } from "../../../../cli/setup/last_steps.ts";
import { SLACK_MANIFEST } from "../../../../cli/setup/chat_guides.ts";
import { REPOSITORY } from "../../../support/repository.ts";
import { createStandInManagers } from "../../../support/machine/stand_in_managers.ts";
import { startImap, startSmtp, withDovecot } from "../../../support/machine/mail_servers.ts";
import { mailOf } from "../../../runtime/triggers/mail/mail_world.ts";
import { CTRL_C, NOTHING } from "../../fake_input.ts";
import { createSetupWorld, type SetupWorld } from "../../setup_world.ts";

/** The answers of an unchanged setup with a demo model. */
const UNCHANGED = ["~/inkling", "demo", "echo", false, true];
const CONFIG = "# ours\nworkspace: ~/inkling\ndefaults: {provider: demo, model: echo}\n";

interface StepsWorld extends SetupWorld {
  /**
   * Answers the last steps, and returns both outputs. With an expected failure, they are the last steps of a whole setup.
   */
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
      cli.stdout.text = cli.stderr.text = "";
      cli.input.answers = [...answers];
      if (expected === 0) {
        await cli.drive(offerLastSteps(cli.context, await cli.app.openInstallation()));
      } else {
        cli.input.answers = [...UNCHANGED, ...answers];
        assert.equal(await cli.drive(cli.run("setup")), expected, cli.stderr.text);
      }
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

withDovecot.test("setup adds a mail account with a channel, signs in to it, and says what is wrong", async () => {
  await using imap = await startImap();
  await using smtp = await startSmtp();
  await imap.deliver("ann@example.com", mailOf());
  const servers = [`127.0.0.1:${imap.port}`, `127.0.0.1:${smtp.port}`];
  for (
    const [password, said] of [
      ["secret", /The account can be read, and its server accepts mail/],
      ["wrong-password", /refuses the user ann@example.com or its password.*HOME_MAIL_PASSWORD/],
    ] as const
  ) {
    await using world = await createStepsWorld();
    world.cli.trials.set("inbox", { name: "inbox", delivered: true, reply: "accepted" });
    const answers = ["mail", "ann", "ann@example.com", ...servers, password, true];
    assert.match(await world.finish(answers), said);
    const { mail, notify } = parse(await world.read(world.configFile));
    assert.deepEqual(mail, {
      home: {
        ...{ address: "ann@example.com", imap: servers[0], smtp: servers[1] },
        ...{ password_env: "HOME_MAIL_PASSWORD", tls: false },
      },
    });
    assert.deepEqual(notify.channels.inbox, {
      ...{ type: "mail", account: "home", to: ["ann@example.com"] },
    });
    assert.ok((await world.read(world.secretFile)).includes(`HOME_MAIL_PASSWORD=${password}`));
  }
});

Deno.test("setup knows the servers of large providers, and skips a mail account without a password", async () => {
  await using world = await createStepsWorld();
  const said = await world.finish(["mail", "ann@gmail.com", ""]);
  assert.match(said, /needs a password for programs: https:\/\/myaccount.google.com\/apppasswords/);
  assert.equal(parse(await world.read(world.configFile)).mail, undefined);
});

/** Creates a home whose chats are reported as config.yaml has them, and where Ada sends every code. */
async function createChatSteps(config = CONFIG): Promise<StepsWorld> {
  const world = await createStepsWorld(config);
  const { cli, configFile } = world;
  const chats = () =>
    Object.entries<ChatInFile>(parse(Deno.readTextFileSync(configFile)).chat ?? {});
  Object.defineProperty(cli, "channels", {
    get: () =>
      chats().map(([name, { people = [] }]) => {
        const isEmpty = !people.some(({ may }) => may.includes("answer"));
        return { name, type: "chat", problem: null, isEmpty };
      }),
  });
  cli.agentNames = ["concierge", "hello"];
  const chat = { app: "telegram", token: "T", apiRoot: "", people: [], groups: [] } as const;
  cli.runtime.chats = [{ name: "phone", ...chat }, { name: "team", ...chat }];
  cli.runtime.codeSender = { id: "77", name: "Ada (@ada)" };
  return world;
}

interface ChatInFile {
  people?: { may: string[] }[];
}

Deno.test("setup adds a chat app, pairs the user, and tests the messages", async () => {
  const ada = { id: 77, name: "Ada", may: ["chat", "answer", "start"] };
  await using world = await createChatSteps();
  const { cli } = world;
  const said = await world.finish(
    ["telegram", "a b", "123:s3cr3t", "concierge", true, true, "Ada", true],
  );
  assert.match(said, /1\. In Telegram, write to @BotFather: \/newbot/);
  assert.match(said, /Send this code to the bot.*Ada \(@ada\) has sent it.*Ada was added to/);
  assert.match(said, /phone: delivered/);
  const text = await world.read(world.configFile);
  assert.deepEqual(parse(text).chat, {
    phone: {
      ...{ type: "telegram", token: "TELEGRAM_BOT_TOKEN", agent: "concierge" },
      people: [ada],
    },
  });
  assert.equal(parse(text).notify, undefined);
  assert.match(await world.read(world.secretFile), /^TELEGRAM_BOT_TOKEN=.*123:s3cr3t/m);
  assert.equal((await Deno.stat(world.secretFile)).mode! & 0o777, 0o600);
  assert.doesNotMatch(text + said, /s3cr3t/);
  assert.deepEqual(cli.input.answers, []);
});

Deno.test("setup asks for both tokens of Slack, and shows the manifest of the docs", async () => {
  await using world = await createChatSteps();
  await world.finish(["slack_app", "xoxb-1", ""]);
  assert.equal(parse(await world.read(world.configFile)).chat, undefined);
  await world.finish(["slack_app", "xoxb-1", "xapp-1", "", false]);
  const shown = world.cli.stdout.text;
  for (const line of SLACK_MANIFEST.split("\n")) assert.ok(shown.includes(`${line}\n`), line);
  const page = await Deno.readTextFile(join(REPOSITORY, "docs/reference/chat-apps.md"));
  assert.ok(page.includes(SLACK_MANIFEST.replaceAll(/^/gm, "   ")));
  assert.match(world.cli.stderr.text, /"inkling pair team" adds a person at any time/);
  assert.deepEqual(parse(await world.read(world.configFile)).chat, {
    team: { type: "slack", token: "SLACK_BOT_TOKEN", app_token: "SLACK_APP_TOKEN" },
  });
  assert.match(
    await world.read(world.secretFile),
    /^SLACK_BOT_TOKEN=xoxb-1\nSLACK_APP_TOKEN=xapp-1$/m,
  );
});

Deno.test("setup adds Discord, and writes its long ids as texts", async () => {
  await using world = await createChatSteps();
  world.cli.runtime.codeSender = { id: "803511102246789177", name: "Ada (@ada)" };
  const answers = ["discord", "bot-s3cr3t", "concierge", true, true, "Ada", true];
  const said = await world.finish(answers);
  assert.match(said, /3\. Open the Install Link/);
  assert.match(await world.read(world.configFile), /id: "803511102246789177"/);
  assert.match(await world.read(world.secretFile), /^DISCORD_BOT_TOKEN=bot-s3cr3t$/m);
});

Deno.test("setup offers to pair with a chat without people, and reports a refused token", async () => {
  const chat = "chat:\n  # mine\n  phone: { type: telegram, token: BOT_TOKEN }\n";
  await using world = await createChatSteps(CONFIG + chat);
  const { cli } = world;
  await world.finish([false]);
  cli.chatProblems.set("phone", "Telegram refused getMe: Unauthorized");
  const said = await world.finish([true]);
  assert.match(said, /chat phone cannot work: Telegram refused getMe: Unauthorized/);
  assert.match(said, /"inkling pair phone" adds a person/);
  cli.chatProblems.clear();
  await world.finish([true, true, "Ada", true]);
  assert.match(await world.read(world.configFile), /# mine\n.*name: Ada/s);
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
  cli.channels = [{ name: "phone", type: "ntfy", problem: null, isEmpty: false }];
  await world.finish([false]);
  assert.equal(cli.input.asked.at(-1)?.message, "Send a test message?");
});

Deno.test("setup reports a lost message, and ends the question when the link is opened", async () => {
  await using world = await createStepsWorld();
  const { cli } = world;
  cli.channels = [{ name: "phone", type: "ntfy", problem: null, isEmpty: false }];
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
