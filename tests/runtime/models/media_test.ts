// Tests pictures and PDF files: their recognition, the format of each provider, models that do not accept them, long
// conversations, and tools.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { JsonObject } from "../../../base/json.ts";
import { seedHistory } from "../../../runtime/executions/loop/history.ts";
import { fitConversation } from "../../../runtime/models/adaptation/fit_conversation.ts";
import { readMedia } from "../../../runtime/models/adaptation/read_media.ts";
import { acceptsMedia } from "../../../runtime/models/adaptation/accepted_media.ts";
import { KnownLimits } from "../../../runtime/models/adaptation/known_limits.ts";
import { recognizeRefusal } from "../../../runtime/models/adaptation/refusals.ts";
import type { Message } from "../../../runtime/models/message.ts";
import { ModelError } from "../../../runtime/models/model.ts";
import type { Media } from "../../../runtime/vocabulary/tool_vocabulary.ts";
import { showMedia, toResultText } from "../../../runtime/tools/mcp/result_content.ts";
import { collectReply, modelRequest } from "../../support/collect_reply.ts";
import { ADAPTERS, open } from "../../support/models/model_adapters.ts";
import { OpenAiServer, type OpenAiStep } from "../../support/models/openai_server.ts";
import { createTestWorkspace, payloadsOf, runToEnd, toEnd } from "../../support/test_workspace.ts";
import { createHttpRequest } from "../../../runtime/tools/builtin/http_request.ts";
import type { ToolContext } from "../../../runtime/tools/definition/tool.ts";
import { OPEN_POLICY, serve } from "../tools/builtin/http_site.ts";
import { call, SandboxFixture, testContext } from "../tools/files/sandbox_fixture.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = btoa("%PDF-1.4\n1 0 obj <</Type /Pages /Count 3>> endobj\n");
const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));

const READ: [bytes: Uint8Array, text: string | undefined][] = [
  [bytesOf(PNG), "[picture 1x1 PNG, 1 KB]"],
  [bytesOf("R0lGODlhAQACAAAAACwAAAAAAQABAAA="), "[picture 1x2 GIF, 1 KB]"],
  [
    Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 11, 8, 0, 3, 1, 2, 1),
    "[picture 258x3 JPEG, 1 KB]",
  ],
  [Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 4), "[picture JPEG, 1 KB]"],
  [
    bytesOf("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"),
    "[picture 1x1 WebP, 1 KB]",
  ],
  [bytesOf("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="), "[picture 1x1 WebP, 1 KB]"],
  [
    new TextEncoder().encode("RIFF....WEBPVP8X....\0\0\0\0\x01\0\0\x02\0\0"),
    "[picture 2x3 WebP, 1 KB]",
  ],
  [bytesOf(PDF), "[PDF, 3 pages, 1 KB]"],
  [
    bytesOf(btoa("%PDF-1.4 /Count 21")),
    "[PDF, 21 pages, 1 KB: not shown, the limit is 10 MB and 20 pages]",
  ],
  [
    new Uint8Array(Buffer.concat([bytesOf(PNG), new Uint8Array(5_300_000)])),
    "[picture 1x1 PNG, 5176 KB: not shown, the limit is 5 MB]",
  ],
  [new TextEncoder().encode("text"), undefined],
];

Deno.test("readMedia() recognizes pictures and PDF files by their bytes, and refuses large files", () => {
  for (const [bytes, text] of READ) {
    const read = readMedia(bytes);
    assert.equal(read?.text, text);
    assert.equal(read?.media === undefined, !text || text.includes("not shown"));
  }
});

const media = (...kinds: ("image" | "pdf")[]): Media[] =>
  kinds.map((kind) =>
    kind === "pdf"
      ? { kind, mediaType: "application/pdf", data: PDF, tokens: 4_800 }
      : { kind, mediaType: "image/png", data: PNG, tokens: 1_600 }
  );
const resultsOf = (...results: Media[][]): Message[] => [
  { role: "user", content: "Look." },
  {
    role: "assistant",
    content: "",
    toolCalls: results.map((_, at) => ({ id: `c${at}`, name: "read", arguments: "{}" })),
  },
  ...results.map((shown, at): Message => ({
    role: "tool",
    toolCallId: `c${at}`,
    toolName: "read",
    content: `[${at}]`,
    isError: false,
    media: shown,
  })),
];

