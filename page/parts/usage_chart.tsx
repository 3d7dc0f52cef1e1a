// Renders a chart with one bar per day, stacked by agent. The selected day is described beside the title, and a collapsible
// table contains all days.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { type Bar, toTicks } from "../state/usage_sums.ts";
import { formatDay } from "./format.ts";
import { Collapsible, TableHead } from "./parts.tsx";
import { Pointable } from "./pointable.tsx";

const HEIGHT = 160;
/** The width of a bar as a share of its day. */
const BAR_SHARE = 0.72;
/** The maximum number of labeled days. */
const LABELS = 5;

/** Renders a chart with its title. */
export function UsageChart(
  { title, bars, names, colours, formatAs, smallest = 0, height = HEIGHT }: {
    title: string;
    bars: readonly Bar[];
    names: readonly string[];
    /** The color of each series: its number, or the name of a color of the theme. */
    colours: readonly (number | string)[];
    /** The height of the plot in pixels. */
    height?: number;
    /** Returns the format for a column of values. */
    formatAs: (column: readonly number[]) => (value: number) => string;
    /** The minimum step of the axis. */
    smallest?: number;
  },
): VNode {
  const [pointed, setPointed] = useState<string | null>(null);
  const highest = Math.max(...bars.map(({ total }) => total));
  if (highest === 0) {
    return (
      <section class="chart">
        <h2>{title}</h2>
        <p class="muted">No data in this period.</p>
      </section>
    );
  }
  const ticks = toTicks(highest, smallest);
  const top = ticks.at(-1) ?? highest;
  const format = formatAs(bars.flatMap(({ values, total }) => [...values, total]));
  // The newest day is selected until the person points at another day.
  const found = bars.findIndex(({ date }) => date === pointed);
  const at = found < 0 ? bars.length - 1 : found;
  const texts = bars.map((bar) => describeBar(bar, { names, format }));
  return (
    <section class="chart">
      <div class="chart-head">
        <h2>
          {title} <span class="muted small">per day</span>
        </h2>
        <p class="readout" dir="auto">{texts[at]}</p>
      </div>
      <div class="plot">
        <div class="axis" style={{ height: `calc(${height}px + 1.2em)` }} aria-hidden="true">
          {ticks.toReversed().map((tick) => <span key={tick}>{formatAs(ticks)(tick)}</span>)}
        </div>
        <Pointable
          label={`${title} per day`}
          texts={texts}
          at={at}
          onPoint={(index) => setPointed(bars[index]?.date ?? null)}
        >
          <svg height={height} aria-hidden="true">
            {ticks.slice(1).map((tick) => {
              const y = height - tick / top * height;
              return <line key={tick} class="grid" x1="0" x2="100%" y1={y} y2={y} />;
            })}
            {bars.map((bar, index) => (
              <Stack
                key={bar.date}
                bar={bar}
                colours={colours}
                height={height}
                index={index}
                of={bars.length}
                top={top}
                isPointed={index === found}
                onPoint={() => setPointed(bar.date)}
              />
            ))}
            <line class="base" x1="0" x2="100%" y1={height} y2={height} />
          </svg>
          <svg class="scale" height={20} aria-hidden="true">
            {bars.map(({ date }, index) => {
              // Labels are counted from the newest day, so that this day always has a label.
              const isLast = index === bars.length - 1;
              return (bars.length - 1 - index) % Math.ceil(bars.length / LABELS) === 0 && (
                <text
                  key={date}
                  class={isLast ? "last" : undefined}
                  x={isLast ? "100%" : `${(index + 0.5) / bars.length * 100}%`}
                  y={14}
                >
                  {formatDay(date)}
                </text>
              );
            })}
          </svg>
        </Pointable>
      </div>
      <ul class="legend">
        {names.map((name, index) => (
          <li key={name} style={toneOf(colours[index])}>
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      <Collapsible summary={<span class="muted small">{title} as figures</span>}>
        {() => <Figures bars={bars} names={names} format={format} title={title} />}
      </Collapsible>
    </section>
  );
}

const toneOf = (colour: number | string | undefined) => ({
  "--tone": `var(--${typeof colour === "number" ? `series-${colour}` : colour})`,
});

/** Returns a bar as text: `Jan 31: $0.30; digest $0.20, mailbox $0.10`. */
function describeBar(
  { date, total, values }: Bar,
  { names, format }: { names: readonly string[]; format: (value: number) => string },
): string {
  const parts = values.map((value, index) => ({ value, name: names[index] ?? "" }))
    .filter(({ value }) => value > 0)
    .map(({ value, name }) => `${name} ${format(value)}`);
  return `${formatDay(date)}: ${format(total)}${parts.length > 0 ? `; ${parts.join(", ")}` : ""}`;
}

function Stack(
  { bar, colours, height: whole, index, of, top, isPointed, onPoint }: {
    bar: Bar;
    colours: readonly (number | string)[];
    height: number;
    index: number;
    of: number;
    /** The value at the upper edge of the chart. */
    top: number;
    isPointed: boolean;
    onPoint: () => void;
  },
): VNode {
  const place = (index + (1 - BAR_SHARE) / 2) / of;
  let below = 0;
  return (
    <g onPointerEnter={onPoint} onPointerDown={onPoint}>
      <rect
        class={isPointed ? "day pointed" : "day"}
        x={`${index / of * 100}%`}
        width={`${100 / of}%`}
        y={0}
        height={whole}
      />
      {bar.values.map((value, series) => {
        const height = value / top * whole;
        below += height;
        return value > 0 && (
          <rect
            key={series}
            style={toneOf(colours[series])}
            x={`${place * 100}%`}
            width={`${BAR_SHARE / of * 100}%`}
            y={whole - below}
            height={Math.max(1, height)}
          />
        );
      })}
    </g>
  );
}

function Figures(
  { bars, names, format, title }: {
    bars: readonly Bar[];
    names: readonly string[];
    format: (value: number) => string;
    title: string;
  },
): VNode {
  const totals = names.map((_, index) =>
    bars.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)
  );
  const total = totals.reduce((sum, value) => sum + value, 0);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`${title} as figures`}>
      <table>
        <TableHead names={["Day", ...names, "Total"]} numbersFrom={1} />
        <tbody>
          {bars.filter(({ total }) => total > 0).toReversed().map(({ date, values, total }) => (
            <tr key={date}>
              <th scope="row">{formatDay(date)}</th>
              {values.map((value, index) => (
                <td key={index} class="number">{value === 0 ? "" : format(value)}</td>
              ))}
              <td class="number">{format(total)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">All days</th>
            {totals.map((value, index) => <td key={index} class="number">{format(value)}</td>)}
            <td class="number">{format(total)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
