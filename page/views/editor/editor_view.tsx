// The editor of a file: its text with completion and problems, the diff before a save, and the conflict of two people.
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError } from "../../../api/client/client_errors.ts";
import type { DiagnosticBody } from "../../../api/schemas/diagnostic_schemas.ts";
import type { EditedFileBody, EditorBody } from "../../../api/schemas/file_schemas.ts";
import type { CompletionNames, TextEditor } from "../../editor/text_editor.ts";
import { formatNumberOf } from "../../parts/format.ts";
import { TextField } from "../../parts/forms.tsx";
import {
  Button,
  Loading,
  PagePlaceholder,
  Preformatted,
  Problem,
  ViewHead,
} from "../../parts/parts.tsx";
import {
  checkFile,
  type EditedPlace,
  keyOf,
  languageOf,
  readFile,
  titleOfFile,
} from "../../state/edited_file.ts";
import { diffOf } from "../../state/diff_lines.ts";
import { loadTextEditor, type TextEditorModule } from "../../state/load_editor.ts";
import { agentHref, toHash } from "../../state/route.ts";
import { useAgents, useService } from "../../state/service_context.ts";
import { errorMessage } from "../../state/resource.ts";
import { useResource } from "../../state/use_resource.ts";
import { Problems } from "../broken_agents.tsx";
import { AgentActions, type RenamedAgent, RenamedDialog } from "./agent_actions.tsx";
import { Conflict } from "./conflict.tsx";
import { SaveDialog } from "./save_dialog.tsx";
import { TryPanel } from "./try_panel.tsx";

/** The milliseconds without a key press after which the text is checked. */
const CHECK_MS = 400;

/** The unsaved texts of files that a person left, with the version on which they are based. */
const drafts = new Map<string, { text: string; base: EditedFileBody }>();

/** Renders the editor of a file, and what a new name has left unchanged. */
export function EditorView({ place }: { place: EditedPlace }): VNode {
  // The dialog is beside the editor, because the editor ends with the file of the old name.
  const [renamed, setRenamed] = useState<RenamedAgent | null>(null);
  const open = ({ id }: RenamedAgent) => {
    setRenamed(null);
    location.hash = toHash({ view: "edit", place: { kind: "agent", name: id } });
  };
  return (
    <>
      <FileEditor place={place} onRenamed={setRenamed} />
      {renamed !== null && <RenamedDialog renamed={renamed} onClose={() => open(renamed)} />}
    </>
  );
}

type OnRenamed = (renamed: RenamedAgent) => void;

/** Renders the editor of a file. Without the right to edit, renders the text. */
function FileEditor({ place, onRenamed }: { place: EditedPlace; onRenamed: OnRenamed }): VNode {
  const key = keyOf(place);
  const file = useResource((client) => readFile(client, place), {
    key,
    topics: place.kind === "agent" ? ["agents"] : [],
  });
  const facts = useResource((client) => client.editor(), { topics: [] });
  const [module, setModule] = useState<TextEditorModule | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    loadTextEditor().then(setModule, (error) => setFailure(errorMessage(error)));
  }, []);
  const title = titleOfFile(place);
  if (file.data === undefined || file.isStale) {
    return (
      <PagePlaceholder title={title} problem={file.problem}>
        <a href={toHash({ view: "files" })}>All files</a>
      </PagePlaceholder>
    );
  }
  const problem = facts.problem ?? failure;
  if (facts.data !== undefined && module !== null) {
    const { data: loaded } = file;
    return <Editing {...{ place, loaded, module, onRenamed }} facts={facts.data} />;
  }
  return (
    <article>
      <ViewHead crumb={<Crumb place={place} />} title={title} />
      {problem === null ? <Loading /> : (
        <>
          <Problem text={`The text can only be read: ${problem}`} />
          <Problems of={file.data.diagnostics} />
          <Preformatted text={file.data.text} label={title} />
        </>
      )}
    </article>
  );
}

function Crumb({ place }: { place: EditedPlace }): VNode {
  return place.kind === "agent"
    ? <a href={agentHref(place.name)}>Agent</a>
    : <a href={toHash({ view: "files" })}>Files</a>;
}

