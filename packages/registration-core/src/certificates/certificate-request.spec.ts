import { loadX509 } from '@flotilla/kube/pki';
import { expect, it } from 'vitest';
import { createCertificateRequest, createKey } from './certificate-request.ts';

const subjectOf = async (groups: readonly string[], organizationUnits: readonly string[] = []): Promise<string> => {
  const subject = { user: 'user', groups, organizationUnits, dnsNames: [] };
  const { Pkcs10CertificateRequest } = await loadX509();
  return new Pkcs10CertificateRequest(await createCertificateRequest(createKey(), subject)).subject;
};

it.each([
  ['all groups are one part of the name, as in requests of OCM', ['bb', 'a'], [], 'O=a+O=bb, CN=user'],
  ['units are a part of their own', ['a'], ['v', 'u'], 'O=a, OU=u+OU=v, CN=user'],
  ['a part without values is left out', [], [], 'CN=user'],
])('%s', async (_what, groups, units, name) => {
  expect(await subjectOf(groups, units)).toBe(name);
});
