import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, test } from 'vitest';
import { buildGoPrograms } from './go-build.ts';

test('a long compilation gives a sign of life every ten seconds, until it ends', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'envtest-spec-'));
  // Compiles until a file appears, which the test makes when it has seen enough.
  const go = '[ "$1" = version ] && exit 0\nwhile [ ! -e "$GATE" ]; do /bin/sleep 0.01; done';
  writeFileSync(join(directory, 'go'), `#!/bin/sh\n${go}\n`, { mode: 0o755 });
  const gate = join(directory, 'gate');
  const clock = new FakeClock();
  const lines: string[] = [];
  const started = Promise.withResolvers<void>();
  const built = buildGoPrograms(
    {
      moduleDirectory: directory,
      packages: { etcd: 'go.etcd.io/etcd/server/v3', kubectl: 'k8s.io/kubernetes/cmd/kubectl' },
      linkerFlags: '-s -w',
      announcement: 'compiling two programs',
      withoutGo: (why) => why,
    },
    {
      output: directory,
      env: { PATH: directory, GATE: gate },
      clock,
      log: (line) => {
        lines.push(line);
        if (line === 'compiling etcd (1/2)') started.resolve();
      },
      watchdog: { watch() {}, forget() {}, close: async () => {} },
    },
  );
  await started.promise;
  await clock.advance(25_000);
  expect(lines.slice(2)).toEqual(['still compiling etcd (1/2), 10 s', 'still compiling etcd (1/2), 20 s']);
  writeFileSync(gate, '');
  await built;
  expect(lines).toContain('compiled etcd (1/2) in 25 s');
  expect(clock.pending).toBe(0);
});
