/** One line of the result: what was measured, ours, what it is compared with, and the limit of the ratio where there is one. */
export interface Figure {
  readonly what: string;
  readonly ours: number;
  readonly unit: string;
  readonly peer?: { readonly name: string; readonly value: number };
  /** Ours divided by the peer's must not be more. */
  readonly limit?: number;
  /** Ours divided by the peer's must not be less. */
  readonly floor?: number;
}

const ratioOf = ({ ours, peer }: Figure): number | undefined => (peer ? ours / peer.value : undefined);

/** The figures whose ratio is not where it must be. */
export const outOfBounds = (figures: readonly Figure[]): Figure[] =>
  figures.filter((figure) => {
    const ratio = ratioOf(figure);
    const { limit = Number.POSITIVE_INFINITY, floor = 0 } = figure;
    return ratio !== undefined && (ratio > limit || ratio < floor);
  });

const boundOf = ({ limit, floor }: Figure): string => {
  if (limit !== undefined) return `≤ ${limit}`;
  return floor === undefined ? '' : `≥ ${floor}`;
};

const number = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** A Markdown table, to be read in a terminal and pasted into a document. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { what, ours, unit, peer } = figure;
    const ratio = ratioOf(figure);
    return [
      what,
      `${number(ours)} ${unit}`,
      peer ? `${number(peer.value)} ${unit} (${peer.name})` : '',
      ratio === undefined ? '' : ratio.toFixed(2),
      boundOf(figure),
    ];
  });
  return [['measure', 'ours', 'compared with', 'ratio', 'bound'], ['---', '---', '---', '---', '---'], ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);
