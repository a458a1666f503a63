import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runKubectl } from './kubectl.ts';

const directory = mkdtempSync(join(tmpdir(), 'envtest-spec-'));
const binary = (script: string) => {
  const path = join(mkdtempSync(join(directory, 'bin-')), 'kubectl');
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { binary: path, directory, kubeconfigPath: '/admin.kubeconfig', env: { PATH: process.env.PATH } };
};

test('it runs with the cluster kubeconfig and the given input', async () => {
  const kubectl = binary('echo "$KUBECONFIG $HOME $@"; cat; echo note >&2');
  expect(await runKubectl(kubectl, ['apply', '-f', '-'], { stdin: 'kind: X' })).toEqual({
    stdout: `/admin.kubeconfig ${directory}/kubectl apply -f -\nkind: X`,
    stderr: 'note\n',
  });
});

test('it runs as another user on request', async () => {
  const { stdout } = await runKubectl(binary('echo "$KUBECONFIG"'), [], { kubeconfigPath: '/jane.kubeconfig' });
  expect(stdout).toBe('/jane.kubeconfig\n');
});

test('a failure carries what kubectl said', async () => {
  const run = runKubectl(binary('echo "not found" >&2; exit 1'), ['get', 'pod']);
  await expect(run).rejects.toThrow('CommandFailed: kubectl get pod ended with code 1: not found');
});

test('input that is not read is not an error', async () => {
  await runKubectl(binary('exit 0'), [], { stdin: 'x'.repeat(1_000_000) });
});
