// Steps of executions of the fake service.
import type { HumanRequest } from "../../runtime/executions/human_request.ts";
import type { FakeCli } from "./fake_cli.ts";

/** Makes an execution ask a question; by default for the approval of file_write. */
export function ask(cli: FakeCli, id: number, changes: Partial<HumanRequest> = {}): HumanRequest {
  const { runtime, clock } = cli;
  const request: HumanRequest = {
    requestId: `r${runtime.frames.length + 1}`,
    executionId: id,
    position: 3,
    kind: "confirm",
    message: "Allow file_write?",
    toolName: "file_write",
    toolArgs: { path: "note.txt" },
    options: null,
    multi: false,
    createdAt: clock.now(),
    expiresAt: null,
    ...changes,
  };
  runtime.requests.set(id, request);
  runtime.append(id, "interrupt", {
    message: request.message,
    request_id: request.requestId,
    kind: request.kind,
  });
  runtime.setStatus(id, "waiting");
  return request;
}

/** Appends calls of tools to an execution. */
export function callTools(
  { runtime }: FakeCli,
  id: number,
  ...calls: (readonly [id: string, name: string, args: object])[]
): void {
  const tools = calls.map(([id, name, args]) => ({ id, name, args: JSON.stringify(args) }));
  runtime.append(id, "tool_call", { content: "", tools });
}

/** Appends the answer and the end of an execution. */
export function finish(cli: FakeCli, id: number, answer: string): void {
  const { runtime } = cli;
  const execution = runtime.executions.get(id);
  if (execution === undefined) throw new TypeError(`There is no execution ${id}`);
  runtime.append(id, "ai", { content: answer });
  runtime.append(id, "final_answer", { content: answer });
  runtime.executions.set(id, { ...execution, status: "success", outputData: answer });
  runtime.append(id, "complete", {
    status: "success",
    duration_ms: 1_500,
    total_tokens: 42,
    cost_usd: null,
    error: null,
  });
}
