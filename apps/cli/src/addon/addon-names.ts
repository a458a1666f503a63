import { clusterManagementAddOns } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { isDnsSubdomain } from '@flotilla/schema';
import { CliError } from '../errors/cli-error.ts';

/** Clusters get a label `feature.open-cluster-management.io/addon-NAME`, and the part of a key after the slash has at most 63 characters. */
const longestName = 57;

/** Refuses what cannot be the name of an add-on. */
export function checkAddOnName(name: string | undefined, example: string): asserts name is string {
  if (name === undefined) throw new CliError('usage', 'the name of the add-on must be specified', example);
  if (name.length <= longestName && isDnsSubdomain(name)) return;
  throw new CliError(
    'usage',
    `"${name}" cannot be the name of an add-on`,
    `It must have 1 to ${longestName} lower-case letters, digits, hyphens and dots, and begin and end with a letter or digit.`,
  );
}

/** The add-ons of `--names`. */
export function chosenAddOns(names: readonly string[] | undefined, example: string): readonly string[] {
  if (names !== undefined && names.length > 0) return names;
  throw new CliError('usage', 'names is missing', example);
}

/** Refuses add-ons that the hub does not offer, before anything is done with one of them. */
export async function requireAddOns(client: KubeClient, names: readonly string[], program: string): Promise<void> {
  const handle = client.resource(clusterManagementAddOns);
  const found = await Promise.all(names.map((name) => handle.find(name)));
  const missing = names.filter((_, index) => !found[index]);
  if (missing.length === 0) return;
  throw new CliError(
    'precondition',
    `enabling the unknown addon ${missing.join(', ')} is not supported: there is no ClusterManagementAddOn of that name`,
    `See what the hub offers: \`${program} get addons\`. Offer one: \`${program} addon create\` or \`${program} install hub-addon\`.`,
  );
}
