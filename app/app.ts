// Creates the functions that the command line needs. Each function loads its code on demand.
import type { CliApp, LocalService, WorkspaceOption } from "../cli/context/app.ts";
import { isConfined, openSurroundings, ownDistribution } from "../cli/surroundings.ts";
// Load this module with app.ts, because most commands need it next (isSetUp, places).
import "../runtime/config/workspace_folder.ts";
import { pinFolders } from "../runtime/config/places.ts";
// Import this module at the start, because importing it on demand would slow down `inkling list`.
import { findInstalledUnit } from "../cli/service/units/installed_unit.ts";
import type { Clock } from "../base/clock.ts";
import type { Diagnostic } from "../base/diagnostics.ts";
import type { WorkspaceSettings } from "../runtime/mod.ts";
import type { ServiceLog } from "../runtime/service_log/service_log.ts";
import type { DiagnosticBody } from "../api/schemas/diagnostic_schemas.ts";
import { findPlaces, homeDirectory, isSetUp, loadSettings, missingWorkspace } from "./settings.ts";
import { dropOtherSpans } from "./telemetry.ts";

/** Returns the functions for the command line. `version` is the program's version. */
export async function openApp({ version }: { version: string }): Promise<CliApp> {
  await dropOtherSpans();
  const surroundings = openSurroundings({ kind: Deno.env.get("TERM") });
  const { clock } = surroundings;
  // Returns a function that opens an operation of a workspace. `load` loads the code and returns the function that opens it.
  const opener = <Opened>(
    load: () => Promise<
      (
        around: { settings: WorkspaceSettings; clock: Clock; cwd: string },
      ) => Opened | Promise<Opened>
    >,
  ) =>
  async ({ workspace }: WorkspaceOption): Promise<Opened> => {
    const open = await load();
    return await open({ settings: await loadSettings(workspace), clock, cwd: Deno.cwd() });
  };
  return {
    ...surroundings,
    version,
    get isConfined() {
      return isConfined();
    },
    get distribution() {
      return ownDistribution();
    },
    get environment() {
      return pinFolders(Deno.env.toObject());
    },
    permissions,
    fileSchema: async (kind) =>
      (await import("../ops/authoring/file_schema.ts")).createFileSchema(kind),
    places: findPlaces,
    serviceDefaults: async ({ workspace }) => {
      const { readServiceDefaults } = await import("../runtime/config/service_defaults.ts");
      return readServiceDefaults(await loadSettings(workspace));
    },
    serve: async (options) =>
      await (await import("./service_life.ts")).liveAsService(options, { version }),
    openLocalService: (options) => openLocalService(options, { version, mode: "read-only" }),
    openUpkeep: (options) => openLocalService(options, { version, mode: "upkeep" }),
    moveHistory: async ({ workspace, ...options }) => {
      const { moveHistory } = await import("../runtime/storage/history/move_history.ts");
      const { directories } = await loadSettings(workspace);
      const { configFile } = directories;
      return { ...await moveHistory({ ...options, directories }), configFile };
    },
    validate: (target, options) => validate(target, { ...options, version }),
    info: async ({ workspace }) => {
      const { describeSetup } = await import("../ops/setup/setup_report.ts");
      return await describeSetup(await loadSettings(workspace));
    },
    openChannels: (options) => openChannels(options, clock),
    findUnit: () => findInstalledUnit(Deno.env.toObject()),
    examine: (options) => examine(options, { version, clock }),
    configWarnings: async ({ workspace }) => {
      const { diagnoseService } = await import("../runtime/config/service_defaults.ts");
      const settings = await loadSettings(workspace);
      return [...settings.config.warnings, ...diagnoseService(settings)].map(toDiagnosticBody);
    },
    agentNames: async ({ workspace }) => {
      const { listAgentNames } = await import("../runtime/agents/agent_names.ts");
      return await listAgentNames((await loadSettings(workspace)).directories.agentsDir);
    },
    openUiProxy: async (options) =>
      await (await import("../server/ui/ui_proxy.ts")).openUiProxy(options),
    createUiLink: async (place) =>
      await (await import("../server/ui/ui_links.ts")).createUiLink(place),
    editText: async (text, name) =>
      (await import("../cli/prompting/text_editor.ts")).editText(text, name, Deno.env.toObject()),
    openBrowser: async (address) =>
      (await import("../cli/service/browser.ts")).openBrowser(address, {
        os: Deno.build.os,
        environment: Deno.env.toObject(),
        clock,
      }),
    isSetUp,
    missingWorkspace,
    openInstallation: async () => {
      const { Installation } = await import("../ops/setup/installation.ts");
      const [shell, home] = [Deno.env.toObject(), homeDirectory()];
      return new Installation({ shell, home, cwd: Deno.cwd(), clock });
    },
    openAgentAuthor: opener(async () => {
      const { AgentAuthor } = await import("../ops/authoring/agent_author.ts");
      return (around) => new AgentAuthor(around);
    }),
    openGallery: opener(async () => {
      const { Gallery } = await import("../ops/authoring/gallery.ts");
      return ({ settings }) => new Gallery(settings.directories);
    }),
    enableAgent: async (id, options) =>
      await (await import("../ops/authoring/enable_agent.ts"))
        .enableAgent(id, await loadSettings(options.workspace)),
    openAgentImporter: opener(async () => {
      const { AgentImporter } = await import("../ops/import/agent_importer.ts");
      return (around) => new AgentImporter(around);
    }),
    openSkillInstaller: opener(async () => {
      const { SkillInstaller } = await import("../ops/install/skill_installer.ts");
      return (around) => new SkillInstaller(around);
    }),
    openServerInstaller: opener(async () => {
      const { ServerInstaller } = await import("../ops/install/server_installer.ts");
      return (around) => new ServerInstaller({ ...around, version });
    }),
    openAgentTests: opener(async () => {
      const { AgentTests } = await import("../ops/testing/agent_tests.ts");
      return ({ settings, clock }) => AgentTests.open(settings, { clock, version });
    }),
  };
}

