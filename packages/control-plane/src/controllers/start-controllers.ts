import {
  type CachedResource,
  type Clock,
  createInformers,
  createKubeClient,
  type Informers,
  type Logger,
  runControllers,
} from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import type { Observable } from 'rxjs';
import type { ApiHandler } from '../contracts/exchange.ts';
import type { Registry } from '../contracts/resource-info.ts';
import type { Storage } from '../contracts/storage.ts';
import { inProcessTransport } from '../server/in-process-transport.ts';
import type { SystemObject } from '../system-objects/system-objects.ts';
import { admissionPolicyStatus } from './admission-policy-status.controller.ts';
import { apiServiceController } from './api-services.controller.ts';
import { bootstrapSigner } from './bootstrap-signer.controller.ts';
import { bootstrapTokenCleaning } from './bootstrap-tokens.controller.ts';
import { certificateCleaning } from './certificates/cleaning.controller.ts';
import { type CertificateSigner, certificateSigning } from './certificates/signing.controller.ts';
import { clusterRoleAggregation } from './cluster-role-aggregation.controller.ts';
import type { ControllerContext } from './context.ts';
import { customResourceCleanup } from './custom-resource-cleanup.controller.ts';
import { expireEvents } from './event-expiry.ts';
import { flowSchemaController } from './flow-schemas.controller.ts';
import { garbageCollector } from './garbage-collector/garbage-collector.controller.ts';
import { defaultServiceAccounts } from './namespaces/default-service-account.controller.ts';
import { namespaceController } from './namespaces/namespace.controller.ts';
import { rootCaPublisher } from './namespaces/root-ca.controller.ts';
import { createSystemNamespaces, systemNamespaceController } from './namespaces/system-namespaces.controller.ts';
import { createObjectFeed } from './object-feed.ts';
import { resourceQuotaController } from './resource-quota.controller.ts';
import { systemObjectsController } from './system-objects.controller.ts';

export interface ControllersOptions {
  readonly handler: ApiHandler;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
  /** PEM of the CA of the API server, published in each namespace. */
  readonly rootCa: () => string;
  /** Emits when the CA was renewed. */
  readonly renewed?: Observable<void>;
  /** Signs approved certificate signing requests. */
  readonly sign: CertificateSigner;
  /** Objects that come back when they are deleted or changed. Default: none. */
  readonly systemObjects?: () => readonly SystemObject[];
  readonly newUid: () => string;
}

export interface RunningControllers {
  /** Ends them; resolves when running work is done. */
  close(): Promise<void>;
  /** Resolves when the namespaces are there that every cluster has. */
  readonly ready: Promise<void>;
  /** Why the controllers are not healthy; undefined while they are. */
  error(): string | undefined;
}

/** The user of the controllers' requests. */
const user = { name: 'system:kube-controller-manager', groups: ['system:masters', 'system:authenticated'] };

/** Starts the controllers of kube-controller-manager on which users of the API rely. */
export function startControllers(options: ControllersOptions): RunningControllers {
  const { handler, storage, registry, clock, log } = options;
  const transport = inProcessTransport(handler, user);
  const client = createKubeClient({ transport, clock, log, fieldManager: 'kube-controller-manager' });
  const informers = createInformers({ client, clock, log });
  const feed = createObjectFeed(storage, registry);
  const caches: CachedResource<KubeObject>[] = [];
  const context: ControllerContext = {
    client,
    informers: recordCaches(informers, (cache) => caches.push(cache)),
    storage,
    registry,
    feed,
    clock,
    log,
  };
  const stop = new AbortController();
  const stopExpiry = expireEvents({ storage, clock, log });
  const controllers = [
    systemNamespaceController(context),
    namespaceController(context),
    defaultServiceAccounts(context),
    rootCaPublisher(context, options),
    garbageCollector(context),
    customResourceCleanup(context),
    certificateSigning(context, options.sign),
    certificateCleaning(context),
    bootstrapTokenCleaning(context),
    bootstrapSigner(context),
    clusterRoleAggregation(context),
    resourceQuotaController(context),
    admissionPolicyStatus(context),
    apiServiceController(context),
    flowSchemaController(context),
    systemObjectsController(context, options, options.systemObjects ?? (() => [])),
  ];
  const finished = runControllers(controllers, { signal: stop.signal, clock, log });
  const ready = createSystemNamespaces(client);
  let failure: string | undefined;
  // An unhandled rejection would end the process.
  ready.catch((error) => log.error('the system namespaces could not be created', { error }));
  finished.catch((error) => {
    failure = `the controllers ended: ${error instanceof Error ? error.message : error}`;
    log.error('the controllers ended', { error });
  });
  return {
    ready,
    error: () => failure ?? caches.map(cacheError).find((message) => message !== undefined),
    async close() {
      stopExpiry();
      stop.abort();
      await finished.catch(() => undefined);
      informers.close();
      await client.close();
    },
  };
}

/** The same informers; reports each cache that a controller uses. */
const recordCaches = (informers: Informers, onCache: (cache: CachedResource<KubeObject>) => void): Informers => {
  const recorded = <T extends KubeObject>(cache: CachedResource<T>): CachedResource<T> => {
    onCache(cache);
    return cache;
  };
  return {
    ...informers,
    resource: (type, options) => recorded(informers.resource(type, options)),
    metadata: (type, options) => recorded(informers.metadata(type, options)),
  };
};

function cacheError({ resource, synced, lastError }: CachedResource<KubeObject>): string | undefined {
  if (lastError) return lastError.message;
  return synced ? undefined : `${resource.type.plural} are not listed yet`;
}
