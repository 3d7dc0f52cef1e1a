// An agent for tests: every field filled in, each one replaceable.
import type { Agent } from "../../runtime/agents/agent.ts";

/** A manual agent named `tester` with the default settings, changed by what a test cares about. */
export function createTestAgent(overrides: Partial<Agent> = {}): Agent {
  return {
    id: "tester",
    displayName: "tester",
    description: "",
    icon: "🧪",
    model: { provider: "demo", name: "script", streamUsage: true },
    trigger: { type: "manual" },
    after: [],
    settings: {
      temperature: 0.7,
      maxTokens: 4096,
      timeout: 300,
      maxToolCalls: 50,
      maxExecutionTokens: 500_000,
      maxCostUsd: null,
      loopDetection: true,
    },
    budget: {
      perDay: null,
      perMonth: null,
      tree: null,
      timezone: undefined,
      tokens: { perDay: null, perMonth: null, tree: null },
    },
    maxConcurrentRuns: null,
    nodes: [],
    customTools: [],
    mcp: [],
    skills: [],
    agents: [],
    paths: [],
    history: "low",
    confirmTools: [],
    freedGuards: [],
    mcpConfirm: "none",
    autoApprove: [],
    onPending: "skip",
    confirmTimeoutMs: null,
    onRestart: "orphan",
    notify: {},
    onBudget: "pause",
    unpriced: "refuse",
    enabled: true,
    body: "Do what you are asked to do.",
    sourcePath: "/workspace/agents/tester.md",
    warnings: [],
    ...overrides,
  };
}
