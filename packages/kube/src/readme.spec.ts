import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { listNamespaces } from '../examples/connect.ts';
import { SpecServer } from './client/fixtures/api-server.ts';
import { useHarness } from './client/fixtures/harness.ts';
import { temporaryDirectory } from './credentials/fixtures/temporary-directory.ts';
import { kubeconfigFor, writeKubeconfig } from './credentials/kubeconfig-document.ts';

const harness = useHarness();
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

// The end-to-end suite runs the first, the spec below the second.
it.each([
  [0, 'team-contact'],
  [1, 'connect'],
] as const)('shows in the README, as block %i, the example %s', (index, name) => {
  const blocks = [...read('../README.md').matchAll(/```ts\n([\s\S]*?)```/g)];
  expect(blocks[index]?.[1]).toBe(read(`../examples/${name}.ts`));
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
