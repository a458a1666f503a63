import { isRecord } from '@flotilla/schema';
import { CliError } from '../errors/cli-error.ts';
import { compareVersions, isVersion, tagOf } from '../options/versions.ts';

/** Refuses an upgrade that goes back, unless it is forced: an older operator may not know what a newer one wrote. */
export function refuseDowngrade(
  live: readonly (string | undefined)[],
  target: string | undefined,
  force: boolean,
): void {
  const to = tagOf(target);
  if (force || to === undefined || !isVersion(to)) return;
  const newer = live.map(tagOf).find((tag) => tag !== undefined && isVersion(tag) && compareVersions(tag, to) > 0);
  if (newer === undefined) return;
  throw new CliError(
    'precondition',
    `${newer} is installed, and ${to} is older`,
    'Give a newer --bundle-version. To go back all the same: --force.',
  );
}

/** Fields that say which cluster an agent is: another value would be another cluster. */
const identity = ['clusterName', 'namespace', 'deployOption'];

/** What a file says about the object that the operator reconciles, as a part of its spec. Refuses to change who it is. */
export function specFromValues(
  values: unknown,
  live: Readonly<Record<string, unknown>>,
  command = 'an upgrade',
): Record<string, unknown> {
  if (!isRecord(values)) return {};
  const { create: _, name: __, mode, ...fields } = values;
  const spec: Record<string, unknown> = { ...fields, ...(mode !== undefined && { deployOption: { mode } }) };
  const changed = identity.find(
    (field) => spec[field] !== undefined && JSON.stringify(spec[field]) !== JSON.stringify(live[field]),
  );
  if (changed === undefined) return spec;
  throw new CliError(
    'usage',
    `${command} does not change ${changed} from ${JSON.stringify(live[changed])} to ${JSON.stringify(spec[changed])}`,
    'Leave it out of the file. To join as another cluster, unjoin first.',
  );
}
