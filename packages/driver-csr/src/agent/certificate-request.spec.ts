import { loadX509 } from '@flotilla/kube/pki';
import { expect, it } from 'vitest';
import { createCertificateRequest, createKey } from './certificate-request.ts';

const subjectOf = async (groups: readonly string[], organizationUnits: readonly string[] = []): Promise<string> => {
  const subject = { user: 'somebody', groups, organizationUnits, dnsNames: [] };
  const { Pkcs10CertificateRequest } = await loadX509();
  return new Pkcs10CertificateRequest(await createCertificateRequest(createKey(), subject)).subject;
};

it.each([
  ['all groups are one part of the name, as in requests of OCM', ['bb', 'a'], [], 'O=a+O=bb, CN=somebody'],
  ['units are a part of their own', ['a'], ['v', 'u'], 'O=a, OU=u+OU=v, CN=somebody'],
  ['nobody has a part without values', [], [], 'CN=somebody'],
])('%s', async (_what, groups, units, name) => {
  expect(await subjectOf(groups, units)).toBe(name);
});
