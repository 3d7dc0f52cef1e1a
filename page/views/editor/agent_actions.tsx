// The actions on an agent's file: duplicate it, rename it, and switch its trigger off or on.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { EditedFileBody } from "../../../api/schemas/file_schemas.ts";
import { Dialog, FormDialog, TextField } from "../../parts/forms.tsx";
import { Button } from "../../parts/parts.tsx";
import { toHash } from "../../state/route.ts";
import { useAgents, useService } from "../../state/service_context.ts";
import { useSending } from "../../state/use_resource.ts";

/** The new id of a renamed agent, and sentences about what keeps the old id. */
export interface RenamedAgent {
  id: string;
  stays: readonly string[];
}

/** Renders the actions. They are disabled while the text is not saved. */
export function AgentActions(
  { id, isChanged, onFile, onRenamed }: {
    id: string;
    isChanged: boolean;
    onFile: (file: EditedFileBody) => void;
    onRenamed: (renamed: RenamedAgent) => void;
  },
): VNode {
  const { client, announce } = useService();
  const [isRenaming, setRenaming] = useState(false);
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
      {isRenaming && (
        <FormDialog
          title={`Rename ${id}`}
          action="Rename"
          onSend={async () => onRenamed(await client.renameAgent(id, { to: to.trim() }))}
          onClose={() => setRenaming(false)}
        >
          <TextField
            kind="name"
            label="New name"
            hint="The name of the file and the id of the agent."
            value={to}
            onInput={setTo}
          />
        </FormDialog>
      )}
    </>
  );
}

/** Renders what keeps the old id of a renamed agent. */
export function RenamedDialog(
  { renamed: { id, stays }, onClose }: { renamed: RenamedAgent; onClose: () => void },
): VNode {
  return (
    <Dialog aria-label={`Renamed to ${id}`} onClose={onClose}>
      <form method="dialog">
        <h2>Renamed to {id}</h2>
        <ul>{stays.map((sentence) => <li key={sentence}>{sentence}</li>)}</ul>
        <div class="actions">
          <button type="submit" class="primary">Open {id}</button>
        </div>
      </form>
    </Dialog>
  );
}
