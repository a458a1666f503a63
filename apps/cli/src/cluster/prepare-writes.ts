import { writeFile } from 'node:fs/promises';
import { withOwner } from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import type { ChangeOptions, CliContext } from '../context.ts';
import { formatManifests, formatPlanned } from '../output/format.ts';
import type { Progress } from '../output/progress.ts';
import { withoutSecrets } from '../output/redact.ts';
import { cliOwner } from './owner.ts';
import { changesOfWrites, confirmChanges, type Edit, formatByObject, type Writes } from './writes.ts';

/** The flags that say what happens to writes before they are made. */
export interface PrepareOptions extends ChangeOptions {
  readonly output: string;
  readonly outputFile?: string;
}

/** Where the writes go. */
interface Target {
  readonly client: KubeClient;
  readonly progress: Progress;
  /** An earlier run of the command made what is changed now: the user sees the difference. */
  readonly isRepeated: boolean;
}

/** Prints the writes in a dry run, and the difference that they make of what is there. False if they are not to be made. */
export async function prepareWrites(
  context: CliContext,
  options: PrepareOptions,
  writes: Writes,
  { client, progress, isRepeated }: Target,
): Promise<boolean> {
  const applied = writes.applied.map((object) => withoutSecrets(withOwner(cliOwner, object)));
  const planned = [...applied, ...(writes.edit ? [await edited(writes.edit)] : [])];
  if (options.outputFile) await writeFile(options.outputFile, formatManifests(planned), { mode: 0o600 });
  const changes = isRepeated ? await changesOfWrites(client, writes, cliOwner) : new Map();
  if (!options.dryRun) {
    await confirmChanges(context, changes, { yes: options.yes, progress });
    return true;
  }
  if (changes.size > 0) progress.done(`This command would change:\n\n${formatByObject(changes)}`);
  context.out.write(formatPlanned(planned, options.output));
  return false;
}

/** As a user would write it. */
async function edited({ handle, name, change }: Edit): Promise<KubeObject> {
  const {
    apiVersion,
    kind,
    metadata,
    status: _,
    ...rest
  } = change(await handle.get(name)) as KubeObject & {
    status?: unknown;
  };
  const { labels, annotations } = metadata ?? {};
  const own = { name, ...(labels && { labels }), ...(annotations && { annotations }) };
  return { ...(apiVersion && { apiVersion }), ...(kind && { kind }), metadata: own, ...rest };
}
