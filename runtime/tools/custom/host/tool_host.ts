// Implements the role `tools`: describes the tools of one file, or runs one call, in a worker. Then the process exits, so
// that no state and no thread of a tool remains.
import type { FromHost, HostTask, ToHost } from "../host_messages.ts";
import { MEMORY_LIMIT_MB, memoryExceeded } from "./resource_guard.ts";
import type { HostOptions } from "./host_options.ts";
import { startWork } from "./tool_work.ts";

/**
 * Does the work in the service's first message. Returns the exit code after the work, at the end of standard input, or when
 * the tool uses too much memory.
 */
export async function hostTools({ input, output, clock }: HostOptions): Promise<number> {
  const lines = linesOf(input);
  const first = await lines.next();
  if (first.done) return 0;
  const { mark, work }: HostTask = JSON.parse(first.value);
  const writer = output.getWriter();
  // A line break precedes each message, because a tool may have printed an unfinished line.
  const report = (message: FromHost) =>
    writer.write(new TextEncoder().encode(`\n${mark}${JSON.stringify(message)}\n`));
  await report({ type: "started" });
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const forward = startWork(work, async (message) => {
    await report(message);
    if (message.type !== "log" && message.type !== "request") end(0);
  });
  return await Promise.race([
    ended,
    forwardAll(lines, forward).then(() => 0),
    memoryExceeded(clock).then(async () => {
      const message = `It used more than ${MEMORY_LIMIT_MB} MB of memory`;
      await report({ type: "ending", message });
      return 1;
    }),
  ]);
}

async function forwardAll(
  lines: AsyncIterable<string>,
  forward: (message: ToHost) => void,
): Promise<void> {
  for await (const line of lines) {
    let message: ToHost;
    try {
      message = JSON.parse(line);
    } catch {
      // A tool shares this standard input and may have read a part of the line.
      continue;
    }
    forward(message);
  }
}

/** Yields the lines of a stream without their line endings. Drops a last line without a line ending. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  // With `ignoreBOM: false`, Deno's decoder would drop a byte order mark at the beginning of every chunk, not only of the
  // first.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest = "";
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
