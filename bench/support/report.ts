import { cpus } from 'node:os';
import type { CpuShares } from './cpu.ts';
import type { Round } from './load-process.ts';
import { median } from './statistics.ts';

export interface Figure {
  readonly label: string;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu: CpuShares;
}

/** The comparison of a figure with its baseline. */
export interface Comparison {
  readonly name: string;
  readonly ratio: number;
  /** One ratio for each pair of rounds, in order. */
  readonly perRound: readonly number[];
  /** The ratios of earlier versions, and the goal; null if there are none. */
  readonly targets: { readonly today: number; readonly first: number; readonly goal: number } | null;
}

export function toFigure(label: string, rounds: readonly Round[]): Figure {
  const middle = (pick: (round: Round) => number) => median(rounds.map(pick));
  const share = (pick: (cpu: CpuShares) => number | null) => {
    const values = rounds.map((round) => pick(round.cpu)).filter((value) => value !== null);
    return values.length === 0 ? null : median(values);
  };
  return {
    label,
    perSecond: middle((round) => round.perSecond),
    p50: middle((round) => round.p50),
    p99: middle((round) => round.p99),
    cpu: {
      server: share((cpu) => cpu.server),
      postgres: share((cpu) => cpu.postgres),
      generator: share((cpu) => cpu.generator),
      others: share((cpu) => cpu.others),
    },
  };
}

/** The median of the ratios of neighbouring rounds. If the machine becomes slower, both rounds of a pair are affected. */
export function compare(
  name: string,
  ours: readonly Round[],
  baseline: readonly Round[],
  targets: Comparison['targets'],
): Comparison {
  const perRound = ours.map((round, index) => round.perSecond / (baseline[index]?.perSecond ?? Number.NaN));
  return { name, ratio: median(perRound), perRound, targets };
}

export interface Report {
  readonly postgresVersion: string;
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  readonly figures: readonly Figure[];
  readonly comparisons: readonly Comparison[];
}

const percent = (share: number | null) => (share === null ? '-' : `${Math.round(share * 100)} %`);

/** Formats the report as a table for people. */
export function formatReport(report: Report): string {
  const { figures, comparisons } = report;
  const lines = [
    `Node ${process.version}, PostgreSQL ${report.postgresVersion} with fsync, ${cpus().length} cores; ` +
      `${report.connections} connections; medians of ${report.rounds} rounds of ${report.seconds} s`,
    '',
    ...table([
      ['', 'per second', 'p50 ms', 'p99 ms', 'CPU server', 'PostgreSQL', 'generator', 'others'],
      ...figures.map((figure) => [
        figure.label,
        Math.round(figure.perSecond).toLocaleString('en'),
        figure.p50.toFixed(1),
        figure.p99.toFixed(1),
        percent(figure.cpu.server),
        percent(figure.cpu.postgres),
        percent(figure.cpu.generator),
        percent(figure.cpu.others),
      ]),
    ]),
    '100 % is one core; "others" is what the rest of the machine took meanwhile.',
    '',
  ];
  if (comparisons.length === 0) return lines.join('\n');
  const mark = (ratio: number, target: number | undefined) =>
    target === undefined ? '-' : `${Number(target.toFixed(2))} ${ratio >= target ? 'met' : 'MISSED'}`;
  lines.push(
    ...table([
      ['', 'ratio', 'rounds', 'today', 'first', 'goal'],
      ...comparisons.map(({ name, ratio, perRound, targets }) => [
        name,
        ratio.toFixed(2),
        perRound.map((one) => one.toFixed(2)).join(' '),
        mark(ratio, targets?.today),
        mark(ratio, targets?.first),
        mark(ratio, targets?.goal),
      ]),
    ]),
    '',
  );
  return lines.join('\n');
}

/** Aligns columns. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_cell, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
}

/** Formats the report as one line of JSON. */
export function reportJson(report: Report): string {
  const round = (_key: string, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;
  return JSON.stringify({ node: process.version, cores: cpus().length, ...report }, round);
}
