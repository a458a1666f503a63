import { realClock } from '@flotilla/kube';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';
import { expect, it } from 'vitest';
import { servingAuthorities } from './serving-ca.policy.ts';

const authority = (name: string) => createAuthority(name, realClock);
const [first, next, ofUser] = await Promise.all([authority('first'), authority('next'), authority('of the user')]);
const serving = async (authority = first) =>
  (await issueCertificate(authority, { usage: 'server', hosts: ['hub'] }, realClock)).certificate;
const bundle = (...authorities: readonly { certificate: string }[]) =>
  authorities.map(({ certificate }) => `${certificate.trim()}\n`).join('');

it('announces the authorities of clients, the next one included, where one of them signed the server', async () => {
  const clientCa = bundle(next, first);
  expect(servingAuthorities({ certificate: await serving(), clientCa })).toBe(clientCa);
});

it('announces ca.crt and no authority of clients where another one signed the server', async () => {
  const certificate = await serving(ofUser);
  const ca = bundle(ofUser, next);
  expect(servingAuthorities({ certificate, ca, clientCa: bundle(first) })).toBe(ca);
});

it('names each authority once', async () => {
  const given = { certificate: await serving(), ca: bundle(first, ofUser), clientCa: bundle(first) };
  expect(servingAuthorities(given)).toBe(bundle(first, ofUser));
});

it('announces nothing where the authority is not known', async () => {
  expect(servingAuthorities({ certificate: await serving(ofUser), clientCa: bundle(first) })).toBeUndefined();
});
