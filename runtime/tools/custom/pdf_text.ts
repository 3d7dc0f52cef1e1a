// Reads the text of a PDF file for models that accept no PDF. The file is parsed in a process without permissions, because
// it may come from anybody.
import { Buffer } from "node:buffer";
import { formatPlural } from "../../../base/text/plural.ts";
import type { ShownMedia } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { type ClosedHostContext, type ClosedHostOptions, runClosedHost } from "./closed_host.ts";
import type { PdfLine } from "./host_messages.ts";

const TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/**
 * Returns the text of a PDF file with page numbers, or a sentence with the reason that there is none. Throws the signal's
 * reason on abort.
 */
export async function readPdfText(
  pdf: Uint8Array,
  context: ClosedHostContext,
  options: ClosedHostOptions,
): Promise<ShownMedia> {
  const { lines, failure } = await readLines(pdf, context, options);
  const pages = lines.filter((one) => typeof one === "string");
  const total = lines.find((one) => typeof one === "number") ?? 0;
  const reason = lines.find((one) => typeof one === "object")?.end ?? failure;
  const count = formatPlural(total, "page");
  if (pages.some((page) => page.trim() !== "")) {
    const last = pages.length - 1;
    if (reason !== "") pages[last] = context.redactor.trimPartialSecret(pages[last] ?? "");
    const part = reason === "" ? "" : `, up to page ${pages.length}: ${reason}`;
    const text = pages.map((page, at) => `\n\n[page ${at + 1}]\n${page.trim()}`).join("");
    return { text: `[The text of a PDF, ${count}${part}]${text}`, isContent: true };
  }
  return {
    text: reason === ""
      ? `[PDF, ${count}: it has no text, like a scan. A model with PDF input (model.input) sees its pages, at most 20.]`
      : `[PDF: its text cannot be read: ${reason}.]`,
  };
}

async function readLines(
  pdf: Uint8Array,
  context: ClosedHostContext,
  options: ClosedHostOptions,
): Promise<{ lines: PdfLine[]; failure: string }> {
  const work = { role: "pdf", input: Buffer.from(pdf).toString("base64") } as const;
  const limits = { timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES };
  try {
    const end = await runClosedHost({ ...work, ...limits }, context, options);
    const whole = end.stdout.split("\n").slice(0, -1);
    return {
      lines: whole.map((line) => JSON.parse(line)),
      failure: end.timedOut
        ? `it takes longer than ${TIMEOUT_MS / 1_000} s`
        : /out of memory/.test(end.stderr)
        ? "it takes too much memory"
        : `the process ended (${end.stderr.trim().split("\n")[0]})`,
    };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    // The message's advice after the semicolon is left out: it names flags that do not help here.
    return { lines: [], failure: error.message.split(";")[0] ?? "" };
  }
}
