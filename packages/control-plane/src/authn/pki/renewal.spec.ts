import { silentLogger } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, test } from 'vitest';
import { recordingLog } from '../../../fixtures/recording-log.ts';
import { createPki } from './control-plane-pki.ts';
import { memoryKeyStore } from './key-store.ts';
import { renewRegularly } from './renewal.ts';

const hourMs = 60 * 60 * 1000;
const minuteMs = 60 * 1000;

test('certificates are checked twice a day, and published when they are new', async () => {
  const clock = new FakeClock();
  const pki = await createPki({ store: memoryKeyStore(), clock });
  const published = Promise.withResolvers<string>();
  const before = pki.admin.certificate;
  const publish = () => published.resolve(pki.admin.certificate);
  const stop = renewRegularly({ pki, clock, log: silentLogger, publish });
  await clock.advance(12 * hourMs);
  expect(pki.admin.certificate).toBe(before);
  clock.jump(245 * 24 * hourMs);
  await clock.advance(12 * hourMs);
  expect(await published.promise).not.toBe(before);
  stop();
  await clock.settle();
  expect(clock.pending).toBe(0);
});

/** Renewals with these outcomes, one after the other, and how often the new certificates were published. */
function scripted(renewals: (boolean | Error)[], publications: (undefined | Error)[]) {
  const clock = new FakeClock();
  const log = recordingLog();
  const calls = { renewed: 0, published: 0 };
  const outcome = <T>(value: T | Error): T => {
    if (value instanceof Error) throw value;
    return value;
  };
  const stop = renewRegularly({
    pki: { renew: async () => outcome(renewals[calls.renewed++] ?? false) },
    clock,
    log,
    publish: () => outcome(publications[calls.published++]),
  });
  return { clock, log, calls, stop };
}
const failed = ['the certificates of the control plane could not be renewed'];

test('a renewal that fails is logged and tried again soon', async () => {
  const { clock, log, calls } = scripted([new Error('the disk is full'), true], []);
  await clock.advance(12 * hourMs);
  expect(calls).toEqual({ renewed: 1, published: 0 });
  expect(log.errors).toEqual(failed);
  await clock.advance(10 * minuteMs);
  expect(calls).toEqual({ renewed: 2, published: 1 });
});

test('new certificates that could not be published are published at the next attempt', async () => {
  const { clock, log, calls } = scripted([true, false, false], [new Error('the disk is full')]);
  await clock.advance(12 * hourMs);
  expect(log.errors).toEqual(failed);
  await clock.advance(10 * minuteMs);
  expect(calls).toEqual({ renewed: 2, published: 2 });
  await clock.advance(12 * hourMs);
  expect(calls).toEqual({ renewed: 3, published: 2 });
  expect(log.errors).toEqual(failed);
});

test('nothing is scheduled after the end, not even by a check that was running', async () => {
  const { clock, stop } = scripted([true], []);
  const advanced = clock.advance(12 * hourMs);
  stop();
  await advanced;
  expect(clock.pending).toBe(0);
});
