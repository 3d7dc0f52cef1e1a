// Implements the role `pdf`: reads the text of a PDF file in a worker without permissions. The service kills this process
// after a time limit.
import { Buffer } from "node:buffer";
import { workerModule } from "../../../../base/program_files.ts";
import type { PdfLine } from "../host_messages.ts";
import { confinedWorker } from "./confined_worker.ts";
import type { HostOptions } from "./host_options.ts";
import { memoryExceeded } from "./resource_guard.ts";

/** Reads a PDF file in Base64 from standard input, and prints its text as PdfLine lines. Returns the exit code. */
export async function hostPdf({ input, output, clock }: HostOptions): Promise<number> {
  const bytes = Buffer.from(await new Response(input).text(), "base64");
  const writer = output.getWriter();
  const print = (line: string) => writer.write(new TextEncoder().encode(`${line}\n`));
  await print("");
  const { promise: ended, resolve: end } = Promise.withResolvers<PdfLine>();
  const worker = confinedWorker(
    workerModule("pdf_worker"),
    { read: [], write: [], net: [], env: [] },
  );
  worker.onmessage = ({ data }: MessageEvent<PdfLine>) =>
    typeof data === "object" ? end(data) : void print(JSON.stringify(data));
  worker.onerror = (event) => {
    event.preventDefault();
    end({ end: `it cannot be read (${event.message})` });
  };
  worker.postMessage(bytes);
  const tooMuch = memoryExceeded(clock).then(() => ({ end: "it takes too much memory" }));
  await print(JSON.stringify(await Promise.race([ended, tooMuch])));
  return 0;
}
