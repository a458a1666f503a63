import { of } from 'rxjs';
import type { Clock } from '../clock/clock.ts';
import { type Controller, defineController } from '../controller/controller.ts';
import { after, type Result } from '../controller/result.ts';
import { on } from '../controller/watch.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { CachedResource } from '../informer/informer.ts';
import type { Informers } from '../informer/informers.ts';
import {
  apiServices,
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  secrets,
  validatingWebhookConfigurations,
} from '../kinds/built-in-kinds.ts';
import type {
  APIService,
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
} from '../kinds/built-in-types.ts';
import type { ObjectKey } from '../meta/keys.ts';
import { splitKey } from '../meta/keys.ts';
import { makeServingPair, renewalTime, type ServingPair } from '../pki/serving-pair.ts';

/** Whose certificate it is, and who must trust it. */
export interface ServingCertificateOptions {
  readonly informers: Informers;
  /** `namespace/name` of the Secret that all replicas share. It is made if it is not there. */
  readonly secret: ObjectKey;
  /** Names by which the API server calls the webhooks. */
  readonly hosts: readonly string[];
  /** Names of the configurations that carry the CA bundle; those that do not exist are left alone until they do. */
  readonly validating: readonly string[];
  readonly mutating: readonly string[];
  /** Names of CustomResourceDefinitions whose conversion webhook is served here; one that has none is left alone. */
  readonly converting?: readonly string[];
  /** Names of APIServices that are served here, for a program that serves an API and no webhooks. */
  readonly apiServices?: readonly string[];
  /** How long a certificate lives; it is replaced after two thirds. Default 30 days. */
  readonly lifeMs?: number;
  /** Serve with this pair from now on. Called when every configuration trusts it, first and at each change. */
  readonly use: (pair: ServingPair) => void;
  readonly clock: Clock;
}

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
const dayMs = 86_400_000;

/**
 * Keeps the serving certificate of webhooks: makes it, renews it, and puts its authorities into the webhook configurations
 * before it is served. Every replica runs it: the first one renews, the others follow the Secret.
 */
export function servingCertificateController(options: ServingCertificateOptions): Controller {
  const { informers, secret: key, hosts, use, clock, lifeMs = 30 * dayMs } = options;
  const { namespace = '', name } = splitKey(key);
  const stored = informers.resource(secrets, { namespace, fieldSelector: `metadata.name=${name}` });
  // A program that serves no webhooks has no right to read their configurations.
  const validating = options.validating.length > 0 ? informers.resource(validatingWebhookConfigurations) : undefined;
  const mutating = options.mutating.length > 0 ? informers.resource(mutatingWebhookConfigurations) : undefined;
  const converting = (options.converting ?? []).map((definition) => ({
    definition,
    cache: informers.resource(customResourceDefinitions, { fieldSelector: `metadata.name=${definition}` }),
  }));
  const aggregated = (options.apiServices ?? []).map((service) => ({
    service,
    cache: informers.resource(apiServices, { fieldSelector: `metadata.name=${service}` }),
  }));
  const isOurs = ({ key: changed }: { key: string }) =>
    options.validating.includes(changed) || options.mutating.includes(changed);
  const toSecret = () => key;
  let serving = '';

  return defineController({
    name: 'webhook-certificate',
    // The key itself: nothing else may be there yet to wake it.
    watches: [
      on(of(key)),
      on(stored),
      ...(validating ? [on(validating, toSecret, isOurs)] : []),
      ...(mutating ? [on(mutating, toSecret, isOurs)] : []),
      ...converting.map(({ cache }) => on(cache, toSecret)),
      ...aggregated.map(({ cache }) => on(cache, toSecret)),
    ],
    async reconcile(): Promise<Result> {
      const secret = stored.get(key);
      let pair = pairOf(secret);
      let renewAt = renewalTime(pair, hosts, clock.now());
      if (renewAt === undefined || renewAt <= clock.now()) {
        pair = await makeServingPair(hosts, { now: clock.now(), lifeMs, previous: pair.ca });
        renewAt = renewalTime(pair, hosts, clock.now());
        if (renewAt === undefined || renewAt <= clock.now()) throw unusable(hosts, lifeMs);
        await store(stored, key, secret, pair);
      }
      for (const configuration of options.validating) await trust(validating, configuration, pair.ca);
      for (const configuration of options.mutating) await trust(mutating, configuration, pair.ca);
      for (const { cache, service } of aggregated) await trustApiService(cache, service, pair.ca);
      for (const { cache, definition } of converting) await trustConversion(cache, definition, pair.ca);
      if (serving !== pair.certificate) use(pair);
      serving = pair.certificate;
      return after(renewAt - clock.now(), 'the serving certificate is renewed');
    },
  });
}