const TITLE = "The pictures and files of these results:";
const urlOf = (type: string, data: string) => `data:${type};base64,${data}`;
/** The expected messages in the format of each provider, for two tool results with a picture and a PDF file. */
const SENT: Record<string, unknown> = {
  openai: {
    role: "user",
    content: [
      { type: "text", text: TITLE },
      { type: "image_url", image_url: { url: urlOf("image/png", PNG) } },
      { type: "file", file: { filename: "file.pdf", file_data: urlOf("application/pdf", PDF) } },
    ],
  },
  anthropic: {
    role: "user",
    content: [["image", "image/png", PNG], ["document", "application/pdf", PDF]].map(
      ([type, media_type, data], at) => ({
        type: "tool_result",
        tool_use_id: `c${at}`,
        content: [{ type: "text", text: `[${at}]` }, {
          type,
          source: { type: "base64", media_type, data },
        }],
      }),
    ),
  },
  google: {
    role: "user",
    parts: [
      { text: TITLE },
      { inlineData: { mimeType: "image/png", data: PNG } },
      { inlineData: { mimeType: "application/pdf", data: PDF } },
    ],
  },
  ollama: { role: "user", content: TITLE, images: [PNG, PDF] },
};
for (const adapter of ADAPTERS) {
  Deno.test(`${adapter.provider} gets pictures and PDF files in its own format after the results`, async () => {
    await using server = adapter.serve([{ text: "ok" }]);
    const messages = resultsOf(media("image"), media("pdf"));
    await collectReply(await open(adapter, server), modelRequest({ messages }));
    const sent = JSON.parse(JSON.stringify(adapter.messagesOf(server.request(0).body)));
    assert.deepEqual(sent.at(-1), SENT[adapter.provider] ?? SENT["openai"]);
  });
}

Deno.test("acceptsMedia() uses the settings, or otherwise the provider and model name", () => {
  const rows: [string, string, string][] = [
    ["anthropic", "claude-x", "image pdf"],
    ["mine", "x", ""],
    ["ollama", "qwen2.5vl:7b", "image"],
    ["ollama", "qwen3:8b", ""],
  ];
  for (const [provider, name, kinds] of rows) {
    const taken = (["image", "pdf"] as const)
      .filter((kind) => acceptsMedia({ provider, name, streamUsage: true }, kind));
    assert.equal(taken.join(" "), kinds, name);
  }
  const own = { provider: "openai", name: "x", streamUsage: true, input: ["text"] } as const;
  assert.equal(acceptsMedia(own, "image"), false);
});

Deno.test("a conversation that is too long loses its old pictures first, also in later runs", () => {
  const messages = [
    ...resultsOf(media("image")),
    ...resultsOf(media("pdf")),
    ...resultsOf(media("image")),
  ];
  const { messages: fitted, changes } = fitConversation(messages, 2_000);
  assert.equal(changes, "pictures left out: 2");
  assert.deepEqual(fitted.flatMap((one) => "media" in one ? [one.media] : []), [media("image")]);
  const seed = { messages, execution: { status: "success", error: null } as never };
  const redactor = { beginningOf: (text: string) => text } as never;
  const seeded = seedHistory(seed, { level: "high", redactor });
  assert.ok(seeded.length > 0 && !JSON.stringify(seeded).includes(PNG));
});

/**
 * Opens a workspace with an agent that reads `a.png` and `b.txt`. `judge` returns the endpoint's answer to a request, or
 * undefined for the normal answer.
 */
