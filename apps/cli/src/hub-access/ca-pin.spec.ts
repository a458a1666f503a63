import { startControlPlane } from '@flotilla/control-plane';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkPins, pinnedCertificates, pinsOf } from './ca-pin.ts';

/** The CA of a control plane, which no other one has. */
async function newCa(): Promise<string> {
  await using plane = await startControlPlane({ listen: false });
  return plane.ca;
}

describe('the hash of a CA', () => {
  let right: string;
  let wrong: string;
  beforeAll(async () => {
    right = await newCa();
    wrong = await newCa();
  });

  it('finds the certificate that it stands for', () => {
    const pins = pinsOf(right);
    expect(pins).toEqual([expect.stringMatching(/^sha256:[0-9a-f]{64}$/)]);
    expect(pinnedCertificates(right, pins)?.trim()).toBe(right.trim());
  });

  it('does not trust another certificate, also in the company of the right one', () => {
    expect(pinnedCertificates(wrong, pinsOf(right))).toBeUndefined();
    expect(pinnedCertificates(`${wrong}\n${right}`, pinsOf(right))?.trim()).toBe(right.trim());
  });

  it('is not found in nonsense', () => {
    expect(pinnedCertificates('', pinsOf(right))).toBeUndefined();
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    expect(pinnedCertificates(broken, pinsOf(right))).toBeUndefined();
  });

  it.each(['sha256:abc', 'md5:00', ''])('is refused if it is %j', (pin) => {
    expect(() => checkPins([pin])).toThrow('is not a hash of a CA');
  });
});
