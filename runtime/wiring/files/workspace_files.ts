// Reads, checks and changes the files that people write, for the page and programs.
import { type Diagnostic, formatDiagnostic } from "../../../base/diagnostics.ts";
import { writeFileAtomically } from "../../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../../base/files/missing.ts";
import { basename, dirname, join } from "../../../base/plain_path.ts";
import { SerialQueue } from "../../../base/serial_queue.ts";
import { editEnabled } from "../../agents/enabled_edit.ts";
import { AgentNotFound } from "../../agents/known_agents.ts";
import { removeConfigPerson } from "../../config/files/config_file_edit.ts";
import { exists } from "../../config/files/exists.ts";
import { ReadOnlyRuntime } from "../../executions/refusals.ts";
import type {
  AgentCompanions,
  EditedFile,
  EditorFacts,
  FileChange,
  FilePlace,
  RenamedAgent,
  WorkspaceFiles,
} from "../../interface/workspace_files.ts";
import type { Caller } from "../../vocabulary/callers.ts";
import type { Person } from "../../vocabulary/persons.ts";
import type { ConcealedText } from "../../secrets/concealed_text.ts";
import { findSecretPlaces } from "../../tools/mcp/servers_file/secret_places.ts";
import { openFile } from "../../tools/files/opened_file.ts";
import { memoryPathOf } from "../../tools/memory/memory_file.ts";
import type { RuntimeParts } from "../open_parts.ts";
import { attempt, readText } from "./stored_text.ts";
import { openAgentSandbox } from "../agent_sandbox.ts";
import { FileOutdated, FileUnusable, findProblems, missing, pathOf } from "./file_formats.ts";

/** The edits of agent files in this process, which run one at a time: otherwise, one of two edits would be lost. */
export const FILE_EDITS = new SerialQueue();

const UNKNOWN_TEXT = "The text before this change is not recorded: edit the file instead";
const LOST_SECRET = "The text before this change contains a secret that the file no longer has: " +
  "edit the file instead";

/** The files of a service's workspace. */
export class LocalWorkspaceFiles implements WorkspaceFiles {
  readonly #ports: RuntimeParts;

  constructor(ports: RuntimeParts) {
    this.#ports = ports;
  }