function Editing(
  { place, loaded, facts, module, onRenamed }: {
    place: EditedPlace;
    loaded: EditedFileBody;
    facts: EditorBody;
    module: TextEditorModule;
    onRenamed: OnRenamed;
  },
): VNode {
  const { client, clock, announce } = useService();
  const agents = useAgents();
  const key = keyOf(place);
  const isNew = place.kind === "new";
  const [base, setBase] = useState(drafts.get(key)?.base ?? loaded);
  const [text, setText] = useState(drafts.get(key)?.text ?? loaded.text);
  const [problems, setProblems] = useState<readonly DiagnosticBody[]>(loaded.diagnostics);
  const [theirs, setTheirs] = useState<EditedFileBody | null>(null);
  const [name, setName] = useState("name" in place ? place.name : "");
  const [isSaving, setSaving] = useState(false);
  const editor = useRef<TextEditor | null>(null);
  const host = useRef<HTMLDivElement>(null);
  const isChanged = isNew || text !== base.text;

  const names = useMemo((): CompletionNames => ({
    ...facts,
    schema: place.kind === "skill"
      ? undefined
      : facts.schemas[place.kind === "new" ? "agent" : place.kind] as CompletionNames["schema"],
    agents: [...agents.keys()],
  }), [facts, agents]);
  const latest = useRef({ names, text, base });
  latest.current = { names, text, base };

  useEffect(() => {
    if (host.current === null) return;
    editor.current = module.openTextEditor(host.current, {
      text,
      language: languageOf(place),
      label: `Text of ${titleOfFile(place)}`,
      names: () => latest.current.names,
      onChange: setText,
      onSave: () => setSaving(true),
    });
    const warn = (event: Event) => {
      if (latest.current.text !== latest.current.base.text) event.preventDefault();
    };
    addEventListener("beforeunload", warn);
    return () => {
      removeEventListener("beforeunload", warn);
      editor.current?.close();
      const { text, base } = latest.current;
      if (text === base.text) drafts.delete(key);
      else drafts.set(key, { text, base });
    };
  }, [module]);

  useEffect(() => {
    const stop = new AbortController();
    const check = async () => {
      await clock.sleep(CHECK_MS, stop.signal);
      const checked = { text, name: name || "new", signal: stop.signal };
      setProblems(await checkFile(client, place, checked));
    };
    check().catch(() => {
      // The next change of the text, or the save, reports a service that does not answer.
    });
    return () => stop.abort();
  }, [text]);
  useEffect(() => editor.current?.showProblems(problems.map(toProblem)), [problems, module]);

  useEffect(() => {
    if (isNew || loaded.version === base.version) return;
    if (text === base.text) adopt(loaded);
    else setTheirs(loaded);
  }, [loaded.version]);

  const adopt = (file: EditedFileBody) => {
    setBase(file);
    setTheirs(null);
    if (file.text !== latest.current.text) editor.current?.setText(file.text);
    setProblems(file.diagnostics);
  };
  const onSaved = (file: EditedFileBody) => {
    setBase(file);
    setTheirs(null);
    setProblems(file.diagnostics);
    announce(`Saved ${titleOfFile(place)}.`);
    if (!isNew) return;
    latest.current = { ...latest.current, text: file.text, base: file };
    location.hash = toHash({ view: "edit", place: { kind: "agent", name } });
  };
  const onConflict = async (error: ApiError) => {
    if (isNew) throw new Error(taken(name));
    if (error.status !== 412) throw error;
    setTheirs(await readFile(client, place));
  };
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return (
    <article class="editing">
      <ViewHead crumb={<Crumb place={place} />} title={titleOfFile(place)} lead={base.path}>
        <Button class="primary" disabled={!isChanged} onClick={() => setSaving(true)}>Save</Button>
        {place.kind === "agent" && (
          <AgentActions id={place.name} {...{ isChanged, onRenamed }} onFile={adopt} />
        )}
      </ViewHead>
      {isNew && (
        <TextField
          kind="name"
          label="Name"
          hint="The name of the file and the id of the agent."
          value={name}
          onInput={setName}
        />
      )}
      {theirs !== null && (
        <Conflict
          diff={diffOf(theirs.text, text)}
          onKeep={() => {
            setBase(theirs);
            setTheirs(null);
          }}
          onTake={() => adopt(theirs)}
        />
      )}
      <div class="editor-columns">
        <div>
          <div ref={host} class="text-editor" data-editor />
          <p class="hint" role="status">
            {problems.length === 0
              ? "No problems."
              : `${formatNumberOf(errors, "error")}, ${
                formatNumberOf(problems.length - errors, "warning")
              }.`}
            {isChanged ? " Not saved." : ""}{" "}
            <span class="with-keys">Ctrl+S saves, Ctrl+Space completes.</span>
          </p>
          <Problems of={problems} onGo={(one) => editor.current?.goTo(one.line, one.column)} />
        </div>
        {languageOf(place) === "agent" && (
          <TryPanel
            id={name.trim() || "new"}
            text={text}
            obstacle={isNew && agents.has(name.trim()) ? taken(name) : null}
          />
        )}
      </div>
      {isSaving && isChanged && (
        <SaveDialog
          place={place}
          diff={diffOf(isNew ? "" : base.text, text)}
          change={{ text, version: base.version, name }}
          errors={errors}
          onSaved={onSaved}
          onConflict={onConflict}
          onClose={() => setSaving(false)}
        />
      )}
    </article>
  );
}

const taken = (name: string) => `The agent "${name}" exists already: choose another name`;

function toProblem(one: DiagnosticBody) {
  return { ...one, message: one.hint === null ? one.message : `${one.message} (${one.hint})` };
}
