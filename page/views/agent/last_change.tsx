// The last change of an agent's file: who made it and how, and a button that takes it back.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { describeAnswerPlace } from "../../../present/answer_place.ts";
import type { EditedFileBody } from "../../../api/schemas/file_schemas.ts";
import { Button, Problem, RelativeTime } from "../../parts/parts.tsx";
import { diffOf } from "../../state/diff_lines.ts";
import { auditHref } from "../../state/route.ts";
import { usePerson, useService } from "../../state/service_context.ts";
import { useResource, useSending } from "../../state/use_resource.ts";
import { SaveDialog } from "../editor/save_dialog.tsx";

/** The number of records that are read, because changes that were not made are passed over. */
const RECORDS = 5;

/** Renders the last change; nothing for an agent without a record. */
export function LastChange({ id }: { id: string }): VNode | null {
  const { client, announce } = useService();
  const { mayEditFiles } = usePerson();
  const [offer, setOffer] = useState<
    { now: EditedFileBody; before: EditedFileBody; diff: string } | null
  >(null);
  const { isSending, problem, send } = useSending();
  const { data } = useResource(
    (client) => client.audit({ agent: id, action: "edit_file", limit: RECORDS }),
    { key: id, topics: ["agents"] },
  );
  const [last, earlier] = data?.filter((one) => one.is_done) ?? [];
  if (last === undefined) return null;
  const open = async () => {
    const [now, before] = await Promise.all([
      client.agentFile(id),
      client.agentFile(id, { before: last.id }),
    ]);
    setOffer({ now, before, diff: diffOf(now.text, before.text) });
  };
  // The first record of a file that was already there does not mean that somebody changed it.
  const isFound = earlier === undefined && last.via === "disk";
  const how = describeAnswerPlace({ answered_via: last.via, answered_by: last.name });
  return (
    <>
      <p class="muted small last-change">
        <span>
          {isFound ? "First seen" : `Changed last ${how}`} <RelativeTime at={last.at} />
        </span>
        <a href={auditHref({ agent: id, action: "edit_file" })}>All changes</a>
        {earlier !== undefined && mayEditFiles && (
          <Button
            class="link"
            disabled={isSending}
            onClick={() => send(open)}
          >
            Take it back
          </Button>
        )}
      </p>
      <Problem text={problem} />
      {offer !== null && (
        <SaveDialog
          title={`Take back the last change of ${id}`}
          action="Take it back"
          place={{ kind: "agent", name: id }}
          diff={offer.diff}
          change={{ text: offer.before.text, version: offer.now.version, name: id }}
          errors={offer.before.diagnostics.filter(({ severity }) => severity === "error").length}
          onSaved={() => announce(`The last change of ${id} is taken back.`)}
          onConflict={() =>
            Promise.reject(
              new Error("The file was changed meanwhile: close this, and read the new text"),
            )}
          onClose={() => setOffer(null)}
        />
      )}
    </>
  );
}
