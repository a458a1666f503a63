import type { KubeObject } from '@flotilla/schema';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { formatObjects, isObjectFormat } from './format.ts';
import type { TypedObject } from './kubectl-name.ts';
import { noResources } from './table.ts';

/** What a command lists, and the forms that only its kind has. */
export interface Listing<T> {
  /** All that there are, before names choose from them. */
  readonly all: readonly T[];
  /** Those that the user named; empty for all. */
  readonly names: readonly string[];
  /** The value of `-o`. */
  readonly output: string;
  /** What one of them is, for the error about a name that nothing has. */
  readonly what: string;
  /** Where they were looked for, if not everywhere: ` in namespace team`. */
  readonly where?: string;
  /** The command that lists all of them. */
  readonly command: string;
  readonly nameOf: (item: T) => string;
  /** An item as objects: one, unless a line of the table stands for several. */
  readonly objectsOf: (item: T) => readonly TypedObject[];
  readonly table: (items: readonly T[], wide: boolean) => string | Promise<string>;
  readonly tree?: (items: readonly T[]) => string | Promise<string>;
}

/** The name of an object. */
export const objectName = ({ metadata }: KubeObject): string => metadata?.name ?? '';

/** Prints what was asked for in the form of `-o`, and fails if something that was named does not exist. */
export async function printListing<T>(context: CliContext, listing: Listing<T>): Promise<void> {
  const { all, names, output, nameOf, objectsOf, table, tree } = listing;
  const items = names.length === 0 ? all : all.filter((item) => names.includes(nameOf(item)));
  const missing = names.filter((name) => !all.some((item) => nameOf(item) === name));
  if (isObjectFormat(output)) context.out.write(formatObjects(items.flatMap(objectsOf), output));
  else if (items.length === 0) {
    if (missing.length === 0) context.err.write(noResources);
  } else if (output === 'tree' && tree) context.out.write(await tree(items));
  else context.out.write(await table(items, output === 'wide'));
  if (missing.length === 0) return;
  const { what, where = '', command } = listing;
  throw new CliError(
    'failed',
    `there is no ${what} ${missing.join(', ')}${where}`,
    `See all: \`${context.program} ${command}\`.`,
  );
}
