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
const identity = ['clusterName', 'namespace', 'mode'] as const;

/** The values of a file, and the command that takes them. */
interface GivenFile {
  /** The spec of the object that the operator reconciles. */
  readonly live: Readonly<Record<string, unknown>>;
  readonly command?: string;
}

/** What a file says about the object that the operator reconciles, as a part of its spec. Refuses to change who it is. */
export function specFromValues(
  fromFile: object,
  key: 'clusterManager' | 'klusterlet',
  { live, command = 'an upgrade' }: GivenFile,
): Record<string, unknown> {
  const { [key]: values, priorityClassName } = fromFile as Readonly<Record<string, unknown>>;
  const { create: _, name: __, ...given } = isRecord(values) ? values : {};
  const { deployOption } = live;
  const liveMode = isRecord(deployOption) ? deployOption.mode : undefined;
  const found: Readonly<Record<string, unknown>> = { ...live, mode: liveMode ?? 'Default' };
  const changed = identity.find((field) => !isEmpty(given[field]) && given[field] !== found[field]);
  if (changed !== undefined) {
    throw new CliError(
      'usage',
      `${command} does not change ${changed} from ${JSON.stringify(found[changed])} to ${JSON.stringify(given[changed])}`,
      'Leave it out of the file. To join as another cluster, unjoin first.',
    );
  }
  const named = Object.entries(given).filter(([field, value]) => !isIdentity(field) && !isEmptyMap(value));
  // The agents have that of their operator. Null removes it.
  const ofAgents = key === 'klusterlet' && priorityClassName !== undefined;
  return { ...Object.fromEntries(named), ...(ofAgents && { priorityClassName: priorityClassName || null }) };
}

const isIdentity = (field: string): boolean => identity.some((name) => name === field);

/** The charts have such values where a field is not set. */
const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

const isEmptyMap = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;
