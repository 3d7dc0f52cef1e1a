// A run plan for tests of the API, the page and the command line, with an entry of every kind.
import type { RunPlan } from "../../runtime/interface/runtime.ts";

/** Creates the plan of a run, with messages; `changes` replace its fields. */
export function fakePlan(changes: Partial<RunPlan> = {}): RunPlan {
  const tool = { source: "builtin", server: null, guarded: false } as const;
  return {
    settings: [
      { name: "model", value: "openai/gpt-5", from: "file", line: 3 },
      { name: "history", value: "low", from: "default", line: null },
      { name: "max_cost_usd", value: "0.5", from: "config", line: 12 },
      { name: "confirm", value: "file_delete, file_write", from: "default", line: null },
    ],
    key: { variable: "OPENAI_API_KEY", isSet: true },
    paths: [
      { alias: "notes", path: "/home/me/notes", access: "write", exists: true },
      { alias: "out", path: "/home/me/reports/of/every/week", access: "write", exists: false },
      { alias: null, path: "/home/me/inbox", access: "read", exists: true },
    ],
    tools: [
      { ...tool, name: "file_read", effect: "read" },
      { ...tool, name: "file_write", effect: "idempotent", guarded: true },
      { ...tool, name: "http_request", effect: "varies" },
      { ...tool, name: "search_the_catalogue", source: "custom", effect: "read" },
      {
        ...tool,
        name: "shelf_put",
        source: "mcp",
        server: "shelf",
        effect: "unsafe",
        guarded: true,
      },
    ],
    problems: [],
    notices: [],
    trigger: "manual",
    upcoming: [],
    schedulerState: "running",
    messages: [
      {
        seeded: false,
        message: {
          role: "system",
          content: "<task>\nRead `notes.md` and write a report.\n</task>",
        },
      },
      { seeded: true, message: { role: "user", content: "Execute your task." } },
      {
        seeded: true,
        message: {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "c", name: "file_read", arguments: '{"path":"notes.md"}' }],
        },
      },
      {
        seeded: true,
        message: {
          role: "tool",
          toolCallId: "c",
          toolName: "file_read",
          content: "Error: it does not exist",
          isError: true,
        },
      },
      { seeded: true, message: { role: "assistant", content: "No notes.", toolCalls: [] } },
      { seeded: false, message: { role: "user", content: "Execute your task." } },
    ],
    ...changes,
  };
}
