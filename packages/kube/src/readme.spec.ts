import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { listNamespaces } from '../examples/connect.ts';
import { SpecServer } from './client/fixtures/api-server.ts';
import { useHarness } from './client/fixtures/harness.ts';
import { kubeconfigFor, writeKubeconfig } from './credentials/kubeconfig-document.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

const harness = useHarness();
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

// The end-to-end suite runs the first, the spec below the second.
it.each([
  [0, '../examples/team-contact'],
  [1, '../examples/connect'],
  // The check of packages compiles and runs these three from the tarballs.
  [2, '../../../tools/packages/author/widget'],
  [3, '../../../tools/packages/author/controller'],
  [4, '../../../tools/packages/author/main'],
] as const)('shows in the README, as block %i, the file %s.ts', (index, name) => {
  const blocks = [...read('../README.md').matchAll(/```ts\n([\s\S]*?)```/g)];
  expect(blocks[index]?.[1]).toBe(read(`${name}.ts`));
});

it('has an example that connects with a kubeconfig and leaves no connection open', async () => {
  const items = [{ metadata: { name: 'default' } }, { metadata: { name: 'kube-system' } }];
  const body = JSON.stringify({ kind: 'NamespaceList', metadata: { resourceVersion: '1' }, items });
  await using server = await SpecServer.start({ tls: harness().tls, handler: () => ({ body }) });
  await using directory = await temporaryDirectory();
  const file = `${directory.path}/config`;
  await writeKubeconfig(file, kubeconfigFor(server.access({ ca: harness().authority.ca })));
  expect(await listNamespaces({ KUBECONFIG: file })).toEqual(['default', 'kube-system']);
  await expect.poll(() => server.sockets.size).toBe(0);
});