async function openWorld(judge: (body: JsonObject) => OpenAiStep | undefined, settings = "") {
  const stack = new AsyncDisposableStack();
  const place = stack.use(await createTestWorkspace());
  const calls = ["a.png", "b.txt"].map((path) => ({ name: "file_read", arguments: { path } }));
  const server = stack.use(
    new OpenAiServer([], (body) => {
      const isFirst = !JSON.stringify(body.messages).includes("tool_calls");
      return judge(body) ?? (isFirst ? { toolCalls: calls } : { text: "Seen." });
    }),
  );
  await place.writeAgent(
    "a",
    `---\nmodel: { provider: local, name: m, base_url: "${server.url}"${settings} }\nhistory: off\n---\nGo.\n`,
  );
  await Deno.writeFile(join(place.workspace, "a.png"), bytesOf(PNG));
  await Deno.writeTextFile(join(place.workspace, "b.txt"), "words");
  const runtime = stack.use(await place.open());
  return { runtime, server, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
const hasPicture = (body: JsonObject) => JSON.stringify(body).includes(PNG);

Deno.test("file_read shows a picture to a model that accepts pictures, also in a replay", async () => {
  await using world = await openWorld(() => undefined, ", input: [text, image]");
  const { runtime, server } = world;
  const ended = await runToEnd(runtime, "a");
  assert.equal(ended.outputData, "Seen.");
  assert.ok(hasPicture(server.request(1).body));
  const shown = JSON.stringify(await payloadsOf(runtime, ended.id));
  assert.ok(shown.includes("[picture 1x1 PNG, 1 KB]") && !shown.includes(PNG), shown);
  const { differences } = await runtime.replays.replay(ended.id, { withAllTools: false });
  assert.deepEqual(differences, []);
  const fork = await runtime.replays.fork(ended.id, { step: 1 });
  assert.equal((await toEnd(runtime, fork.id)).outputData, "Seen.");
  assert.ok(hasPicture(server.request(2).body));
});

Deno.test("file_read reports a picture as a binary file to a model without vision", async () => {
  await using world = await openWorld(() => undefined);
  await runToEnd(world.runtime, "a");
  const sent = JSON.stringify(world.server.request(1).body);
  assert.match(sent, /Error: Cannot read \\"a.png\\": it is a binary file \(70 bytes\)\./);
});

/** Error texts of endpoints about a picture. `isLearned` is true if later requests must contain no pictures. */
const REFUSED: [status: number, message: string, isLearned: boolean][] = [
  [400, "This model does not support image input", true],
  [404, "No endpoints found that support image input", true],
  [500, "this model only supports text, not vision", true],
  [400, "'messages.3' : for 'role:user' the content : value must be a string", true],
  [400, "Could not process image", false],
  [400, "Unsupported MIME type: image/gif", false],
];
Deno.test("recognizeRefusal() distinguishes models without vision from single refused pictures", () => {
  const request = modelRequest({ messages: resultsOf(media("image")) });
  for (const [status, message, isLearned] of REFUSED) {
    const error = new ModelError(message, { retryable: false, status, providerText: message });
    const refusal = recognizeRefusal(error, request, new KnownLimits());
    assert.deepEqual(refusal, { kind: "parts", names: ["image"], isBroken: !isLearned }, message);
  }
});

for (const [message, isLearned] of [["does not support image input", true], ["bad image", false]]) {
  Deno.test(`a sentence replaces a refused picture ${isLearned ? "in all later requests" : "once"}`, async () => {
    await using world = await openWorld(
      (body) =>
        hasPicture(body)
          ? { status: 400, body: JSON.stringify({ error: { message } }) }
          : undefined,
      ", input: [text, image]",
    );
    const { runtime, server } = world;
    assert.equal((await runToEnd(runtime, "a")).outputData, "Seen.");
    assert.match(JSON.stringify(server.request(2).body), /Not shown: it is a binary file/);
    await runToEnd(runtime, "a");
    assert.equal(server.requests.length, isLearned ? 5 : 6);
  });
}

Deno.test("pictures of MCP servers and web replies are shown once each", async () => {
  const seen: string[] = [];
  const show = (bytes: Uint8Array) => {
    seen.push(Buffer.from(bytes).toString("base64"));
    return Promise.resolve(readMedia(bytes));
  };
  const image = { type: "image" as const, mimeType: "image/png", data: PNG };
  const blob = { type: "resource" as const, resource: { uri: "x://y", blob: PDF } };
  const result = { content: [image, image, blob] };
  assert.equal(
    toResultText(result, await showMedia(result, show)),
    "[picture 1x1 PNG, 1 KB]\n[picture 1x1 PNG, 1 KB]\n[PDF, 3 pages, 1 KB]",
  );
  assert.deepEqual(seen, [PNG, PDF]);
  await using site = serve(() =>
    new Response(bytesOf(PNG), { headers: { "content-type": "image/png" } })
  );
  await using fixture = await SandboxFixture.open();
  const request = { url: site.origin };
  const read = (context: ToolContext) => call(createHttpRequest(OPEN_POLICY), request, context);
  const context = testContext(fixture.sandbox());
  assert.match(await read({ ...context, show }), /\n\n\[picture 1x1 PNG, 1 KB\]$/);
  assert.match(await read(context), /The body is binary: image\/png/);
  const long = () => Promise.resolve({ text: "x".repeat(30_000), isContent: true });
  assert.match(await read({ ...context, show: long }), /cut here: characters 0 to 20000 of /);
});
