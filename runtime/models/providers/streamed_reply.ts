// What every adapter does with a stream, once: reads it to its end, and tells apart a cancel, a failure, a stream that was
// cut off, and a whole reply. Packages end an aborted or truncated stream as if it were whole.
import type { ModelDelta, ModelError, ModelReply, Usage } from "../model.ts";
import { cutStreamFailure, type ProviderContext } from "../provider_failure.ts";
import { findModelError } from "../provider_fetch.ts";

/** A reply as it grows out of a provider's chunks. */
export interface ReplyAssembly {
  /** Takes one chunk, whatever it is; returns the sign of life it gives. */
  add(chunk: unknown): ModelDelta;
  /** What the provider has counted by now, a new object for each new count; null while it has counted nothing. */
  readonly usage: Usage | null;
  /** The whole reply; undefined when the stream never said why it ended. */
  finish(): ModelReply | undefined;
}

/** One call through a provider's package. */
export interface StreamedCall {
  context: ProviderContext;
  signal: AbortSignal;
  assembly: ReplyAssembly;
  /** Sends the request. */
  open: () => Promise<AsyncIterable<unknown>>;
  /** The failure that an error of the package means; undefined for an error that is not the package's. */
  toFailure: (error: unknown) => ModelError | undefined;
}

/** Streams one reply: see `Model.generate` for what it yields, returns and throws. */
export async function* streamReply(
  call: StreamedCall,
): AsyncGenerator<ModelDelta, ModelReply, void> {
  const { context, signal, assembly } = call;
  signal.throwIfAborted();
  let streaming = false;
  let shown = 0;
  try {
    const chunks = await call.open();
    streaming = true;
    let told: Usage | null = null;
    for await (const chunk of chunks) {
      const delta = assembly.add(chunk);
      if (delta.type === "text") shown += delta.text.length;
      yield delta;
      const { usage } = assembly;
      if (usage === null || usage === told) continue;
      told = usage;
      yield { type: "usage", usage };
    }
  } catch (error) {
    signal.throwIfAborted();
    const failure = findModelError(error) ?? call.toFailure(error);
    if (failure !== undefined) throw failure;
    // What else breaks while chunks arrive is the connection, or a chunk that is not JSON.
    throw streaming ? cutStreamFailure(context, error) : error;
  }
  signal.throwIfAborted();
  const reply = assembly.finish();
  if (reply === undefined) throw cutStreamFailure(context);
  // The beginning of a reply is withheld while it may be the tag of a thought.
  const rest = reply.message.content.slice(shown);
  if (rest !== "") yield { type: "text", text: rest };
  return reply;
}
