// A scripted Ollama endpoint on this machine; model_server.ts describes the script.
import { ModelServer, type ModelStep, type WireFormat } from "./model_server.ts";

/** A scripted Ollama endpoint. */
export class OllamaServer extends ModelServer {
  constructor(steps: ModelStep[] = []) {
    super(CHAT, steps);
  }
}

const CHAT: WireFormat = { contentType: "application/x-ndjson", write: linesOf };

function linesOf(step: ModelStep): string[] {
  const pieces = typeof step.text === "string" ? [step.text] : step.text ?? [];
  const chunks: unknown[] = pieces.map((content) => ({
    message: { role: "assistant", content },
    done: false,
  }));
  for (const { name, arguments: args } of step.toolCalls ?? []) {
    chunks.push({
      message: {
        role: "assistant",
        content: "",
        tool_calls: [{ function: { name, arguments: args } }],
      },
      done: false,
    });
  }
  chunks.push(...step.chunks ?? []);
  const lines = chunks.map(line);
  if (step.raw !== undefined) lines.push(step.raw);
  if (step.then !== undefined || step.finish === null) return lines;
  const usage = step.usage === undefined ? { prompt_eval_count: 10, eval_count: 5 } : step.usage;
  lines.push(line({
    message: { role: "assistant", content: "" },
    done: true,
    done_reason: step.finish ?? "stop",
    ...usage,
  }));
  return lines;
}

function line(chunk: unknown): string {
  return `${JSON.stringify(chunk)}\n`;
}
