import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterAccess } from '@flotilla/kube';
import { realClock } from '@flotilla/kube';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { networkConnector } from '../cluster/connect.ts';
import { connectBySecret } from './secret-connection.ts';

const kubeconfig = (user: object, cluster: object = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: 'https://c1.example', ...cluster } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user }],
  });

describe('the connection by the kubeconfig of a Secret', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'secret-connection-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  async function accessBy(data: Readonly<Record<string, string>>): Promise<ClusterAccess> {
    const connector = networkConnector({ env: { PATH: process.env.PATH, HOME: directory }, clock: realClock });
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    const secret = { metadata: { namespace: 'ns', name: 'c1-kubeconfig' }, data: Object.fromEntries(encoded) };
    await using connection = await connectBySecret({ connector, clock: realClock }, secret, 'value');
    return connection.access;
  }

  it('uses what is in the Secret, and what the kubeconfig names beside it', async () => {
    expect(await accessBy({ value: kubeconfig({ tokenFile: 'token' }), token: 'abc' })).toMatchObject({
      server: 'https://c1.example',
      authorization: 'Bearer abc',
    });
  });

  it('runs no program that the kubeconfig names', async () => {
    const proof = join(directory, 'executed');
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'touch', args: [proof] };
    await expect(accessBy({ value: kubeconfig({ exec }) })).rejects.toThrow(
      /Secret ns\/c1-kubeconfig.*exec is not allowed/,
    );
    expect(existsSync(proof)).toBe(false);
  });

  it.each(['tokenFile', 'client-key'])('reads no file that the kubeconfig names as %s', async (field) => {
    const file = join(directory, 'private');
    await writeFile(file, 'a token of the user');
    await expect(accessBy({ value: kubeconfig({ [field]: file }) })).rejects.toThrow(`has no key ${file}`);
  });
});
