/** One line of the result: what was measured, ours, what it is compared with, and the limit of the ratio where there is one. */
export interface Figure {
  readonly what: string;
  readonly ours: number;
  readonly unit: string;
  readonly peer?: { readonly name: string; readonly value: number };
  /** Ours divided by the peer's must not be more. */
  readonly limit?: number;
}

const ratioOf = ({ ours, peer }: Figure): number | undefined => (peer ? ours / peer.value : undefined);

/** The figures whose ratio is above their limit. */
export const overLimit = (figures: readonly Figure[]): Figure[] =>
  figures.filter((figure) => figure.limit !== undefined && (ratioOf(figure) ?? 0) > figure.limit);

const number = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** A Markdown table, to be read in a terminal and pasted into a document. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { what, ours, unit, peer, limit } = figure;
    const ratio = ratioOf(figure);
    return [
      what,
      `${number(ours)} ${unit}`,
      peer ? `${number(peer.value)} ${unit} (${peer.name})` : '',
      ratio === undefined ? '' : ratio.toFixed(2),
      limit === undefined ? '' : `≤ ${limit}`,
    ];
  });
  return [['measure', 'ours', 'compared with', 'ratio', 'limit'], ['---', '---', '---', '---', '---'], ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);