/** Thrown, so that the next try waits longer each time, and nothing is stored that would be replaced at once. */
const unusable = (hosts: readonly string[], lifeMs: number): KubeError =>
  new KubeError('Config', `a new serving certificate for ${hosts.join(', ')} cannot be used`, {
    hint: `Each host must be a DNS name or an IP address, and ${lifeMs / 1000} s of life must be left when it is made.`,
  });

const decoded = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString('utf8');
const encoded = (text: string): string => Buffer.from(text).toString('base64');

const pairOf = (secret: Secret | undefined): ServingPair => ({
  certificate: decoded(secret?.data?.['tls.crt']),
  key: decoded(secret?.data?.['tls.key']),
  ca: decoded(secret?.data?.['ca.crt']),
});

/** Of two replicas that renew at once one gets a conflict, and follows the other at its next reconcile. */
async function store(
  cache: CachedResource<Secret>,
  key: ObjectKey,
  current: Secret | undefined,
  { certificate, key: privateKey, ca }: ServingPair,
): Promise<void> {
  const data = { 'tls.crt': encoded(certificate), 'tls.key': encoded(privateKey), 'ca.crt': encoded(ca) };
  if (current) await cache.replace({ ...current, data });
  else await cache.create({ metadata: splitKey(key), type: 'kubernetes.io/tls', data });
}

async function trustConversion(
  cache: CachedResource<CustomResourceDefinition>,
  name: string,
  ca: string,
): Promise<void> {
  const { metadata, spec } = cache.get(name) ?? {};
  const caBundle = encoded(ca);
  const client = spec?.conversion?.strategy === 'Webhook' ? spec.conversion.webhook?.clientConfig : undefined;
  if (!client || client.caBundle === caBundle) return;
  const conversion = { webhook: { clientConfig: { caBundle } } };
  const { resourceVersion } = metadata ?? {};
  await cache.patch(name, { type: 'merge', body: { metadata: { resourceVersion }, spec: { conversion } } });
}

async function trustApiService(cache: CachedResource<APIService>, name: string, ca: string): Promise<void> {
  const { metadata, spec } = cache.get(name) ?? {};
  const caBundle = encoded(ca);
  if (!spec?.service || spec.caBundle === caBundle) return;
  const { resourceVersion } = metadata ?? {};
  await cache.patch(name, { type: 'merge', body: { metadata: { resourceVersion }, spec: { caBundle } } });
}

async function trust<T extends Configuration>(
  cache: CachedResource<T> | undefined,
  name: string,
  ca: string,
): Promise<void> {
  const configuration = cache?.get(name);
  const caBundle = encoded(ca);
  const stale = configuration?.webhooks?.some(({ clientConfig }) => clientConfig.caBundle !== caBundle);
  if (!cache || !configuration || !stale) return;
  const webhooks = configuration.webhooks?.map((webhook) => ({
    ...webhook,
    clientConfig: { ...webhook.clientConfig, caBundle },
  }));
  const { resourceVersion } = configuration.metadata ?? {};
  await cache.patch(name, { type: 'merge', body: { metadata: { resourceVersion }, webhooks } });
}
