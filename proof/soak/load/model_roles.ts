// Chooses the model's replies by the model's name and the length of the conversation, with random variation.
import type { JsonObject } from "../../../base/json.ts";
import { COUNTED_PREFIX } from "./side_effects.ts";
import type { Chance } from "../chance.ts";

/** One reply of the model. The id of each call is a unique token. */
export interface Reply {
  text: string;
  calls: { id: string; name: string; arguments: string | JsonObject }[];
}

/** The sources of random choices, addresses and tokens for a reply. */
export interface RoleMeans {
  chance: Chance;
  effectsUrl: string;
  token: () => string;
}

interface Wish {
  name: string;
  arguments: string | JsonObject;
}

type Call = (means: RoleMeans, token: string) => Wish;

/** The fields of a Chat Completions request that determine the reply. */
interface ModelRequest {
  model: string;
  messages: { role: string; content?: unknown }[];
}

const wish = (name: string, args: JsonObject | string): Wish => ({ name, arguments: args });

const CALLS = {
  post: ({ effectsUrl }, token) =>
    wish("http_request", { url: `${effectsUrl}/${token}`, method: "POST" }),
  stamp: (_means, token) => wish("stamp", { token }),
  script: (_means, token) =>
    wish("skill_run_script", {
      skill_name: "ledger",
      script_name: "append.sh",
      script_args: token,
    }),
  walled: () =>
    wish("skill_run_script", {
      skill_name: "ledger",
      script_name: "walled.ts",
      script_args: "a b",
    }),
  use: () => wish("skill_use", { skill_name: "ledger", arguments: "today" }),
  write: (_means, token) => wish("file_write", { path: `out/${token}.txt`, content: `${token}\n` }),
  read: () => wish("file_read", { path: "notes.md" }),
  missing: () => wish("file_read", { path: "nothing/here.md" }),
  escape: () => wish("file_read", { path: "agents/worker.md" }),
  glob: () => wish("file_glob", { pattern: "out/*.txt" }),
  remember: ({ chance }, token) =>
    wish("memory_save", { section: `topic ${chance.between(1, 5)}`, content: token }),
  recall: ({ chance }) => wish("memory_retrieve", { section: `topic ${chance.between(1, 5)}` }),
  ask: ({ chance }) =>
    chance.one([
      wish("ask_user", { question: "Go on?", kind: "confirm" }),
      wish("ask_user", { question: "What next?", kind: "input" }),
      wish("ask_user", { question: "Which?", options: ["red", "green", "blue"] }),
      wish("ask_user", { question: "Which ones?", options: ["red", "green"], multi: true }),
    ]),
  askInside: () => wish("doubt", {}),
  echo: ({ chance }, token) =>
    chance.is(0.8)
      ? wish("echo", { text: token })
      : wish("slow_echo", { text: token, ms: chance.between(1, 300) }),
  mcpTrouble: ({ chance }) =>
    wish(chance.one(["fail", "throw", "add", "talk", "media"]), { a: 1, b: 2 }),
  mcpCrash: () => wish("crash", {}),
  unknown: () => wish("no_such_tool", {}),
  misfit: () => wish("http_request", { method: "POST" }),
  malformed: ({ effectsUrl }) => wish("http_request", `{"url": "${effectsUrl}`),
  middle: (_means, token) => wish("run_agent", { agent_id: "middle", arguments: token }),
  junior: (_means, token) => wish("run_agent", { agent_id: "junior", arguments: token }),
  leaf: (_means, token) => wish("run_agent", { agent_id: "leaf", arguments: token }),
  stranger: () => wish("run_agent", { agent_id: "nobody" }),
  again: () => wish("file_read", { path: "notes.md", limit: 3 }),
} as const satisfies Record<string, Call>;

type CallName = keyof typeof CALLS;

/** The relative frequency of each role's calls, and the average number of calls before the answer. */
const ROLES: Readonly<Record<string, { calls: Partial<Record<CallName, number>>; steps: number }>> =
  {
    talker: { calls: { read: 2, remember: 1, recall: 1 }, steps: 0.6 },
    worker: {
      calls: {
        post: 6,
        stamp: 3,
        read: 3,
        glob: 2,
        missing: 1,
        unknown: 0.3,
        misfit: 0.3,
        malformed: 0.5,
        escape: 0.5,
      },
      steps: 2,
    },
    steady: { calls: { post: 3, stamp: 3, read: 1 }, steps: 20 },
    skilled: { calls: { script: 3, walled: 1, use: 2, read: 1 }, steps: 1.5 },
    guarded: { calls: { post: 4, write: 3, stamp: 1, read: 1 }, steps: 1.5 },
    asker: { calls: { ask: 4, askInside: 1, read: 1, post: 1 }, steps: 1.3 },
    connected: { calls: { echo: 6, mcpTrouble: 1, mcpCrash: 0.15 }, steps: 1.5 },
    lead: { calls: { middle: 4, junior: 1, post: 2, stranger: 0.3 }, steps: 1.2 },
    middle: { calls: { junior: 3, post: 2, ask: 0.5 }, steps: 1 },
    junior: { calls: { leaf: 3, post: 2, ask: 0.5 }, steps: 1 },
    leaf: { calls: { post: 4, ask: 0.7, stamp: 1 }, steps: 1 },
    circling: { calls: { again: 1 }, steps: 8 },
    tick: { calls: { read: 1, post: 1 }, steps: 0.5 },
    watcher: { calls: { read: 1, post: 1 }, steps: 0.4 },
  };

const MOST_STEPS = 9;
const MOST_CALLS = 3;

/** Returns the next reply of the model that `request` names. Unknown models reply with text only. */
export function planReply({ model, messages }: ModelRequest, means: RoleMeans): Reply {
  const { chance, token } = means;
  const role = ROLES[model] ?? ROLES.talker;
  if (role === undefined) throw new TypeError("there is no talker");
  const text = `${model} has read ${messages.length} messages and says ${
    "so ".repeat(chance.between(1, 60))
  }`;
  const isOver = !chance.is(role.steps / (role.steps + 1)) || repliesSince(messages) >= MOST_STEPS;
  if (isOver) return { text, calls: [] };
  const count = chance.is(0.3) ? chance.between(2, MOST_CALLS) : 1;
  const calls = Array.from({ length: count }, () => {
    const name = chance.weighted(role.calls as Record<CallName, number>);
    const id = `${name === "walled" ? "w" : COUNTED_PREFIX}${token()}`;
    return { id, ...CALLS[name](means, id) };
  });
  return { text, calls };
}

/** Returns the number of model replies after the last user message. */
function repliesSince(messages: ModelRequest["messages"]): number {
  const start = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(start + 1).filter(({ role }) => role === "assistant").length;
}