  async read(
    place: FilePlace,
    { before }: { before?: number | undefined } = {},
  ): Promise<EditedFile> {
    const path = pathOf(place, this.#ports);
    const stored = await readText(path);
    const isOptional = place.kind === "config" || place.kind === "mcp";
    if (stored === undefined && !isOptional) throw missing(place);
    const { text: present, version } = stored ?? { text: "", version: null };
    const text = before === undefined
      ? present
      : await this.#ports.audit.readTextBefore({ id: before, file: path });
    if (text === undefined) throw new FileUnusable("conflict", UNKNOWN_TEXT);
    const { shown } = this.#conceal(place, text);
    // A save puts back only the secrets that the present text contains.
    if (before !== undefined && this.#conceal(place, present).restore(shown) !== text) {
      throw new FileUnusable("conflict", LOST_SECRET);
    }
    return { path, text: shown, version, diagnostics: this.#problemsOf(place, { path, text }) };
  }

  save(place: FilePlace, change: FileChange): Promise<EditedFile | { errors: Diagnostic[] }> {
    return this.#edit(async () => {
      const path = pathOf(place, this.#ports);
      const stored = await readText(path);
      if ((stored?.version ?? null) !== change.version) {
        throw new FileOutdated(stored !== undefined);
      }
      const text = this.#conceal(place, stored?.text ?? "").restore(change.text);
      const errors = this.#problemsOf(place, { path, text })
        .filter(({ severity }) => severity === "error");
      if (errors.length > 0 && !change.allowErrors) return { errors };
      await this.#write(place, { path, text, isNew: stored === undefined, by: change.by });
      if (place.kind === "agent" && stored === undefined && change.fromGallery !== undefined) {
        await (await this.#ports.authoring?.())?.copyFiles(change.fromGallery, place.id);
      }
      const saved = await this.read(place);
      // These warnings name the settings that apply only after a restart.
      const { warnings } = this.#ports.settings.config;
      return place.kind === "config" && errors.length === 0
        ? { ...saved, diagnostics: this.#ports.redactor.redactValue(warnings) }
        : saved;
    });
  }

  async check(place: FilePlace, text: string): Promise<readonly Diagnostic[]> {
    const path = pathOf(place, this.#ports);
    const written = await this.withSecrets(place, text);
    const { authoring, redactor } = this.#ports;
    if (place.kind !== "agent" || authoring === undefined) {
      return this.#problemsOf(place, { path, text: written });
    }
    const { validate } = await authoring();
    return redactor.redactValue(await validate({ path, bytes: new TextEncoder().encode(written) }));
  }

  async companions(id: string): Promise<AgentCompanions> {
    const { authoring, redactor } = this.#ports;
    if (authoring === undefined) throw new ReadOnlyRuntime();
    const place = { kind: "agent", id } as const;
    const sourcePath = pathOf(place, this.#ports);
    if (!await exists(sourcePath)) throw missing(place);
    const read = async (path: string) => redactor.redact((await readText(path))?.text ?? "");
    const path = memoryPathOf({ id, sourcePath });
    const tests = await (await authoring()).findTests(id);
    return {
      memory: await exists(path) ? { path, text: await read(path) } : null,
      tests: await Promise.all(tests.map(async (one) => ({ ...one, text: await read(one.path) }))),
    };
  }

  async withSecrets(place: FilePlace, text: string): Promise<string> {
    const stored = await readText(pathOf(place, this.#ports));
    return this.#conceal(place, stored?.text ?? "").restore(text);
  }

  rename(
    id: string,
    { to, by }: { to: string; by: Caller | undefined },
  ): Promise<RenamedAgent> {
    return this.#edit(async () => {
      const from = pathOf({ kind: "agent", id }, this.#ports);
      const path = pathOf({ kind: "agent", id: to }, this.#ports);
      const stored = await readText(from);
      if (stored === undefined) throw missing({ kind: "agent", id });
      if (await exists(path)) {
        throw new FileUnusable("conflict", `The agent ${JSON.stringify(to)} exists already`);
      }
      const stays = await this.#findRest(id, { from, to });
      const { audit } = this.#ports;
      const made = { file: path, text: stored.text, agentId: to };
      const gone = { file: from, text: null, agentId: id };
      await attempt(`Cannot rename ${basename(from)}`, async () => {
        await audit.changeFile(
          by,
          made,
          () => audit.changeFile(by, gone, () => Deno.rename(from, path)),
        );
        const tests = join(dirname(from), "_config", "tests");
        await Deno.rename(join(tests, id), join(tests, to)).catch(ignoreMissing);
      });
      await this.#ports.agentFiles.reload();
      return { id: to, path, stays };
    });
  }

  enable(
    id: string,
    { enabled, by }: { enabled: boolean; by: Caller | undefined },
  ): Promise<EditedFile> {
    return this.#edit(async () => {
      const place = { kind: "agent", id } as const;
      const path = pathOf(place, this.#ports);
      const stored = await readText(path);
      if (stored === undefined) throw missing(place);
      const text = editEnabled({ path, text: stored.text }, enabled, this.#ports.settings);
      if (text !== undefined) await this.#write(place, { path, text, isNew: false, by });
      return await this.read(place);
    });
  }

  removePerson(person: Person, { by }: { by: Caller | undefined }): Promise<void> {
    return this.#edit(async () => {
      const place = { kind: "config" } as const;
      const path = pathOf(place, this.#ports);
      const { text: before = "" } = await readText(path) ?? {};
      const { name, chats, openid, mail } = person;
      const ways = {
        ...(openid.length > 0 && { openid }),
        ...(mail.length > 0 && { mail }),
      };
      const refused = Object.keys(ways).length > 0
        ? JSON.parse(JSON.stringify({ removed: true, ...ways }))
        : undefined;
      const change = { name, chats, refused };
      const text = removeConfigPerson(before, change, { path });
      // With an error in the file, the service would keep its settings, and the person too.
      const error = this.#problemsOf(place, { path, text }).find((one) => one.severity === "error");
      if (error !== undefined) {
        throw new FileUnusable("conflict", `Fix config.yaml first: ${formatDiagnostic(error)}`);
      }
      await this.#write(place, { path, text, isNew: false, by });
    });
  }

  async readForAgent(
    id: string,
    path: string,
    { maxBytes }: { maxBytes: number },
  ): Promise<Uint8Array> {
    const { settings, registry } = this.#ports;
    const agent = registry.list().find((one) => one.id === id);
    if (agent === undefined) throw new AgentNotFound(id);
    await using file = await openFile(openAgentSandbox(agent, {}, { settings }), path);
    return await file.readAll(maxBytes);
  }

  async facts(): Promise<EditorFacts> {
    const { authoring } = this.#ports;
    if (authoring === undefined) throw new ReadOnlyRuntime();
    return await (await authoring()).facts();
  }

  #edit<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ports.mode !== "service") return Promise.reject(new ReadOnlyRuntime());
    return FILE_EDITS.run(work);
  }

  async #write(
    place: FilePlace,
    change: { path: string; text: string; isNew: boolean; by: Caller | undefined },
  ): Promise<void> {
    const { path, text, isNew, by } = change;
    const planned = {
      file: path,
      text,
      // These files may contain secrets.
      ...(place.kind === "agent" ? { agentId: place.id } : { isPrivate: true }),
    };
    await attempt(`Cannot write ${path}`, async () => {
      await Deno.mkdir(dirname(path), { recursive: true });
      await this.#ports.audit.changeFile(by, planned, () =>
        writeFileAtomically(path, text, {
          ...(isNew && { mustBeNew: true }),
          // Only the owner may read a new file of servers, because a person may add tokens to it.
          ...(isNew && place.kind === "mcp" && { mode: 0o600 }),
        }));
    });
    if (place.kind === "config") await this.#ports.refreshConfig();
    await this.#ports.agentFiles.reload();
  }

  #conceal(place: FilePlace, text: string): ConcealedText {
    return this.#ports.redactor.conceal(text, place.kind === "mcp" ? findSecretPlaces(text) : []);
  }

  #problemsOf(place: FilePlace, source: { path: string; text: string }): readonly Diagnostic[] {
    const { settings, redactor } = this.#ports;
    return redactor.redactValue(findProblems(place, source, settings));
  }

  /** Returns sentences about everything that stays with the old id of an agent. */
  async #findRest(id: string, { from, to }: { from: string; to: string }): Promise<string[]> {
    const { executions, registry } = this.#ports;
    const stays: string[] = [];
    if ((await executions.newestByAgent([id])).size > 0) {
      stays.push(`Its executions, conversations and costs stay with the id ${JSON.stringify(id)}.`);
    }
    const memory = memoryPathOf({ id, sourcePath: from });
    if (await exists(memory)) {
      stays.push(
        `Its memory stays in ${basename(memory)}: rename that file to ${to}.memory.md to keep it.`,
      );
    }
    const naming = registry.list().filter(({ id: own, agents, after }) =>
      own !== id && (agents.includes(id) || after.some(({ agentId }) => agentId === id))
    );
    if (naming.length > 0) {
      const names = naming.map((agent) => agent.id).join(", ");
      stays.push(`These agents still name ${JSON.stringify(id)}: ${names}.`);
    }
    return [
      ...stays,
      `Chats, budgets and other settings that name ${JSON.stringify(id)} are not changed.`,
    ];
  }
}
