import { describe, expect, it } from 'vitest';
import { formatProblem } from './formats.ts';

// What kube-apiserver v1.36 accepts; e2e/api-types compares the same values with a real one.
const cases: Record<string, { good: string[]; bad: string[] }> = {
  byte: { good: ['aGk=', 'AAAA', 'AA=='], bad: ['', 'abc', 'a-_=', 'AA==AA=='] },
  date: { good: ['2024-02-29', '0001-01-01'], bad: ['2023-02-29', '2024-13-01', '2024-1-1', '24-01-01'] },
  'date-time': {
    good: ['2026-01-31T12:00:00Z', '2026-01-31t12:00:00.5z', '2026-01-31T12:00:00+99:99'],
    bad: ['2026-01-31', '2026-01-31 12:00:00Z', '2026-01-31T24:00:00Z', '2026-01-31T12:00:60Z', '2026-01-31T12:00:00'],
  },
  duration: { good: ['1h30m', '0', '-1.5s', '2 days', '3 weeks', '10ms'], bad: ['', '1', 'day', '5 parsecs'] },
  ipv4: { good: ['10.0.0.1', '010.1.2.3', '::ffff:1.2.3.4'], bad: ['10.0.0', '1.2.3.256', '::1'] },
  ipv6: { good: ['::1', 'fe80::1'], bad: ['10.0.0.1', 'fe80::1%eth0'] },
  cidr: { good: ['10.0.0.0/8', '::/0'], bad: ['10.0.0.0', '10.0.0.0/33', '::/129'] },
  hostname: { good: ['a', 'example.com', 'm-host'], bad: ['', 'my-host', '-a', 'a_b', 'example.c'] },
  uri: { good: ['https://example.com/a', '/path'], bad: ['', 'example.com', 'a b'] },
  email: { good: ['a@example.com', 'A <a@example.com>'], bad: ['a', '@example.com', 'a@'] },
  mac: { good: ['01:23:45:67:89:ab', '0123.4567.89ab'], bad: ['01:23:45:67:89', '01:23-45:67:89:ab'] },
  uuid: { good: ['9B2F8C1E-0000-4000-8000-000000000000', '9b2f8c1e000040008000000000000000'], bad: ['9b2f8c1e'] },
  uuid4: { good: ['9b2f8c1e-0000-4000-8000-000000000000'], bad: ['9b2f8c1e-0000-3000-8000-000000000000'] },
  hexcolor: { good: ['#fff', 'A0B1C2'], bad: ['#ffff', 'red'] },
  rgbcolor: { good: ['rgb(0, 12,255)'], bad: ['rgb(0,0,256)', 'rgb(0,0)'] },
  isbn: { good: ['0-321-75104-3', '978-0321751041'], bad: ['0-321-75104-4', '978-0321751042'] },
  creditcard: { good: ['4111 1111 1111 1111'], bad: ['4111 1111 1111 1112', '12'] },
  ssn: { good: ['078-05-1120'], bad: ['078051120', '078-05-112'] },
  bsonobjectid: { good: ['507f1f77bcf86cd799439011'], bad: ['507f'] },
  password: { good: ['', 'anything'], bad: [] },
  'a format that nobody defined': { good: ['', 'anything'], bad: [] },
};

describe.each(Object.entries(cases))('format %s', (format, { good, bad }) => {
  it.each(good)('accepts %j', (text) => {
    expect(formatProblem(format, text)).toBeUndefined();
  });
  if (bad.length > 0) {
    it.each(bad)('refuses %j', (text) => {
      expect(formatProblem(format, text)).toBeTypeOf('string');
    });
  }
});
