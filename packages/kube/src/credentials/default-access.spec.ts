import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAuthority } from '../client/fixtures/pki.ts';
import { realClock } from '../clock/real-clock.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../testing/temporary-directory.ts';
import { type DefaultAccessOptions, defaultAccess } from './default-access.ts';
import { formatKubeconfig, kubeconfigFor } from './kubeconfig-document.ts';

let ca: string;

beforeAll(async () => {
  ({ ca } = await createAuthority());
});

const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
const kubeconfig = (server: string) => formatKubeconfig(kubeconfigFor({ server, origin: '' }));

async function serverOf(directory: TemporaryDirectory, options: Partial<DefaultAccessOptions>): Promise<string> {
  await directory.write('serviceaccount/token', 't');
  await directory.write('serviceaccount/ca.crt', ca);
  const source = defaultAccess({
    clock: realClock,
    env: {},
    home: join(directory.path, 'home'),
    serviceAccountDirectory: join(directory.path, 'serviceaccount'),
    ...options,
  });
  try {
    return (await source.current()).server;
  } finally {
    source.close();
  }
}

describe('access by default', () => {
  it('is the given kubeconfig, then KUBECONFIG, then ~/.kube/config, then the pod', async () => {
    await using directory = await temporaryDirectory();
    const flag = await directory.write('flag', kubeconfig('https://flag'));
    const listed = await directory.write('listed', kubeconfig('https://listed'));
    const KUBECONFIG = ['/absent', listed].join(delimiter);
    expect(await serverOf(directory, { env: pod })).toBe('https://10.0.0.1:443');
    await directory.write('home/.kube/config', kubeconfig('https://home'));
    expect(await serverOf(directory, { env: pod })).toBe('https://home');
    expect(await serverOf(directory, { env: { ...pod, KUBECONFIG } })).toBe('https://listed');
    expect(await serverOf(directory, { env: { ...pod, KUBECONFIG }, kubeconfig: flag })).toBe('https://flag');
  });

  it('is the pod when the kubeconfig has no entries', async () => {
    await using directory = await temporaryDirectory();
    await directory.write('home/.kube/config', '');
    expect(await serverOf(directory, { env: pod })).toBe('https://10.0.0.1:443');
  });

  it('is an error that names the places that were searched', async () => {
    await using directory = await temporaryDirectory();
    await expect(serverOf(directory, {})).rejects.toThrow(
      `Config: no access to a cluster: no kubeconfig at ${join(directory.path, 'home/.kube/config')}, and this is not a pod`,
    );
    await expect(serverOf(directory, { env: pod, kubeconfig: '/absent' })).rejects.toThrow(/ENOENT.*\/absent/);
  });
});
