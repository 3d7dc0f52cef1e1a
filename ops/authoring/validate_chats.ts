// Checks the chats of config.yaml: their tokens, their people, and the agents that they name.
import type { Diagnostic } from "../../base/diagnostics.ts";
import { nearestHint } from "../../base/text/suggestion.ts";
import { listAgentNames } from "../../runtime/agents/agent_names.ts";
import { type ChatSettings, mayAnybodyAnswer } from "../../runtime/config/chat_schema.ts";
import { diagnose, type DiagnosedFile } from "../../runtime/config/files/diagnosed_file.ts";
import type { YamlPath } from "../../runtime/config/files/yaml_document.ts";
import { channelVariables } from "../../runtime/config/notify_schema.ts";
import { readConfig } from "../../runtime/config/parse_config.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { showValue } from "../../runtime/config/files/shown_value.ts";

/** Returns the warnings about all chats. */
export async function diagnoseChats(
  { config: { chats, path }, directories, environment, home }: WorkspaceSettings,
): Promise<Diagnostic[]> {
  if (chats.length === 0) return [];
  const { file } = await readConfig(path, { home });
  const known = await listAgentNames(directories.agentsDir);
  return chats.flatMap((chat) => [
    ...channelVariables({ channels: { [chat.name]: { type: "chat", ...chat } } })
      .filter((name) => (environment.get(name)?.trim() ?? "") === "")
      .map((name) =>
        warn(file, ["chat", chat.name], {
          message: `The chat ${chat.name} cannot work: ${name} is not set`,
          hint: `add the line ${name}=<the token> to ${directories.workspaceEnvFile}`,
        })
      ),
    ...diagnosePeople(chat, file),
    ...diagnoseAgents(chat, file, known),
  ]);
}

function diagnosePeople(chat: ChatSettings, file: DiagnosedFile): Diagnostic[] {
  const { name, people } = chat;
  if (mayAnybodyAnswer(chat)) return [];
  return [warn(file, ["chat", name], {
    message: people.length === 0
      ? `The chat ${name} has no people, so it answers nobody`
      : `Nobody in the chat ${name} may answer, so no question or message is sent to it`,
    hint: people.length === 0
      ? `start the service, and add yourself: inkling pair ${name}`
      : `add answer to the rights of a person: may: [chat, answer]`,
  })];
}

function diagnoseAgents(
  { name, agent, agents = [], groups }: ChatSettings,
  file: DiagnosedFile,
  known: readonly string[],
): Diagnostic[] {
  const named: [YamlPath, string | undefined][] = [
    [["agent"], agent],
    ...agents.map((one, index): [YamlPath, string] => [["agents", index], one]),
    ...groups.map((one, index): [YamlPath, string | undefined] => [
      ["groups", index, "agent"],
      one.agent,
    ]),
  ];
  return named.flatMap(([place, id]) => {
    if (id === undefined || known.includes(id.normalize("NFC"))) return [];
    return [warn(file, ["chat", name, ...place], {
      message: `The chat ${name} names an unknown agent: ${showValue(id)}`,
      ...nearestHint(id, known),
    })];
  });
}

function warn(
  file: DiagnosedFile,
  at: YamlPath,
  problem: { message: string; hint?: string },
): Diagnostic {
  return diagnose(file, at, { severity: "warning", ...problem }, at.length === 2 ? "key" : "value");
}
