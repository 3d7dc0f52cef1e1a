// Fuzzes the links in messages to people with requests, and the sender of messages with responses of receivers, and
// texts in chat apps.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { APIMessage } from "discord-api-types/v10";
import { newestOf, toMessage, toPayload } from "../../../reach/chat/discord_wire.ts";
import { toIncoming, toPayload as toSlackPayload } from "../../../reach/chat/slack_wire.ts";
import { checkAnswer, type HumanRequest } from "../../../runtime/executions/human_request.ts";
import { cutBytes } from "../../../runtime/notify/channels/channel.ts";
import { readRetryAfter } from "../../../runtime/notify/channels/http_post.ts";
import { readSigningSecret } from "../../../runtime/notify/channels/webhook.ts";
import {
  type AnswerPort,
  HOST,
  openPort,
  ORIGIN,
  OTHER,
  TOKEN,
} from "../../../tests/server/answers/answer_port.ts";
import { readAnswer } from "../../../server/answers/answers.ts";
import { defineTarget } from "../target.ts";
import { anyText } from "../../../tests/support/any_text.ts";

interface SentRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

const text = fc.string({ unit: "grapheme", maxLength: 30 });
const printable = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 20,
});
const tokens = fc.oneof(
  fc.constantFrom(TOKEN, TOKEN, TOKEN, OTHER, `${TOKEN}t`, TOKEN.slice(1), ""),
  printable.map((one) => encodeURIComponent(one)),
);
const paths = tokens.chain((token) =>
  fc.constantFrom(
    `/answer/${token}`,
    `/answer/${token}`,
    `/answer/${token}/`,
    `/answer//${token}`,
    `/answer/${token}?decision=approve`,
    `/answer/../agents/${token}`,
    `/ANSWER/${token}`,
  )
);
const fields = fc.array(
  fc.tuple(
    fc.constantFrom("decision", "reason", "text", "choice", "x"),
    fc.oneof(fc.constantFrom("approve", "deny", "0", "1", "-1", "1e9", ""), text),
  ),
  { maxLength: 4 },
);

export const answerLinks = defineTarget<SentRequest, { nothing?: never }>({
  name: "answer-links",
  claim: "only a POST of our own page to the whole link answers, and no other path is open",
  oneIn: 5,
  cases: () =>
    fc.record({
      method: fc.constantFrom("GET", "HEAD", "POST", "POST", "PUT", "DELETE", "OPTIONS"),
      path: paths,
      headers: fc.record({
        host: fc.constantFrom(HOST, HOST, HOST, "evil.example"),
        origin: fc.oneof(
          fc.constantFrom(ORIGIN, ORIGIN, "null", "https://evil.example"),
          printable,
        ),
        "sec-fetch-site": fc.constantFrom("same-origin", "cross-site", "same-site", "none"),
      }, { requiredKeys: ["host"] }).map((all) => all as Record<string, string>),
      body: fields.map((all) => new URLSearchParams(all).toString()),
    }),
  async check(request) {
    const port = openPort();
    const { status, answer } = await send(port, request);
    assert.ok(status < 500, `${status}`);
    const { method, path, headers: { host, origin }, body } = request;
    const isLink = /^\/answer\/[\w-]{43}(\?.*)?$/.test(path);
    if (!isLink || !["GET", "HEAD", "POST"].includes(method)) assert.equal(status, 401);
    const isWhole = path.startsWith(`/answer/${TOKEN}`) && isLink;
    const isOurs = host === HOST && [undefined, ORIGIN, `http://${HOST}`].includes(origin);
    const decides = ["approve", "deny"].includes(new URLSearchParams(body).get("decision") ?? "");
    const site = request.headers["sec-fetch-site"];
    const isAllowed = isOurs && (site !== "cross-site" || origin === ORIGIN);
    const isAnswer = method === "POST" && isWhole && isAllowed && decides;
    assert.equal(port.runtime.responses.length, isAnswer ? 1 : 0);
    assert.ok(!answer.includes(TOKEN));
  },
});

/**
 * Sends a request and advances the clock until the response arrives, because the server delays its response to a wrong
 * link.
 */
async function send(
  { send, clock }: AnswerPort,
  { method, path, headers, body }: SentRequest,
): Promise<{ status: number; answer: string }> {
  const isBodiless = method === "GET" || method === "HEAD";
  const sent = send(method, path, headers, isBodiless ? undefined : body);
  let isAnswered = false;
  sent.finally(() => isAnswered = true);
  while (!isAnswered) await clock.advance(1_000);
  const response = await sent;
  return { status: response.status, answer: await response.text() };
}

