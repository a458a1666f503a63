import { featureGateChoices, SecretName, ServiceName } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import {
  defineOptions,
  featureGatesOption,
  kubeOptions,
  leaderElectionOptions,
  processOptions,
} from '@flotilla/process';
import { manifestLimitOption } from '@flotilla/work-manager';
import { type WebhookServerName, webhookServers } from '../webhook-routes.ts';

const port = { type: 'integer', min: 0, max: 65_535, group: 'Webhooks' } as const;

/** The flags of `flotilla-hub webhook-server`: OCM's, and those of certificates that manage themselves. */
export const webhookOptions = defineOptions({
  ...kubeOptions,
  namespace: leaderElectionOptions.namespace,
  bindAddress: { type: 'string', default: '0.0.0.0', group: 'Webhooks', description: 'Address of the ports below.' },
  port: { ...port, default: 9443, description: 'Port of the webhooks, HTTPS.' },
  metricsPort: {
    ...port,
    default: 8080,
    description: 'Port of /metrics, HTTPS unless the address is loopback; 0 for none.',
  },
  healthProbePort: { ...port, default: 8000, description: 'Port of /healthz and /readyz, HTTP; 0 for none.' },
  webhooks: {
    type: 'list',
    default: [...webhookServers],
    group: 'Webhooks',
    description: `Which webhooks are served here, of ${webhookServers.join(', ')}. OCM serves each by a program of its own.`,
  },
  certdir: {
    type: 'string',
    group: 'Webhooks',
    description:
      'Directory with tls.crt and tls.key, read again when they change. Without it: certificates of its own.',
  },
  servingSecret: {
    type: 'string',
    default: SecretName.RegistrationWebhookServingCert,
    group: 'Webhooks',
    description: 'Secret that keeps the certificate of its own, for all replicas.',
  },
  servingHosts: {
    type: 'list',
    group: 'Webhooks',
    description: `Names in that certificate. Without it: those of the services in OCM, ${ServiceName.RegistrationWebhook}.NAMESPACE.svc and so on.`,
  },
  servingLifetime: {
    type: 'duration',
    default: '720h',
    min: '1m',
    group: 'Webhooks',
    description: 'How long such a certificate lives; it is replaced after two thirds.',
  },
  shutdownDelayDuration: {
    type: 'duration',
    default: '0s',
    group: 'Webhooks',
    description: 'How long it answers after SIGTERM, until API servers have noticed that this replica ends.',
  },
  manifestLimit: manifestLimitOption,
  // It has ports of its own for that.
  listen: { ...processOptions.listen, default: '0' },
  featureGates: featureGatesOption(featureGateChoices('hub-registration', 'hub-work')),
});

/** The servers that `--webhooks` names. */
export function enabledWebhooks(names: readonly string[]): readonly WebhookServerName[] {
  const isKnown = (name: string): name is WebhookServerName => webhookServers.some((server) => server === name);
  const unknown = names.find((name) => !isKnown(name));
  if (unknown !== undefined) {
    throw new KubeError('Config', `--webhooks names "${unknown}", which this hub does not have`, {
      hint: `The webhooks are ${webhookServers.join(', ')}.`,
    });
  }
  return names.filter(isKnown);
}
