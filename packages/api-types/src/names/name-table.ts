import type { FormattedName } from './composed.ts';
import type { KindName } from './resources.ts';

/** One value of the wire with its explanation: the only place where the value is written down. */
export interface NameEntry {
  readonly value: string;
  /** The kinds it stands on; empty when it belongs to no object (a file path, an environment variable). */
  readonly on: readonly KindName[];
  /** What it is for, in one sentence. */
  readonly meaning: string;
}

/** Names of one vocabulary by the key under which code refers to them. */
export type NameTable = Readonly<Record<string, NameEntry | FormattedName>>;

/** The constants of a table: the value itself, or the composed name. */
export type Constants<Table extends NameTable> = {
  readonly [Key in keyof Table]: Table[Key] extends { readonly value: infer Value } ? Value : Table[Key];
};

/** Derives the constants that code uses (`Label.ClusterName`) from a table that also explains them. */
export const constantsOf = <const Table extends NameTable>(table: Table): Constants<Table> =>
  Object.fromEntries(
    Object.entries(table).map(([key, entry]) => [key, 'value' in entry ? entry.value : entry]),
  ) as Constants<Table>;
