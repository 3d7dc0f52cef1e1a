// Tests the request that each channel sends, and its handling of the receiver's reply.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { ChannelSettings } from "../../../runtime/config/notify_schema.ts";
import type { ChannelPorts, OutgoingMessage } from "../../../runtime/notify/channels/channel.ts";
import { cutBytes } from "../../../runtime/notify/channels/channel.ts";
import { readRetryAfter } from "../../../runtime/notify/channels/http_post.ts";
import { channelProblem, openChannel } from "../../../runtime/notify/channels/open_channel.ts";
import { readSigningSecret, sign } from "../../../runtime/notify/channels/webhook.ts";
import { Redactor } from "../../../runtime/secrets/redactor.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { TestClock } from "../../support/test_clock.ts";
import { configOf } from "../agents/parsed_file.ts";
import { Receiver } from "./receiver.ts";
import { DeliveryFailure } from "../../../runtime/vocabulary/delivery_failure.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const MESSAGE: OutgoingMessage = {
  id: "msg_1",
  kind: "waiting",
  agentId: "daily",
  requestId: null,
  isReminder: false,
  executionId: 7,
  title: "Daily <waits> & hopes",
  text: "May it?\n<!channel> <https://evil.example|click>",
  count: 1,
  at: 0,
  link: "https://inkling.example/answer/abc",
};

function portsOf(
  changes: Partial<Omit<ChannelPorts, "clock">> & { env?: Record<string, string> } = {},
): ChannelPorts & { clock: TestClock } {
  const { env = {}, ...rest } = changes;
  return {
    policy: { allow: [], deny: [], ownPorts: () => [] },
    clock: new TestClock(),
    redactor: new Redactor(() => []),
    settings: {
      config: configOf(""),
      directories: { configDir: "/tmp", stateDir: "/tmp" },
      environment: {
        get: (name) => env[name] ?? (name === "PATH" ? Deno.env.get("PATH") : undefined),
      },
    },
    os: Deno.build.os,
    openMail: () => Promise.reject(new TypeError("no mail is sent")),
    ...rest,
  };
}

const signal = new AbortController().signal;

async function failureOf(
  settings: ChannelSettings,
  ports: ChannelPorts,
  message = MESSAGE,
): Promise<DeliveryFailure> {
  try {
    await openChannel(settings, ports).send(message, signal);
  } catch (error) {
    if (error instanceof DeliveryFailure) return error;
    throw error;
  }
  throw new Error("It arrived");
}

Deno.test("ntfy gets JSON with topic and button, and the token in a header", async () => {
  await using receiver = new Receiver();
  const settings = { type: "ntfy", url: receiver.url, topic: "t", token: "NTFY" } as const;
  const ports = portsOf({ env: { NTFY: " tk_1 " } });
  const reply = await openChannel(settings, ports).send(MESSAGE, signal);
  assert.match(reply, /^127\.0\.0\.1:\d+ answered 200$/);
  const [{ body, headers, path } = {} as never] = receiver.received;
  assert.equal(path, "/");
  assert.equal(headers.get("authorization"), "Bearer tk_1");
  assert.equal(headers.get("idempotency-key"), "msg_1");
  const actions = [{ action: "view", label: "Answer", url: MESSAGE.link }];
  const { title, text: message, link: click } = MESSAGE;
  assert.deepEqual(body, { topic: "t", title, message, priority: 4, click, actions });
});

Deno.test("channels cut long texts to their limit, between characters", async () => {
  await using receiver = new Receiver();
  const text = "€".repeat(4_000);
  const ntfy = openChannel({ type: "ntfy", url: receiver.url, topic: "t" }, portsOf());
  await ntfy.send({ ...MESSAGE, title: text, text }, signal);
  const { title, message } = receiver.received[0]?.body ?? {};
  for (const [cut, most] of [[title, 240], [message, 4_000]]) {
    assert.ok(new TextEncoder().encode(cut).length <= most);
    assert.match(cut, /^€+…$/);
  }
  const slack = openChannel({ type: "slack", url: "S" }, portsOf({ env: { S: receiver.url } }));
  await slack.send({ ...MESSAGE, text }, signal);
  assert.ok(receiver.received[1]?.body.text.length < 3_200);
  assert.equal(cutBytes("abc", 3), "abc");
  assert.equal(cutBytes("😀😀", 7), "😀…");
});

Deno.test("the Slack channel escapes links and mentions in texts", async () => {
  await using receiver = new Receiver();
  const ports = portsOf({ env: { SLACK: `${receiver.url}/services/T/B/x` } });
  await openChannel({ type: "slack", url: "SLACK" }, ports).send(MESSAGE, signal);
  assert.equal(receiver.received[0]?.path, "/services/T/B/x");
  assert.equal(
    receiver.received[0]?.body.text,
    "*Daily &lt;waits&gt; &amp; hopes*\nMay it?\n&lt;!channel&gt; " +
      "&lt;https://evil.example|click&gt;\n<https://inkling.example/answer/abc|Answer>",
  );
});

