// The actions on an agent's file: duplicate it, rename it, and switch its trigger off or on.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { EditedFileBody } from "../../../api/schemas/file_schemas.ts";
import { Dialog, Field, FormDialog } from "../../parts/forms.tsx";
import { Button } from "../../parts/parts.tsx";
import { toHash } from "../../state/route.ts";
import { useAgents, useService } from "../../state/service_context.ts";
import { useSending } from "../../state/use_resource.ts";

/** Renders the actions. They are disabled while the text is not saved. */
export function AgentActions(
  { id, isChanged, onFile }: {
    id: string;
    isChanged: boolean;
    onFile: (file: EditedFileBody) => void;
  },
): VNode {
  const { client, announce } = useService();
  const [isRenaming, setRenaming] = useState(false);
  const [renamed, setRenamed] = useState<{ id: string; stays: readonly string[] } | null>(null);
  const [to, setTo] = useState(id);
  const agent = useAgents().get(id);
  const { isSending, send } = useSending({
    touches: ["agents"],
    failure: `Cannot change ${id}`,
  });
  const turn = async (enabled: boolean) => {
    onFile(await client.enableAgent(id, { enabled }));
    announce(`${id} is switched ${enabled ? "on" : "off"}.`);
  };
  const isOff = isChanged || isSending;
  const open = () => {
    if (renamed === null) return;
    location.hash = toHash({ view: "edit", place: { kind: "agent", name: renamed.id } });
  };
  return (
    <>
      {agent !== undefined && (
        <Button
          disabled={isOff}
          onClick={() => send(() => turn(!agent.enabled))}
        >
          {agent.enabled ? "Switch off" : "Switch on"}
        </Button>
      )}
      <a
        class="button"
        href={toHash({ view: "edit", place: { kind: "new", from: null, copy: id } })}
      >
        Duplicate
      </a>
      <Button disabled={isOff} onClick={() => setRenaming(true)}>Rename</Button>
      {isRenaming && renamed === null && (
        <FormDialog
          title={`Rename ${id}`}
          action="Rename"
          onSend={async () => setRenamed(await client.renameAgent(id, { to: to.trim() }))}
          onClose={() => setRenaming(false)}
        >
          <Field label="New name" hint="The name of the file and the id of the agent.">
            {(control) => (
              <input
                {...control}
                type="text"
                autocomplete="off"
                spellcheck={false}
                value={to}
                onInput={({ currentTarget }) => setTo(currentTarget.value)}
              />
            )}
          </Field>
        </FormDialog>
      )}
      {renamed !== null && (
        <Dialog aria-label={`Renamed to ${renamed.id}`} onClose={open}>
          <form method="dialog">
            <h2>Renamed to {renamed.id}</h2>
            <ul>{renamed.stays.map((sentence) => <li key={sentence}>{sentence}</li>)}</ul>
            <div class="actions">
              <button type="submit" class="primary">Open {renamed.id}</button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
