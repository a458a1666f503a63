import { type ClusterAccess, KubeError } from '@flotilla/kube';
import { expect, it } from 'vitest';
import { trustedCa } from './hub-trust.ts';

it('asks for the CA of a hub by the proxy that leads to it, without a credential', async () => {
  const asked: unknown[] = [];
  const connector = {
    async toServer(access: ClusterAccess): Promise<never> {
      asked.push(access);
      throw new KubeError('Unavailable', 'enough');
    },
  };
  const trust = {
    server: 'https://hub',
    caHashes: [`sha256:${'0'.repeat(64)}`],
    proxyUrl: 'https://proxy:3128',
    proxyCa: 'PEM',
  };
  await expect(trustedCa({ connector }, trust)).rejects.toThrow('enough');
  expect(asked).toEqual([
    {
      server: 'https://hub',
      insecureSkipTlsVerify: true,
      origin: '--hub-apiserver',
      proxyUrl: 'https://proxy:3128',
      proxyCa: 'PEM',
    },
  ]);
});
