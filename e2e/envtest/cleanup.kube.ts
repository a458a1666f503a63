import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startProgram } from './program.ts';

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
  '%s of the owner leaves no process and no directory',
  async (signal) => {
    const owner = startProgram(new URL('./owner.ts', import.meta.url));
    const [line] = await once(createInterface(owner.stdout), 'line');
    const { directory, pids }: { directory: string; pids: number[] } = JSON.parse(line);
    expect(pids.filter(isRunning)).toHaveLength(3);
    owner.kill(signal);
    await once(owner, 'exit');
    await expect.poll(() => pids.filter(isRunning), { timeout: 10_000 }).toEqual([]);
    await expect.poll(() => existsSync(directory), { timeout: 10_000 }).toBe(false);
  },
);

test('`flotilla-envtest up` says how to use it, and Ctrl-C leaves nothing', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'envtest-cli-'));
  const kubeconfig = join(scratch, 'dev.kubeconfig');
  const cli = new URL('../../packages/envtest/src/cli.ts', import.meta.url);
  const up = startProgram(cli, ['up', '--kubeconfig-out', kubeconfig]);
  const lines: string[] = [];
  for await (const line of createInterface(up.stdout)) {
    lines.push(line);
    if (line.includes('auth whoami')) break;
  }
  const [, server = ''] =
    /^The control plane runs at (https:\/\/127\.0\.0\.1:\d+); Ctrl-C ends it\./.exec(lines[0] ?? '') ?? [];
  expect(readFileSync(kubeconfig, 'utf8')).toContain(`server: ${server}\n`);
  expect(lines).toContain(`  export KUBECONFIG=${kubeconfig}`);
  expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
  up.kill('SIGINT');
  const [stderr, [code]] = await Promise.all([text(up.stderr), once(up, 'exit')]);
  expect([code, stderr]).toEqual([0, 'flotilla-envtest: stopping\n']);
  expect(existsSync(kubeconfig)).toBe(false);
  await expect(fetch(server)).rejects.toThrow('fetch failed');
  rmSync(scratch, { recursive: true });
});

test('`flotilla-envtest` reports a failure with a hint and exit code 1', async () => {
  const cli = new URL('../../packages/envtest/src/cli.ts', import.meta.url);
  const up = startProgram(cli, ['up', '--crds', '/nowhere']);
  const [stderr, [code]] = await Promise.all([text(up.stderr), once(up, 'exit')]);
  expect(code).toBe(1);
  expect(stderr).toBe(
    'flotilla-envtest: InvalidOption: CRDs: /nowhere cannot be read\nhint: Correct the option named in the message.\n',
  );
});
