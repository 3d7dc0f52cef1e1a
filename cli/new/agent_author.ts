// The types of the agent author that `new` uses.
export type { AgentAuthor, AgentStart, NewAgentFields } from "../../ops/authoring/agent_author.ts";
export type { DraftRequest } from "../../ops/authoring/agent_draft.ts";
