import { describe, expect, it } from 'vitest';
import type { AgentDriver, CredentialVerdict, StoredCredentials } from '../../contract/index.ts';
import { formatHubKubeconfig, type HubEndpoint } from './hub-kubeconfig.ts';
import { problemOfStored } from './problem-of-stored.ts';

const endpoint: HubEndpoint = { name: 'hub', server: 'https://hub:6443' };
const user = { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' };
const driver = (verdict: CredentialVerdict, hasKubeconfig = true): AgentDriver => ({
  judge: () => verdict,
  kubeconfigUser: () => (hasKubeconfig ? user : undefined),
  access: () => ({}),
  connect() {},
  obtain: async () => ({ kind: 'unchanged' }),
  decorate: (cluster) => cluster,
  checkConnection: async () => ({ usable: true }),
});
const good = driver({ usable: true });
const ended = driver({ usable: false, reason: 'Expired', message: 'it ended' });
const kubeconfig = formatHubKubeconfig(endpoint, user);

describe('what is stored', () => {
  it.each<[string, AgentDriver, StoredCredentials | undefined, object | undefined]>([
    ['[registration-agent 19.2-14] has no Secret', good, undefined, { reason: 'NoCredentials' }],
    [
      '[registration-agent 19.2-14] has names and no kubeconfig',
      good,
      { 'cluster-name': 'c1' },
      { reason: 'NoCredentials' },
    ],
    ['[registration-agent 19.2-23] is as it should be', good, { kubeconfig }, undefined],
    [
      '[registration-agent 19.2-16] is for another hub',
      good,
      { kubeconfig: kubeconfig.replace('hub:6443', 'old:6443') },
      { reason: 'BootstrapChanged', message: 'the hub is at https://hub:6443 and was at https://old:6443' },
    ],
    ['has ended', ended, { kubeconfig }, { reason: 'Expired', message: 'it ended' }],
    ['is of a driver without kubeconfig', driver({ usable: true }, false), { token: 't' }, undefined],
  ])('that %s', (_, judging, stored, problem) => {
    const found = problemOfStored(judging, stored, endpoint);
    if (problem) expect(found).toMatchObject(problem);
    else expect(found).toBeUndefined();
  });
});
