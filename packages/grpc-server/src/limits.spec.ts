import { readFileSync } from 'node:fs';
import { getDefaultHighWaterMark } from 'node:stream';
import { callLimits, dataTypes, defaultLimits } from '@flotilla/cloudevents';
import { describe, expect, it } from 'vitest';
import * as limits from './limits.ts';

const page = readFileSync(new URL('../../../docs/reference/grpc-server-limits.md', import.meta.url), 'utf8');
const rowsOf = (title: string): string[][] => {
  const [, section = ''] = page.split(`## ${title}\n`);
  const [table = ''] = section.split('\n## ');
  const lines = table.split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
};

function shown(name: string, value: number): string {
  if (name.endsWith('Ms')) return `${value / 1000} s`;
  if (!/bytes/i.test(name)) return value.toLocaleString('en');
  return value < 1024 * 1024 ? `${value / 1024} KiB` : `${value / 1024 / 1024} MiB`;
}

const ratesOf = (table: Record<string, limits.Rate>) =>
  Object.entries(table).map(([name, { perSecond, burst, what }]) => [
    `\`${name}\``,
    `${shown(name, perSecond)} a second after ${shown(name, burst)}`,
    what,
  ]);
const valuesOf = (table: Record<string, number>) =>
  Object.entries(table).map(([name, value]) => [`\`${name}\``, shown(name, value)]);
const quotasOf = (table: Record<string, limits.Quota>) =>
  Object.entries(table).map(([name, { max, what }]) => [`\`${name}\``, shown(name, max), what]);

describe('the page docs/reference/grpc-server-limits.md', () => {
  it.each([
    ['Each cluster', [...ratesOf(limits.clusterRates), ...quotasOf(limits.clusterQuotas)]],
    ['A user that is not the agent of a cluster', [...ratesOf(limits.userRates), ...quotasOf(limits.userQuotas)]],
    ['An address', ratesOf(limits.peerRates)],
    ['All new addresses', ratesOf(limits.strangerRates)],
  ])('lists what there is for: %s', (title, expected) => {
    expect(rowsOf(title)).toEqual(expected);
  });

  it('lists the sizes of events', () => {
    expect(rowsOf('Each event').map(([resource, bytes]) => [resource, bytes])).toEqual(
      Object.entries(limits.maxDataBytes).map(([resource, bytes]) => [`\`${resource}\``, shown('bytes', bytes)]),
    );
  });

  it('lists the limits of each call', () => {
    expect(rowsOf('Each call').map(([name, value]) => [name, value])).toEqual(valuesOf(callLimits));
  });

  it('lists each other number that the module exports', () => {
    const numbers = Object.entries(limits).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
    const listed = rowsOf('Other limits').map(([name, value]) => [name, value]);
    expect(listed.toSorted()).toEqual(valuesOf(Object.fromEntries(numbers)).toSorted());
  });

  it('lists the limits of connections', () => {
    const { maxSendBytes: _unbounded, ...bounded } = defaultLimits;
    expect(rowsOf('Connections').map(([name, value]) => [name, value])).toEqual(valuesOf(bounded));
  });

  it('adds up what one cluster can hold', () => {
    const [, section = ''] = page.split('## What one cluster can hold\n');
    const listed = [...section.matchAll(/^\| ([^|]+) \| [^|]* \| (\d+) \|$/gm)].map(([, , mebibytes]) =>
      Number(mebibytes),
    );
    const sums = worstOfCluster();
    expect(listed).toEqual([...sums, sums.reduce((sum, each) => sum + each)]);
  });
});

/** The rows of the table, in MiB. Sizes of what the limits do not name are estimates, as in the table. */
function worstOfCluster(): number[] {
  const KiB = 1024;
  const { clusterQuotas: quotas, clusterRates: rates } = limits;
  const largest = Math.max(...Object.values(limits.maxDataBytes));
  // So many frames are read or written ahead of whoever handles them.
  const framesAhead = getDefaultHighWaterMark(true);
  const readAhead = defaultLimits.maxMessageBytes + framesAhead * callLimits.maxFrameBytes;
  const tokens = rates.tokens.burst + (rates.tokens.perSecond * defaultLimits.maxConnectionAgeMs * 1.1) / 1000;
  return [
    quotas.messages.max * defaultLimits.maxMessageBytes + quotas.heldBytes.max,
    quotas.streams.max * (callLimits.maxUnsentBytes + largest + limits.maxQueued * 64),
    Object.keys(dataTypes).length * limits.maxQueued * 512,
    tokens * 18 * KiB,
    quotas.uploads.max * readAhead + quotas.forwardBytes.max,
    (quotas.forwards.max * framesAhead * callLimits.maxFrameBytes) / 2,
    quotas.tunnels.max * readAhead,
    quotas.storedRequests.max * limits.maxDataBytesOf({ resource: 'certificatesigningrequests' }),
    quotas.largeStatusBytes.max,
    limits.maxDecisions * 16 * KiB,
    callLimits.maxRecentEvents * 4 * KiB,
    quotas.calls.max * 8 * KiB + quotas.connections.max * 128 * KiB,
  ].map((bytes) => Math.round(bytes / KiB / KiB));
}
