// The view of the service's log: its last lines, newest at the end, updated while it is open.
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatDate, formatMoment, formatSeconds } from "../parts/format.ts";
import { isAtLeast, type Level, LEVELS, type LogLine, parseLogLine } from "../state/log_line.ts";
import { Option, SelectField, TextField } from "../parts/forms.tsx";
import { Empty, LoadState } from "../parts/parts.tsx";
import { useNow, useResource } from "../state/use_resource.ts";

const LINES = 500;
const REFRESH_MS = 4_000;

/** Renders the view of the log. */
export function LogView(): VNode {
  const [level, setLevel] = useState<Level>("INFO");
  const [wanted, setWanted] = useState("");
  const [isFollowing, setFollowing] = useState(true);
  const reloadKey = useNow(REFRESH_MS, isFollowing);
  const log = useResource((client) => client.log({ lines: LINES }), {
    reloadKey,
    topics: ["executions", "agents"],
  });
  const { data } = log;
  const lines = (data?.lines ?? []).map(parseLogLine).filter((line) =>
    isAtLeast(line, level) && line.text.toLowerCase().includes(wanted.toLowerCase())
  );
  return (
    <>
      <h1>Log</h1>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <SelectField
          label="Minimum level"
          value={level}
          options={LEVELS}
          nameOf={(one) => one.toLowerCase()}
          hasAll={false}
          onChoose={(one) => setLevel(one as Level)}
        />
        <TextField
          label="Contains"
          layout="grow"
          kind="filter"
          value={wanted}
          onInput={setWanted}
        />
        <Option checked={isFollowing} onChange={setFollowing}>Follow</Option>
      </form>
      <LoadState of={log} />
      {data !== undefined && lines.length === 0 && (
        <Empty>{data.lines.length === 0 ? "The log is empty." : "No lines match."}</Empty>
      )}
      {lines.length > 0 && <Lines lines={lines} isFollowing={isFollowing} />}
      {data !== undefined && (
        <p class="muted small">
          The last {data.lines.length} lines of <code class="path">{data.file}</code>
        </p>
      )}
    </>
  );
}

/** Renders the lines. While following, the end stays visible unless the reader has scrolled back. */
function Lines({ lines, isFollowing }: { lines: readonly LogLine[]; isFollowing: boolean }): VNode {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = box.current;
    if (element !== null && isFollowing && isAtEnd.current) {
      element.scrollTop = element.scrollHeight;
    }
  }, [lines, isFollowing]);
  const onScroll = () => {
    const element = box.current;
    if (element === null) return;
    isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
  };
  return (
    <div
      ref={box}
      class="log"
      tabIndex={0}
      role="region"
      aria-label="Lines of the log"
      onScroll={onScroll}
    >
      <ol>
        {withDays(lines).map(({ line, day }, index) => (
          <li key={`${line.at} ${index}`} class={`line ${line.level?.toLowerCase() ?? "other"}`}>
            {day !== null && <span class="day">{day}</span>}
            {line.at !== null && (
              <time dateTime={line.at} title={formatMoment(Date.parse(line.at))}>
                {formatSeconds(Date.parse(line.at))}
              </time>
            )}
            {line.level !== null && <span class="level">{line.level}</span>}
            <span class="text">{line.text}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Returns each line, with the date if the line is the first of its day. */
function withDays(lines: readonly LogLine[]): { line: LogLine; day: string | null }[] {
  let before = "";
  return lines.map((line) => {
    const day = line.at === null ? before : formatDate(Date.parse(line.at));
    const isNew = day !== before;
    before = day;
    return { line, day: isNew ? day : null };
  });
}
