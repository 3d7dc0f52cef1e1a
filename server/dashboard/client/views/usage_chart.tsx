// Bars of days, stacked by agent. The figures behind them stand in a table that can be opened.
import type { VNode } from "preact";
import { formatDay } from "../format.ts";
import { Folded } from "../parts.tsx";
import type { Bar } from "../state/usage_sums.ts";

const HEIGHT = 160;
/** Of a bar's place, what it takes; the rest is air. */
const BAR_SHARE = 0.72;
/** Days that are labelled, at most. */
const LABELS = 5;

/** A chart under its title; `format` writes a value. */
export function UsageChart(
  { title, bars, names, format }: {
    title: string;
    bars: readonly Bar[];
    names: readonly string[];
    format: (value: number) => string;
  },
): VNode {
  const highest = Math.max(...bars.map(({ total }) => total));
  const sum = bars.reduce((before, { total }) => before + total, 0);
  if (sum === 0) {
    return (
      <section class="chart">
        <h2>{title}</h2>
        <p class="muted">No data for these days.</p>
      </section>
    );
  }
  const best = bars.find(({ total }) => total === highest);
  const label = `${title}: ${format(sum)} in ${bars.length} days, ` +
    `most on ${formatDay(best?.date ?? "")} with ${format(highest)}`;
  return (
    <section class="chart">
      <h2>
        {title} <span class="muted small">per day, at most {format(highest)}</span>
      </h2>
      <svg height={HEIGHT} role="img" aria-label={label}>
        {bars.map((bar, index) => (
          <Stack key={bar.date} bar={bar} {...{ index, highest, names, format }} of={bars.length} />
        ))}
        <line class="base" x1="0" x2="100%" y1={HEIGHT} y2={HEIGHT} />
      </svg>
      <Days dates={bars.map(({ date }) => date)} />
      <ul class="legend">
        {names.map((name, index) => (
          <li key={name} class={`series-${index}`}>
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      <Folded summary={<span class="muted small">{title} as figures</span>}>
        {() => <Figures bars={bars} names={names} format={format} title={title} />}
      </Folded>
    </section>
  );
}

function Stack(
  { bar, index, of, highest, names, format }: {
    bar: Bar;
    index: number;
    of: number;
    highest: number;
    names: readonly string[];
    format: (value: number) => string;
  },
): VNode {
  const place = (index + (1 - BAR_SHARE) / 2) / of;
  let below = 0;
  return (
    <g>
      <title>{`${formatDay(bar.date)}: ${format(bar.total)}`}</title>
      {bar.values.map((value, series) => {
        const height = value / highest * HEIGHT;
        below += height;
        return value > 0 && (
          <rect
            key={series}
            class={`series-${series}`}
            x={`${place * 100}%`}
            width={`${BAR_SHARE / of * 100}%`}
            y={HEIGHT - below}
            height={Math.max(1, height)}
          >
            <title>
              {`${formatDay(bar.date)}, ${names[series] ?? ""}: ${format(value)}`}
            </title>
          </rect>
        );
      })}
    </g>
  );
}

function Days({ dates }: { dates: readonly string[] }): VNode {
  const step = Math.ceil(dates.length / LABELS);
  // From today backwards: the newest day always has its label.
  const isLabelled = (index: number) => (dates.length - 1 - index) % step === 0;
  return (
    <svg class="scale" height={20} aria-hidden="true">
      {dates.map((date, index) =>
        isLabelled(index) && (
          <text
            key={date}
            class={index === dates.length - 1 ? "last" : undefined}
            x={index === dates.length - 1 ? "100%" : `${(index + 0.5) / dates.length * 100}%`}
            y={14}
          >
            {formatDay(date)}
          </text>
        )
      )}
    </svg>
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
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`${title} as figures`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {names.map((name) => <th key={name} scope="col" class="number">{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {bars.filter(({ total }) => total > 0).toReversed().map(({ date, values }) => (
            <tr key={date}>
              <th scope="row">{formatDay(date)}</th>
              {values.map((value, index) => (
                <td key={index} class="number">{value === 0 ? "" : format(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
