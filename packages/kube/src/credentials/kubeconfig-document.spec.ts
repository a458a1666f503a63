import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAuthority } from '../client/fixtures/pki.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import type { ClusterAccess } from './access.ts';
import { parseKubeconfig } from './kubeconfig.ts';
import { formatKubeconfig, kubeconfigFor, writeKubeconfig } from './kubeconfig-document.ts';
import { resolveContext } from './resolve-context.ts';

const files = { read: () => Promise.reject(new Error('all is inline')) };

describe('a written kubeconfig', () => {
  it('reads back as the access it was made of', async () => {
    const authority = await createAuthority();
    const pair = await authority.issue();
    const word = fc.stringMatching(/^[!-~]{1,20}$/);
    const name = fc.string({ minLength: 1 });
    const access = fc.record<ClusterAccess>(
      {
        server: fc.constant('https://hub:6443/prefix'),
        origin: fc.constant('/k (context "default")'),
        ca: fc.constant(authority.ca),
        tlsServerName: name,
        proxyUrl: fc.constant('http://u:p@proxy:1'),
        clientCertificate: fc.constant(pair),
        authorization: fc.oneof(
          word.map((token) => `Bearer ${token}`),
          fc
            .tuple(fc.stringMatching(/^[^:]+$/), name)
            .map((both) => `Basic ${Buffer.from(both.join(':')).toString('base64')}`),
        ),
        impersonate: fc.record(
          {
            user: name,
            uid: name,
            groups: fc.array(fc.string(), { minLength: 1 }),
            extra: fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.array(fc.string()), { minKeys: 1 }),
          },
          { requiredKeys: ['user'] },
        ),
      },
      { requiredKeys: ['server', 'origin'] },
    );
    await fc.assert(
      fc.asyncProperty(access, async (wanted) => {
        const text = formatKubeconfig(kubeconfigFor(wanted));
        expect(await resolveContext(parseKubeconfig(text, '/k'), { files })).toEqual({
          ...wanted,
          clusterName: 'default',
        });
      }),
      { numRuns: 30 },
    );
  });

  it('is for its owner only, and leaves nothing beside it', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'new', 'config');
    const document = kubeconfigFor({ server: 'https://hub', origin: '' }, { cluster: 'hub', namespace: 'ns' });
    await writeKubeconfig(path, document);
    await writeKubeconfig(path, document);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(directory.path, 'new'))).toEqual(['config']);
    expect(parseKubeconfig(await readFile(path, 'utf8'), path).clusters.has('hub')).toBe(true);
  });

  it('that cannot be written says where', async () => {
    await using directory = await temporaryDirectory();
    await directory.write('file', '');
    const path = join(directory.path, 'file', 'config');
    await expect(writeKubeconfig(path, kubeconfigFor({ server: 'https://hub', origin: '' }))).rejects.toThrow(path);
  });
});
