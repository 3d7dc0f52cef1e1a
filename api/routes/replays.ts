// The operations on recorded executions: replay them with the current agent, and fork them.
import { z } from "zod";
import { openFiles } from "../operations/open_files.ts";
import { operation } from "../operations/operation.ts";
import { EXECUTION, keyHeader, yesOrNo } from "../operations/parameters.ts";
import { fromWire } from "../schemas/wire.ts";
import { ForkBody, ReplayBody } from "../schemas/replay_schemas.ts";
import { RunAccepted } from "../schemas/run_schemas.ts";

export const replay = operation({
  summary: "Replay of a recorded execution with the current agent, and its differences",
  description:
    "Replies and tool results come from the record. Calls no model and no tool, and stores " +
    "nothing. `tools=true` starts custom tools and MCP servers to compare their declarations.",
  resource: EXECUTION,
  query: z.object({ tools: yesOrNo }),
  response: ReplayBody,
  errors: [409],
  async handle({ id, query }, { runtime }) {
    const withAllTools = query.tools === "true";
    const replay = await runtime.replays.replay(id, { withAllTools });
    return { ...replay, identical: replay.differences.length === 0 };
  },
});

export const fork = operation({
  summary: "Start an execution from a step of another one",
  description:
    "The earlier steps come from the record, and their calls are not repeated. The execution counts as a " +
    "manual run. `Idempotency-Key` works as for a run.",
  resource: EXECUTION,
  headers: keyHeader,
  body: ForkBody,
  response: RunAccepted,
  errors: [403, 409, 503],
  async handle({ id, headers, body }, services) {
    const { runtime, lifecycle, caller } = services;
    lifecycle.requireRunning();
    // A text that runs needs the same right as a file that is written.
    if (body.agent_text != null) await openFiles(services);
    const { start_followers, message, ...rest } = body;
    const execution = await runtime.replays.fork(
      id,
      fromWire({
        ...rest,
        idempotency_key: headers["idempotency-key"],
        message: message?.trim() ? message : null,
        starts_followers: start_followers ? true as const : null,
        by: caller,
      }),
    );
    return { executionId: execution.id, model: execution.model };
  },
});
