import type { ManifestUpdateStrategy } from '@flotilla/api-types';
import type { OwnerReference } from '@flotilla/schema';
import { settingsDigest } from '../config/settings-digest.ts';

/** What is to be applied, how, and owned by whom: another intent means that the hub wants something else. */
export const intentOf = (digest: string, strategy: ManifestUpdateStrategy, owners: readonly OwnerReference[]): string =>
  [digest, settingsDigest(strategy), JSON.stringify(owners)].join('\n');

/** The digest of the manifest of an intent. */
export const digestOf = (intent: string): string => intent.split('\n', 1).join('');

/** Whether two intents differ in nothing but the owner: two works have the same manifest. */
export const isSameManifest = (a: string | undefined, b: string): boolean =>
  a !== undefined && manifestOf(a) === manifestOf(b);

const manifestOf = (intent: string): string => intent.slice(0, intent.lastIndexOf('\n'));
