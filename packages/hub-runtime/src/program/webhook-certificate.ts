import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { ServiceName } from '@flotilla/api-types';
import { convertedDefinitions, webhookNames } from '@flotilla/install';
import { createInformers, type KubeClient, runControllers } from '@flotilla/kube';
import { servingCertificateController } from '@flotilla/kube/admission';
import {
  componentNamespace,
  followServingCertificate,
  type ProcessContext,
  readServingCertificate,
  secureContextOf,
} from '@flotilla/process';
import type { webhookOptions } from './webhook-options.ts';

/** The names by which API servers know the webhooks: OCM has a server for each, here it is one. */
const services = [ServiceName.RegistrationWebhook, ServiceName.WorkWebhook, ServiceName.AddOnWebhook];

type Context = ProcessContext<typeof webhookOptions>;

/** Hands out the certificate to serve with, first and whenever there is a new one, until the signal aborts. */
export async function followCertificate(
  context: Context,
  client: KubeClient,
  use: (tls: SecureContextOptions) => void,
): Promise<void> {
  const { options, clock, log, signal, kitMetrics } = context;
  const { certdir, tlsMinVersion: minVersion, tlsCipherSuites: cipherSuites } = options;
  if (certdir) {
    const tls = { certFile: join(certdir, 'tls.crt'), keyFile: join(certdir, 'tls.key'), minVersion, cipherSuites };
    const current = await readServingCertificate(tls);
    use(current);
    return followServingCertificate({ tls, current, clock, log, signal }, use);
  }
  const namespace = await componentNamespace(options);
  const metrics = kitMetrics('hub');
  using informers = createInformers({ client, clock, log, metrics });
  const { servingHosts: hosts } = options;
  const controller = servingCertificateController({
    informers,
    secret: `${namespace}/${options.servingSecret}`,
    hosts: hosts.length > 0 ? hosts : services.map((service) => `${service}.${namespace}.svc`),
    ...webhookNames(),
    converting: convertedDefinitions(),
    lifeMs: options.servingLifetime,
    use: ({ certificate: cert, key }) => use(secureContextOf({ cert, key }, { minVersion, cipherSuites })),
    clock,
  });
  await runControllers([controller], { signal, clock, log, metrics });
}