interface Reply {
  header: string;
  secret: string;
  text: string;
  most: number;
  form: [string, string][];
  question: Pick<HumanRequest, "kind" | "options" | "multi" | "message">;
}

const HOUR_MS = 3_600_000;

export const channelReplies = defineTarget<Reply>({
  name: "channel-replies",
  claim: "replies, variables and forms are parsed within their limits, and parsing never throws",
  cases: () =>
    fc.record({
      header: fc.oneof(
        text,
        fc.integer().map(String),
        fc.date({ noInvalidDate: true }).map((one) => one.toUTCString()),
      ),
      secret: fc.oneof(text, fc.base64String({ maxLength: 120 }).map((one) => `whsec_${one}`)),
      text: anyText({ maxLength: 200 }),
      most: fc.integer({ min: 4, max: 120 }),
      form: fields,
      question: fc.record({
        kind: fc.constantFrom("confirm" as const, "input" as const, "choice" as const),
        options: fc.option(fc.uniqueArray(text, { maxLength: 3 })),
        multi: fc.boolean(),
        message: fc.constant(""),
      }),
    }),
  check({ header, secret, text, most, form, question }) {
    const wait = readRetryAfter(header, 1_000_000);
    assert.ok(wait >= 0 && wait <= HOUR_MS, String(wait));
    const key = readSigningSecret(secret);
    assert.ok(key === undefined || key.length >= 24 && key.length <= 64);
    assert.ok(new TextEncoder().encode(cutBytes(text, most)).length <= most);
    const answer = readAnswer(question, new URLSearchParams(form));
    if (typeof answer === "string") return;
    // The question's rules decide how many options may be chosen, so only the existence of each option is checked.
    if ("selected" in answer) {
      return answer.selected.forEach((one) => assert.ok(question.options?.includes(one)));
    }
    checkAnswer(question, answer);
  },
});

/** The marks of Markdown and of mentions, which must be escaped outside of addresses. */
const MARKS = ["*", "_", "~~", "|", "`", "```", "<@1>", "[a](", ")", "\n# ", "\n- ", ":key:", "\\"];
const chatParts = fc.array(
  fc.oneof(fc.constantFrom(...MARKS, "https://a.example/x_y*z", " "), anyText({ maxLength: 20 })),
  { maxLength: 60 },
).map((parts) => parts.join("").slice(0, 900) || "empty");

export const chatTexts = defineTarget<{ text: string; code: string; name: string }>({
  name: "chat-texts",
  claim:
    "a text is no markup in a chat app and fits a message, and a person's message is read whole",
  cases: () => fc.record({ text: chatParts, code: chatParts, name: anyText({ maxLength: 30 }) }),
  check({ text, code, name }) {
    const { content = "" } = toPayload({ text, code });
    assert.ok(content.length <= 2_000);
    // Each block begins and ends once, so the code cannot leave it.
    assert.ok([3, 5].includes(content.split("```").length), content);
    const plain = toPayload({ text }).content ?? "";
    if (!plain.startsWith("```")) {
      assert.equal(plain.replaceAll(/\\([^0-9A-Za-z\s])/g, "$1"), text);
      const escaped = plain.replaceAll(/\\[^0-9A-Za-z\s]/g, "").replaceAll(/https?:\/\/\S+/g, "");
      assert.doesNotMatch(escaped, /[*_~`|<>[\]]/);
    }
    assert.doesNotMatch(toSlackPayload({ text, code }).text, /[<>]/);
    const message = {
      ...{ id: "1", channel_id: "2", type: 0, content: text, timestamp: name, mentions: [] },
      author: { id: "3", username: name, global_name: null },
      attachments: [{ filename: name, url: name }],
    } as unknown as APIMessage;
    const read = toMessage(message, { botId: "9", isGroup: false });
    assert.equal(read?.text.replace(/^[!/]/, ""), text.trim().replace(/^[!/]/, ""));
    assert.equal(toMessage(message, { botId: "9", isGroup: true }), undefined);
    newestOf([name, text, code]);
    const event = { type: "message", channel: "D1", user: "U1", text, ts: name };
    const slack = toIncoming({ type: "events_api", envelope_id: "e", body: { event } }, "B");
    assert.equal(slack?.type, "message");
  },
});
