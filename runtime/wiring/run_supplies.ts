// Opens the models, tools and sandboxes of runs. Loaded with the first run, which makes the start of a service faster.
import { once } from "./once.ts";
import type { RunPorts } from "../executions/loop/run_ports.ts";
import type { Agent } from "../agents/agent.ts";
import { unsavedAgent } from "../agents/parse_agent.ts";
import type { ModelSupply } from "../models/calls/model_supply.ts";
import type { SpendingGate } from "../models/calls/spending.ts";
import type { ToolCatalogOptions } from "./tool_catalog.ts";
import type { OwnWrites } from "../triggers/watch/own_writes.ts";
import type { CredentialStore } from "../tools/mcp/sign_in/credentials.ts";
import type { MailAccounts } from "../mail/mail_accounts.ts";
import { mailOpener } from "./open_mail.ts";
import { lazyModule } from "../../base/lazy_module.ts";

const loadModelSupply = lazyModule(() => import("../models/calls/model_supply.ts"));
const loadToolCatalog = lazyModule(() => import("./tool_catalog.ts"));
/** Loaded with the first answer to a question about a sign-in. */
const loadCredentials = lazyModule(() => import("../storage/open_credentials.ts"));
const loadAnswerFormat = lazyModule(() => import("./answer_format.ts"));
const loadPdfText = lazyModule(() => import("../tools/custom/pdf_text.ts"));
const loadHostProgram = lazyModule(() => import("../tools/custom/host_program.ts"));
const loadAgentSandbox = lazyModule(() => import("./agent_sandbox.ts"));

/** The functions with which the runner opens models, tools and sandboxes. */
export type RunSupplies =
  & Pick<
    RunPorts,
    "openModel" | "costOf" | "openTools" | "openSandbox" | "openFormat" | "readPdf"
  >
  & {
    /** Returns a sentence for each limit that the endpoint of an agent's model has reported to this process. */
    describeModelLimits: (agent: Agent) => string[];
    /** Returns the agent of a file that is not written yet. */
    unsavedAgent: (id: string) => Agent;
    /** Opens the stored sign-ins to remote MCP servers. */
    openCredentials: () => Promise<CredentialStore>;
    /** Opens the mail accounts, which triggers and tools share. */
    openMail: () => Promise<MailAccounts>;
  };

/** Options of createRunSupplies(). `openOwnWrites` opens the record of files that agents have written. */
export type RunSuppliesOptions = Omit<ToolCatalogOptions, "executable" | "openMail"> & {
  openOwnWrites: () => Promise<OwnWrites>;
  gate: SpendingGate;
};

/** Creates the functions for the runner. Opens no model and no tool yet. */
export function createRunSupplies(options: RunSuppliesOptions): RunSupplies {
  const { settings, clock, log, openOwnWrites, gate } = options;
  // The path is read at the start, because after an update the running program has another path.
  const executable = Deno.execPath();
  let models: ModelSupply | undefined;
  const openModels = once(async () => {
    const { ModelSupply } = await loadModelSupply();
    return models = new ModelSupply({ settings, clock, log, gate });
  });
  const openMail = mailOpener(options);
  const openCatalog = once(async () => {
    const { openToolCatalog } = await loadToolCatalog();
    return await openToolCatalog({ ...options, executable, openMail });
  });
  const openStore = once(async () => {
    const { openCredentials } = await loadCredentials();
    return await openCredentials({ ...options, secrets: options.tokenSecrets });
  });
  return {
    unsavedAgent: (id) => unsavedAgent(id, settings),
    openCredentials: openStore,
    openMail,
    describeModelLimits: (agent) => models?.describeLimits(agent) ?? [],
    openModel: async (agent) => await (await openModels()).open(agent),
    costOf: async (agent, reply, id) => await (await openModels()).costOf(agent, reply, id),
    openTools: async (agent, options) => await (await openCatalog()).openTools(agent, options),
    async openFormat(agent) {
      if (agent.output === undefined) return undefined;
      const { openAnswerFormat } = await loadAnswerFormat();
      return await openAnswerFormat(agent.output, { settings, clock, executable });
    },
    async readPdf(pdf, context) {
      const [{ readPdfText }, { ownProgram }] = await Promise.all([
        loadPdfText(),
        loadHostProgram(),
      ]);
      return await readPdfText(pdf, context, {
        program: ownProgram(executable),
        cwd: settings.directories.workspace,
      });
    },
    async openSandbox(agent, subject) {
      const { openAgentSandbox } = await loadAgentSandbox();
      return openAgentSandbox(agent, subject, { settings, ownWrites: await openOwnWrites() });
    },
  };
}
