// Tests of a real service's notifications across kill -9 and while a receiver is down, and of answers through their links.
import assert from "node:assert/strict";
import { Receiver } from "../runtime/notify/receiver.ts";
import { createRealHome, killService, untilFound } from "./real_process.ts";
import { freePort } from "../support/machine/free_port.ts";

const KEY = "a key of sixteen characters";
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const WRITE = { call: [{ name: "file_write", arguments: { path: "b.txt", content: "copy" } }] };

const idsOf = ({ received }: Receiver) => received.map(({ headers }) => headers.get("webhook-id"));

Deno.test("a killed service's unsent messages are sent once by the next service, and notify --test sends one", async () => {
  await using receiver = new Receiver();
  // The receiver answers late, so that the service is killed during the first attempt.
  const late = Promise.withResolvers<number>();
  receiver.reply = () => late.promise;
  const port = freePort();
  await using home = await createRealHome({ shell: { INKLING_API_KEY: KEY, HOOK_SECRET: SECRET } });
  await home.configure(
    `public_url: http://127.0.0.1:${port}\n` +
      `notify:\n  on: [waiting, error, success]\n  channels:\n    hook: { type: webhook, url: "${receiver.url}", secret: HOOK_SECRET }\n`,
  );
  await home.writeScript("writer", [WRITE, { say: "Written." }]);
  await home.startService("--port", String(port));
  {
    using client = home.client();
    await client.run("writer");
  }
  await untilFound("an attempt", () => Promise.resolve(receiver.received[0]));
  await killService(home.stateDir);
  late.resolve(200);
  receiver.reply = () => 200;
  await home.startService("--port", String(port));
  const message = await untilFound("another", () => Promise.resolve(receiver.received[1]));
  assert.equal(new Set(idsOf(receiver)).size, 1);
  assert.equal(message.body.type, "inkling.waiting");

  const link: string = message.body.data.answer_url;
  assert.match(link, new RegExp(`^http://127\\.0\\.0\\.1:${port}/answer/[\\w-]{43}$`));
  for (const method of ["GET", "HEAD", "GET"]) {
    const page = await fetch(link, { method });
    assert.equal(page.status, 200);
    await page.body?.cancel();
  }
  // The link of the first attempt leads to the same question.
  const first = await fetch(receiver.received[0]?.body.data.answer_url);
  assert.match(await first.text(), /file_write/);
  const post = () =>
    fetch(link, { method: "POST", body: new URLSearchParams({ decision: "approve" }) });
  const answered = await post();
  assert.match(await answered.text(), /<h1>Approved<\/h1>/);
  const again = await post();
  assert.equal(again.status, 410);
  await again.body?.cancel();
  const end = await untilFound("the end", () => Promise.resolve(receiver.received[2]));
  assert.equal(end.body.type, "inkling.success");
  assert.equal(end.body.data.text, "Written.");
  assert.equal(await Deno.readTextFile(`${home.workspace}/b.txt`), "copy");
  assert.equal(receiver.received.length, 3);
  const log = await Deno.readTextFile(`${home.stateDir}/inkling.log`);
  assert.ok(!log.includes(link.slice(-43)));

  const sent = await home.succeed("notify", "--test", "hook");
  assert.match(sent.stdout, /^hook: delivered \(127\.0\.0\.1:\d+ answered 200\)\n$/);
  assert.equal(receiver.received[3]?.body.type, "inkling.test");
});
