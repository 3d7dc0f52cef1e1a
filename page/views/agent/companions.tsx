// The files beside an agent's file: its memory and its test cases. They can only be read here.
import type { VNode } from "preact";
import { formatNumberOf } from "../../parts/format.ts";
import { Collapsible, Empty, Preformatted, Problem } from "../../parts/parts.tsx";
import { FormattedText } from "../../parts/markdown.tsx";
import { toVisible } from "../../../present/visible_text.ts";
import { useResource } from "../../state/use_resource.ts";

/** Renders the memory and the test cases of an agent. */
export function Companions({ id }: { id: string }): VNode {
  const { data, problem } = useResource((client) => client.companions(id), {
    key: id,
    topics: ["agents", "executions"],
  });
  if (data === undefined) return <Problem text={problem} />;
  const { memory, tests } = data;
  return (
    <>
      {memory !== null && (
        <Collapsible
          summary={
            <>
              Memory{" "}
              <span class="muted small">{formatNumberOf(memory.text.length, "character")}</span>
            </>
          }
        >
          {() => (
            <div class="rendered" role="region" aria-label={`Memory of ${id}`} tabIndex={0}>
              <FormattedText text={toVisible(memory.text)} />
            </div>
          )}
        </Collapsible>
      )}
      <Collapsible
        summary={
          <>
            Tests <span class="muted small">{formatNumberOf(tests.length, "case")}</span>
          </>
        }
      >
        {() =>
          tests.length === 0
            ? (
              <Empty>
                No test cases. <code>inkling test --record</code>{" "}
                with the number of an execution writes one.
              </Empty>
            )
            : (
              <>
                <p class="hint">
                  <code>inkling test {id}</code> runs them.
                </p>
                {tests.map(({ name, path, text }) => (
                  <Collapsible key={path} summary={<bdi>{name}</bdi>}>
                    {() => <Preformatted label={`Test case ${name}`} text={toVisible(text)} />}
                  </Collapsible>
                ))}
              </>
            )}
      </Collapsible>
    </>
  );
}