Deno.test("the webhook channel signs messages according to Standard Webhooks", async () => {
  // The secret and the signature are the example of the libraries of Standard Webhooks.
  const key = readSigningSecret(SECRET);
  assert.ok(key);
  const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  const signature = await sign('{"test": 2432232314}', { id, timestamp: 1_614_265_330, key });
  assert.equal(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");

  await using receiver = new Receiver();
  const settings = { type: "webhook", url: `${receiver.url}/in`, secret: "HOOK" } as const;
  const ports = portsOf({ env: { HOOK: SECRET } });
  await openChannel(settings, ports).send(MESSAGE, signal);
  const [{ headers, text, body } = {} as never] = receiver.received;
  const signed = `msg_1.${headers.get("webhook-timestamp")}.${text}`;
  const expected = createHmac("sha256", key).update(signed).digest("base64");
  assert.equal(headers.get("webhook-id"), "msg_1");
  assert.equal(headers.get("webhook-signature"), `v1,${expected}`);
  assert.equal(headers.get("webhook-timestamp"), String(ports.clock.now() / 1_000));
  assert.equal(body.type, "inkling.waiting");
  const fields = "kind agent_id execution_id title text count since answer_url".split(" ");
  assert.deepEqual(Object.keys(body.data), fields);
});

Deno.test("a signing secret has 24 to 64 bytes", () => {
  assert.equal(readSigningSecret("whsec_" + btoa("x".repeat(24)))?.length, 24);
  assert.equal(readSigningSecret(btoa("x".repeat(64)))?.length, 64);
  const cases = ["", "whsec_", "short", btoa("x".repeat(23)), btoa("x".repeat(65)), "€", "a b"];
  for (const text of cases) assert.equal(readSigningSecret(text), undefined, text);
});

Deno.test("the receiver's status decides between delivered, failed and finally failed", async () => {
  await using receiver = new Receiver();
  const settings = { type: "ntfy", url: receiver.url, topic: "t" } as const;
  const statuses: [number, boolean][] = [
    ...[500, 502, 503, 429, 401, 403, 404, 408].map((one): [number, boolean] => [one, false]),
    ...[400, 410, 413, 422].map((one): [number, boolean] => [one, true]),
  ];
  for (const [status, isFinal] of statuses) {
    receiver.reply = () => status;
    const failure = await failureOf(settings, portsOf());
    assert.match(failure.message, new RegExp(`answered ${status}\\.$`));
    assert.equal(failure.isFinal, isFinal, String(status));
  }
  receiver.reply = () => new Response("", { status: 503, headers: { "retry-after": "120" } });
  assert.equal((await failureOf(settings, portsOf())).retryAfterMs, 120_000);
  receiver.reply = () => 204;
  assert.match(await openChannel(settings, portsOf()).send(MESSAGE, signal), /answered 204$/);
});

Deno.test("readRetryAfter() parses seconds and dates, and returns at most an hour", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  assert.equal(readRetryAfter("90", now), 90_000);
  assert.equal(readRetryAfter("Thu, 01 Jan 2026 00:01:00 GMT", now), 60_000);
  assert.equal(readRetryAfter("999999", now), 3_600_000);
  for (const text of [undefined, "", "-5", "soon", "Wed, 31 Dec 2025 00:00:00 GMT", "1e9", "\0"]) {
    assert.equal(readRetryAfter(text, now), 0, String(text));
  }
});

