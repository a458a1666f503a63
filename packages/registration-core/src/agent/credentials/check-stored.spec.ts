import { describe, expect, it } from 'vitest';
import type { CredentialIssuer, CredentialState, HubEndpoint, StoredCredentials } from '../../contract/index.ts';
import { formatHubKubeconfig, hubKubeconfig } from '../../kube-hub/index.ts';
import { checkStored } from './check-stored.ts';

const endpoint: HubEndpoint = { name: 'hub', server: 'https://hub:6443' };
const user = { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' };
type Reader = Pick<CredentialIssuer, 'evaluate' | 'endpointOf'>;
const driver = (state: CredentialState): Reader => ({ ...hubKubeconfig(user), evaluate: () => state });
const good = driver({ usable: true });
const ended = driver({ usable: false, reason: 'Expired', message: 'it ended' });
const kubeconfig = formatHubKubeconfig(endpoint, user);

describe('what is stored', () => {
  it.each<[string, Reader, StoredCredentials | undefined, object | undefined]>([
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
    ['says that it is of this auth type', good, { kubeconfig, 'registration-auth': 'csr' }, undefined],
    [
      'is of another auth type, whose certificates may look alike',
      good,
      { kubeconfig, 'registration-auth': 'grpc' },
      { reason: 'NoCredentials', message: 'the stored credentials are of auth type grpc' },
    ],
    ['has ended', ended, { kubeconfig }, { reason: 'Expired', message: 'it ended' }],
    [
      '[registration-agent 19.2-27] is corrupt, which is a reason to bootstrap and not to give up',
      good,
      { kubeconfig: 'a: [' },
      { reason: 'BootstrapChanged', message: 'Config: the stored hub kubeconfig is not YAML' },
    ],
    [
      'names its hub without a kubeconfig',
      { evaluate: () => ({ usable: true }), endpointOf: ({ url = '' }) => ({ ...endpoint, server: url }) },
      { url: 'https://hub:6443' },
      undefined,
    ],
  ])('that %s', (_, reader, stored, expected) => {
    const found = checkStored({ driver: reader, authType: 'csr' }, stored, endpoint);
    if (expected) expect(found).toMatchObject(expected);
    else expect(found).toBeUndefined();
  });
});
