import { DataKey } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { isDnsLabel } from '@flotilla/schema';
import type { AgentIdentity, StoredCredentials } from '../../contract/index.ts';

/** Kubernetes' alphabet for generated names: no vowels, so no words. */
const safeAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const generatedLength = 5;

/** What generated names are made of. */
export interface NameSource {
  /** In [0, 1). */
  random(): number;
  uuid(): string;
}

/** Names from flags win over those that were stored with an earlier credential, and those over generated ones. */
export function chooseIdentity(
  flags: Partial<AgentIdentity>,
  stored: StoredCredentials | undefined,
  source: NameSource,
): AgentIdentity {
  return {
    clusterName: flags.clusterName || stored?.[DataKey.ClusterName] || source.uuid(),
    agentName: flags.agentName || stored?.[DataKey.AgentName] || generateName(source),
  };
}

const generateName = ({ random }: NameSource): string =>
  Array.from({ length: generatedLength }, () => safeAlphabet[Math.floor(random() * safeAlphabet.length)]).join('');

/** The name of a cluster becomes that of its namespace on the hub, so it must be fit for one. */
export function validateIdentity({ clusterName }: AgentIdentity): void {
  if (!clusterName) throw new KubeError('Config', 'cluster name is empty', { hint: 'Give one with --cluster-name.' });
  if (!isDnsLabel(clusterName)) {
    throw new KubeError(
      'Config',
      `metadata.name format is not correct: "${clusterName}" is not a name for a namespace`,
      {
        hint: 'Use at most 63 lower-case letters, digits and dashes, with a letter or digit at both ends.',
      },
    );
  }
}