Deno.test("a channel follows no redirect, not even to the same host", async () => {
  await using receiver = new Receiver();
  receiver.reply = (_request, place) =>
    place > 0
      ? 200
      : new Response("", { status: 307, headers: { location: `${receiver.url}/next` } });
  const failure = await failureOf({ type: "ntfy", url: receiver.url, topic: "t" }, portsOf());
  assert.match(failure.message, /answered 307 \(redirects are not followed/);
  assert.equal(receiver.received.length, 1);
});

Deno.test("messages reach only hosts that http_request may reach", async () => {
  await using receiver = new Receiver();
  const to = (url: string, policy: Partial<ChannelPorts["policy"]> = {}) =>
    failureOf({ type: "webhook", url, secret: "H" }, {
      ...portsOf({ env: { H: SECRET } }),
      policy: { allow: [], deny: [], ownPorts: () => [], ...policy },
    });
  assert.match((await to("http://169.254.169.254/latest")).message, /cloud metadata/);
  assert.match((await to("http://metadata.google.internal/")).message, /metadata/);
  const own = { ownPorts: () => [receiver.port] };
  assert.match((await to(receiver.url, own)).message, /service's own port/);
  assert.match((await to(receiver.url, { deny: ["private"] })).message, /http\.deny/);
  const denied = await to("http://inside.example/", { deny: ["inside.example"] });
  assert.match(denied.message, /http\.deny/);
  const resolveHost = () => Promise.resolve([{ address: "169.254.169.254", family: 4 }]);
  const inside = { ...portsOf({ env: { H: SECRET } }), resolveHost };
  const named = { type: "webhook", url: "http://hooks.example/", secret: "H" } as const;
  assert.match((await failureOf(named, inside)).message, /link-local, cloud metadata/);
  assert.equal(receiver.received.length, 0);
  const opened = openChannel({ type: "webhook", url: receiver.url, secret: "H" }, {
    ...portsOf({ env: { H: SECRET } }),
    policy: { allow: ["127.0.0.1"], deny: ["private"], ownPorts: () => [] },
  });
  await opened.send(MESSAGE, signal);
  assert.equal(receiver.received.length, 1);
});

Deno.test("an attempt to post a message fails after 20 seconds", async () => {
  await using receiver = new Receiver();
  const silent = Promise.withResolvers<number>();
  receiver.reply = () => silent.promise;
  const ports = portsOf();
  const failing = failureOf({ type: "ntfy", url: receiver.url, topic: "t" }, ports);
  while (receiver.received.length === 0) await ports.clock.advance(0);
  await ports.clock.advance(20_000);
  assert.match((await failing).message, /did not answer within 20 seconds/);
  silent.resolve(200);
});

Deno.test("a channel reports missing settings without showing secrets", () => {
  const problem = (settings: ChannelSettings, env: Record<string, string> = {}) =>
    channelProblem(settings, portsOf({ env })) ?? "";
  assert.match(problem({ type: "slack", url: "SLACK" }), /variable SLACK is not set/);
  const message = problem({ type: "slack", url: "SLACK" }, { SLACK: "hooks/s3cr3t" });
  assert.match(message, /^the variable SLACK is not an http or https address$/);
  const webhook = { type: "webhook", url: "https://a.example", secret: "HOOK" } as const;
  assert.match(problem(webhook), /variable HOOK is not set/);
  assert.match(problem(webhook, { HOOK: "s3cr3t" }), /^its secret must be whsec_/);
  assert.doesNotMatch(problem(webhook, { HOOK: "s3cr3t" }), /s3cr3t/);
  const ntfy = { type: "ntfy", url: "https://n.example", topic: "t" } as const;
  assert.equal(problem(ntfy), "");
  assert.match(problem({ ...ntfy, token: "N" }, { N: " " }), /variable N is not set/);
  assert.match(problem({ type: "command", run: ["x"], allow: false }), /allow: true/);
  const none = { PATH: "/no/such/folder:/etc/hostname" };
  assert.match(problem({ type: "desktop" }, none), /is not installed or not in PATH/);
  assert.match(problem({ type: "command", run: ["/no/such"], allow: true }), /^\/no\/such is not/);
  assert.equal(problem({ type: "command", run: ["sh", "-c", "x"], allow: true }), "");
  const sentence = channelProblem({ type: "desktop" }, portsOf({ os: "windows" })) ?? "";
  assert.match(sentence, /not supported on windows/);
});

Deno.test("a command gets JSON on standard input, no shell, and few variables", () =>
  withTempDir(async (folder) => {
    const out = `${folder}/out`;
    const script = `${folder}/tell.sh`;
    const program = `#!/bin/sh\n{ cat; env | sort; printf '%s\\n' "$@"; } > ${out}\n`;
    await Deno.writeTextFile(script, program, { mode: 0o755 });
    const ports = portsOf({ env: { PATH: Deno.env.get("PATH") ?? "", API_TOKEN: "s3cr3t-value" } });
    const run = [script, "a b", "$(touch no)", ";ls"];
    const reply = await openChannel({ type: "command", run, allow: true }, ports)
      .send(MESSAGE, signal);
    assert.equal(reply, `${script} exited with 0`);
    const [json = "", ...rest] = (await Deno.readTextFile(out)).trimEnd().split("\n");
    const data = JSON.parse(json);
    assert.equal(data.id, "msg_1");
    assert.equal(data.text, MESSAGE.text);
    assert.deepEqual(rest.slice(-3), ["a b", "$(touch no)", ";ls"]);
    assert.ok(!rest.some((line) => line.includes("s3cr3t")));

    await Deno.writeTextFile(script, "#!/bin/sh\necho 'no \u001b[31mway' >&2\nexit 3\n");
    const failure = await failureOf({ type: "command", run, allow: true }, ports);
    assert.equal(failure.message, `${script} exited with 3: no way`);
    const missing = await failureOf({ type: "command", run: ["/no/such"], allow: true }, ports);
    assert.match(missing.message, /^Cannot start \/no\/such: it is not installed/);
  }));