async function openLocalService(
  options: WorkspaceOption,
  { version, mode }: { version: string; mode: "read-only" | "upkeep" },
): Promise<LocalService> {
  const [{ openRuntime }, { createLocalClient }] = await Promise.all([
    import("../runtime/mod.ts"),
    import("./local_client.ts"),
  ]);
  const settings = await loadSettings(options.workspace);
  // Discard log lines: the log belongs to the service, and the user sees problems of files through the API.
  const log: ServiceLog = { write: () => {} };
  const runtime = await openRuntime({ settings, version, log, mode });
  const client = createLocalClient(runtime);
  return {
    client,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await runtime[Symbol.asyncDispose]();
    },
  };
}

async function validate(
  target: string | undefined,
  { workspace, connect, version }: WorkspaceOption & { connect?: boolean; version: string },
): ReturnType<CliApp["validate"]> {
  const { validateWorkspace } = await import("../ops/authoring/workspace_validation.ts");
  const files = await validateWorkspace(await loadSettings(workspace), target, {
    cwd: Deno.cwd(),
    ...(connect === true && { connect: version }),
  });
  return files.map(({ diagnostics, ...file }) => ({
    ...file,
    diagnostics: diagnostics.map(toDiagnosticBody),
  }));
}

async function openChannels(
  options: WorkspaceOption,
  clock: Clock,
): ReturnType<CliApp["openChannels"]> {
  const [{ MessageChannels }, { Redactor }, { channelVariables }] = await Promise.all([
    import("../runtime/wiring/message_channels.ts"),
    import("../runtime/secrets/redactor.ts"),
    import("../runtime/config/notify_schema.ts"),
  ]);
  const settings = await loadSettings(options.workspace);
  const { environment, config: { notify } } = settings;
  return new MessageChannels({
    settings,
    redactor: new Redactor(() => environment.secrets(channelVariables(notify))),
    clock,
    openChat: (chat) => {
      const ports = { environment, clock };
      return {
        send: async (message, signal) => {
          const { openChatChannel } = await import("./chats.ts");
          return await openChatChannel(chat, ports).send(message, signal);
        },
        check: async () => (await import("./chats.ts")).tryChat(chat, ports),
      };
    },
    // A command does not know the ports of a service.
    ownPorts: () => [],
  });
}

async function examine(
  { isRunning, ...options }: Parameters<CliApp["examine"]>[0],
  { version, clock }: { version: string; clock: Clock },
): ReturnType<CliApp["examine"]> {
  const { examine } = await import("../ops/doctor/examine.ts");
  const surroundings = { shell: Deno.env.toObject(), home: homeDirectory(), ...options };
  return await examine(surroundings, {
    version,
    isRunning,
    tryChat: async (chat, { environment }) => {
      const { tryChat } = await import("./chats.ts");
      return await tryChat(chat, { environment, clock });
    },
  });
}

function toDiagnosticBody({ code: _, ...diagnostic }: Diagnostic): DiagnosticBody {
  return { ...diagnostic, hint: diagnostic.hint ?? null };
}

async function permissions(
  options: Parameters<CliApp["permissions"]>[0],
): ReturnType<CliApp["permissions"]> {
  const { deriveFlags } = await import("../runtime/permissions/derive_flags.ts");
  const { sourceCommand } = await import("../cli/self_command.ts");
  const derived = await deriveFlags(await loadSettings(options.workspace), options);
  const flags = derived.flags.map(({ flag }) => flag);
  return { ...derived, command: Deno.build.standalone ? null : sourceCommand(flags) };
}
