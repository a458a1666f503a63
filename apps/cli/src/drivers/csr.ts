import { X509Certificate } from 'node:crypto';
import { DataKey } from '@flotilla/api-types';
import { csrDriver } from '@flotilla/driver-csr';
import { bindDriver } from '@flotilla/registration-core/agent';
import { kubeconfigServer } from './kubeconfig-server.ts';
import type { RegistrationDriver } from './registration-driver.ts';

/** Client certificates by CertificateSigningRequests. */
export const csr: RegistrationDriver = {
  driver: csrDriver,
  init: {
    entry: async ({ autoApprovedCsrIdentities: users }, _hub, earlier) => ({
      ...earlier,
      authType: 'csr',
      ...(users && { csr: { autoApprovedIdentities: [...users] } }),
    }),
    settings({ csr: { autoApprovedIdentities: users = [] } = {} }) {
      return { flags: { ...(users.length > 0 && { 'auto-approved-csr-users': users.join(',') }) } };
    },
    joinFlags: () => [],
  },
  join: {
    entry: async () => ({ authType: 'csr' }),
    settings: () => ({ flags: {} }),
    hasCredentials: hasCurrentCertificate,
    serverOf: kubeconfigServer,
    bind: ({ clientCertExpirationSeconds = 0 }) =>
      bindDriver(csrDriver, {
        bootstrapKubeconfig: 'kubeconfig',
        bootstrapKubeconfigs: [],
        clientCertExpirationSeconds,
      }),
  },
};

/** Whether a stored client certificate has not ended. */
export function hasCurrentCertificate(stored: Readonly<Record<string, string>>, now: number): boolean {
  try {
    return new X509Certificate(stored[DataKey.TlsCertificate] ?? '').validToDate.getTime() > now;
  } catch {
    return false;
  }
}
