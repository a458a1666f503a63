import type { KubeObject } from '@flotilla/api-types';
import {
  type CachedResource,
  type Clock,
  createInformers,
  createKubeClient,
  type Informers,
  type Logger,
  runControllers,
} from '@flotilla/kube';
import type { Registry } from '../schema/resource-info.ts';
import type { ApiHandler } from '../server/exchange.ts';
import { inProcessTransport } from '../server/in-process-transport.ts';
import type { Storage } from '../storage/storage.ts';
import { bootstrapTokenCleaning } from './bootstrap-tokens.controller.ts';
import { certificateCleaning } from './certificates/cleaning.controller.ts';
import { type CertificateSigner, certificateSigning } from './certificates/signing.controller.ts';
import { clusterRoleAggregation } from './cluster-role-aggregation.controller.ts';
import type { ControllerContext } from './context.ts';
import { customResourceCleanup } from './custom-resource-cleanup.controller.ts';
import { expireEvents } from './event-expiry.ts';
import { garbageCollector } from './garbage-collector/garbage-collector.controller.ts';
import { defaultServiceAccounts } from './namespaces/default-service-account.controller.ts';
import { namespaceController } from './namespaces/namespace.controller.ts';
import { rootCaPublisher } from './namespaces/root-ca.controller.ts';
import { createSystemNamespaces, systemNamespaceController } from './namespaces/system-namespaces.controller.ts';
import { createObjectFeed } from './object-feed.ts';

export interface ControllersOptions {
  readonly handler: ApiHandler;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
  /** PEM of the CA of the API server, published in each namespace. */
  readonly rootCa: string;
  /** Signs approved certificate signing requests. */
  readonly sign: CertificateSigner;
}

export interface RunningControllers {
  /** Ends them; resolves when running work is done. */
  close(): Promise<void>;
  /** Resolves when the namespaces are there that every cluster has. */
  readonly ready: Promise<void>;
  /** Why they do not work, for health; undefined while they do. */
  problem(): string | undefined;
}

/** Whom the API sees at work. */
const user = { name: 'system:kube-controller-manager', groups: ['system:masters', 'system:authenticated'] };

/** The controllers that a cluster has and that its users notice. */
export function startControllers(options: ControllersOptions): RunningControllers {
  const { handler, storage, registry, clock, log } = options;
  const transport = inProcessTransport(handler, user);
  const client = createKubeClient({ transport, clock, log, fieldManager: 'kube-controller-manager' });
  const informers = createInformers({ client, clock, log });
  const feed = createObjectFeed(storage, registry);
  const caches: CachedResource<KubeObject>[] = [];
  const context: ControllerContext = {
    client,
    informers: noting(informers, (cache) => caches.push(cache)),
    storage,
    registry,
    feed,
    clock,
    log,
  };
  const stop = new AbortController();
  const stopExpiry = expireEvents(storage, clock);
  const controllers = [
    systemNamespaceController(context),
    namespaceController(context),
    defaultServiceAccounts(context),
    rootCaPublisher(context, options.rootCa),
    garbageCollector(context),
    customResourceCleanup(context),
    certificateSigning(context, options.sign),
    certificateCleaning(context),
    bootstrapTokenCleaning(context),
    clusterRoleAggregation(context),
  ];
  const finished = runControllers(controllers, { signal: stop.signal, clock, log });
  const ready = createSystemNamespaces(client);
  let failure: string | undefined;
  // A failure that nobody waits for must not end the process.
  ready.catch((error) => log.error('the system namespaces could not be created', { error }));
  finished.catch((error) => {
    failure = `the controllers ended: ${error instanceof Error ? error.message : error}`;
    log.error('the controllers ended', { error });
  });
  return {
    ready,
    problem: () => failure ?? caches.map(cacheProblem).find((problem) => problem !== undefined),
    async close() {
      stopExpiry();
      stop.abort();
      await finished.catch(() => undefined);
      informers.close();
      await client.close();
    },
  };
}

/** The same caches, with each noted that somebody asks for. */
const noting = (informers: Informers, note: (cache: CachedResource<KubeObject>) => void): Informers => {
  const noted = <T extends KubeObject>(cache: CachedResource<T>): CachedResource<T> => {
    note(cache);
    return cache;
  };
  return {
    ...informers,
    resource: (type, options) => noted(informers.resource(type, options)),
    metadata: (type, options) => noted(informers.metadata(type, options)),
  };
};

function cacheProblem({ resource, synced, problem }: CachedResource<KubeObject>): string | undefined {
  if (problem) return problem.message;
  return synced ? undefined : `${resource.type.plural} are not listed yet`;
}
