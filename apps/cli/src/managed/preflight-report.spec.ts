import { createKubeClient, KubeError } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { EMPTY } from 'rxjs';
import { expect, it } from 'vitest';
import { startProgress } from '../output/progress.ts';
import { checkApiServer } from './hub-checks.ts';
import { type CheckResult, reportValue, startPreflight } from './preflight-report.ts';

it.each([
  ['Tls', 'the certificate of the hub is not trusted'],
  ['Forbidden', 'Forbidden: no'],
] as const)('a check that could not be made is skipped and not passed: %s', async (code, message) => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const progress = startProgress({ err: { write: (text) => lines.push(text) }, clock });
  const checks: CheckResult[] = [];
  const fail = async () => {
    throw new KubeError(code, 'no');
  };
  const transport = { request: fail, stream: fail, accessChanged: EMPTY, async close() {} };
  const connect = async () => ({
    client: createKubeClient({ transport }),
    access: { server: 'https://hub', origin: 'the spec' },
    async [Symbol.asyncDispose]() {},
  });
  await checkApiServer({ clock }, connect, 'cluster1', startPreflight(progress, { checks }));
  expect(checks).toEqual(['clock', 'rights on the hub'].map((check) => ({ check, status: 'skipped', message })));
  expect(lines).toEqual(checks.map(({ check }) => `Preflight check: ${check} skipped: ${message}\n`));
  expect(reportValue({ checks }).passed).toBe(true);
});
