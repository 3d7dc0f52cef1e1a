// A fake importer with one source, for pictures of the command. The readers and the plan are real.
import type { AgentImporter, OpenedImport } from "../../../ops/import/agent_importer.ts";
import { plan } from "../../ops/import/foreign_source.ts";
import type { FakeCli } from "../fake_cli.ts";

const FOLDER = "/home/me/inkling/agents";
const FILES = {
  ".claude/agents/reviewer.md": "---\nname: reviewer\n" +
    "description: Reviews changes\ntools: Read, Grep, Bash(git diff:*), TodoWrite\n" +
    "model: sonnet\ncolor: blue\n---\nReview the changes.\n",
};

/** Lets every source contain the same subagent, and lets `enable` find every agent. */
export function offerImport(cli: FakeCli): void {
  cli.app.enableAgent = (id) => Promise.resolve({ path: `${FOLDER}/${id}.md`, changed: true });
  const opened: OpenedImport = {
    files: [{ path: "reviewer.md", name: "", digest: "", context: [], fields: {}, agents: [] }],
    left: [{ what: ".cursor/rules/style.mdc", why: "a rule for files is no agent" }],
    skills: [],
    plan: () => plan(FILES, { repository: "/home/me/shop" }),
    write: ({ agents }) =>
      Promise.resolve(agents.map(({ id }) => (
        { id, path: `${FOLDER}/${id}.md`, problems: [], isSwitchedOff: true }
      ))),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const importer: Pick<AgentImporter, "agentsDir" | "open" | "describeBadId"> = {
    agentsDir: FOLDER,
    open: () => Promise.resolve(opened),
    describeBadId: () => Promise.resolve(undefined),
  };
  cli.app.openAgentImporter = () => Promise.resolve(importer);
}
