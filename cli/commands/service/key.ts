// `inkling key`: adds, lists, revokes and renews named keys.
import { checkAction } from "../../command_line/actions.ts";
import { type CommandOptions, performs } from "../../command_line/command.ts";
import type { key } from "../../declarations/people_commands.ts";
import type { Client } from "../../../api/client/client.ts";
import { parseDuration } from "../../../base/durations.ts";
import { SECOND_MS } from "../../../base/time_units.ts";
import { ROLE_NAMES, ROLES } from "../../../runtime/vocabulary/rights.ts";
import { misuse } from "../../context/exit.ts";
import type { Output } from "../../output/output.ts";
import { NOTHING, orNothing } from "../../output/table.ts";
import { formatRelative } from "../../output/time.ts";
import { openService } from "../../service/daemon.ts";

const ACTIONS = {
  add: { words: ["name"], options: ["role", "agents", "expires"] },
  list: { words: [], options: ["json"] },
  revoke: { words: ["name"], options: [] },
  renew: { words: [], options: [] },
} as const;

/** Adds, lists, revokes or renews a key. A new key is the only text on standard output. */
export const perform = performs<typeof key>(async (context, options, words) => {
  checkAction("key", ACTIONS, words, options);
  const { action, name = "" } = words;
  const { output } = context;
  const wanted = action === "add" ? readKey(name, options) : undefined;
  using client = await openService(context);
  if (wanted !== undefined) {
    const { key } = await client.addKey(wanted);
    output.line(key);
    output.note(`${name} has the role ${wanted.role}. The key is shown only now: store it safely`);
  } else if (action === "renew") {
    const { name, key } = await client.renewKey();
    output.line(key);
    output.note(`The former key of ${name} has ended. The key is shown only now: store it safely`);
  } else if (action === "revoke") {
    await client.revokeKey(name);
    output.sentence(`The key ${name} has ended, with its log-ins and open streams`);
  } else await show(client, output, { ...options, now: context.app.clock.now() });
});

function readKey(name: string, { role, agents, expires }: CommandOptions<typeof key>) {
  if (role === undefined) {
    const known = ROLE_NAMES.map((one) => `  ${one}: ${ROLES[one]}`).join("\n");
    throw misuse(`Say what the key may do with --role:\n${known}`);
  }
  const ms = expires === undefined ? undefined : parseDuration(expires);
  if (expires !== undefined && (ms === undefined || ms < SECOND_MS)) {
    throw misuse(`--expires ${expires} is no duration such as 90d`);
  }
  return {
    name,
    role,
    // The service refuses an empty list.
    agents: agents?.split(",").map((id) => id.trim()).filter((id) => id !== "") ?? null,
    expires_in: ms === undefined ? null : Math.floor(ms / SECOND_MS),
  };
}

async function show(
  client: Client,
  output: Output,
  { json, now }: { json?: boolean | undefined; now: number },
): Promise<void> {
  const keys = await client.keys();
  if (json) return output.json(keys);
  if (keys.length === 0) {
    return output.sentence('There are no named keys. "inkling key add" creates one');
  }
  const at = (time: string | null) => orNothing(time, (one) => formatRelative(one, now));
  output.table(keys, [
    { header: "Name", cell: ({ name }) => name, shrinks: true, paint: output.style.bold },
    { header: "Role", cell: ({ role }) => role },
    { header: "Agents", cell: ({ agents }) => agents?.join(", ") ?? NOTHING, shrinks: true },
    { header: "Last use", cell: ({ used_at: time }) => at(time) },
    { header: "Expires", cell: ({ expires_at: time }) => at(time) },
  ]);
}
