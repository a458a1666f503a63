import { join } from 'node:path';
import { realClock } from '@flotilla/kube';
import { certificateSigningRequests, setApproval } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { createCertificateRequest, createKey } from '@flotilla/registration-core/certificates';
import { vi } from 'vitest';
import type { Server } from '../registration/servers.ts';

/** A user of a server with a certificate of its own: writes a kubeconfig, and gives its path. */
export async function userKubeconfig(
  { client, access }: Server,
  user: { readonly name: string; readonly groups: readonly string[] },
  directory: string,
): Promise<string> {
  const key = createKey();
  const { name, groups } = user;
  const subject = { user: name, groups, organizationUnits: [], dnsNames: [] };
  const request = await createCertificateRequest(key, subject);
  const requests = client.resource(certificateSigningRequests);
  const created = await requests.create({
    metadata: { name: `user-${name}` },
    spec: {
      signerName: 'kubernetes.io/kube-apiserver-client',
      request: Buffer.from(request).toString('base64'),
      usages: ['digital signature', 'client auth'],
    },
  });
  const approval = { type: 'Approved', reason: 'Test', message: 'for the test' } as const;
  await setApproval(client, created, approval, { now: realClock.now() });
  const signed = await vi.waitFor(
    async () => {
      const { status } = await requests.get(`user-${name}`);
      if (!status?.certificate) throw new Error(`the certificate of ${name} is not signed`);
      return status.certificate;
    },
    { timeout: 60_000, interval: 100 },
  );
  const certificate = Buffer.from(signed, 'base64').toString();
  const { server, ca } = access;
  const file = join(directory, `${name}.yaml`);
  const own = { server, ...(ca !== undefined && { ca }), clientCertificate: { certificate, key }, origin: name };
  await writeKubeconfig(file, kubeconfigFor(own));
  return file;
}
