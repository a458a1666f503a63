import { LogReason } from '@flotilla/api-types';
import { type Clock, createKubeClient, KubeError, type Logger } from '@flotilla/kube';
import type { AgentDriver, BootstrapSource, HubEndpoint, HubOffer } from '../../contract/index.ts';
import { tryingOrder } from './hub-choice.policy.ts';

/** Among what to choose. */
export interface HubChoiceOptions {
  readonly driver: Pick<AgentDriver, 'bootstraps' | 'checkBootstrap'>;
  readonly clusterName: string;
  /** The hub of the stored credentials. */
  readonly current: HubEndpoint | undefined;
  /** Whether the stored credentials are good for the hub at an endpoint. */
  readonly isStoredFor: (endpoint: HubEndpoint) => boolean;
  /** Whether the hub at an endpoint accepts the cluster with the stored credentials now. Never rejects. */
  readonly acceptsStored: (endpoint: HubEndpoint) => Promise<boolean>;
  /** Address of the hub that was left for cause. */
  readonly avoid: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** One of several hubs. */
export interface HubChoice {
  readonly source: BootstrapSource;
  /** Its kubeconfig cannot be read, and it is the hub of the stored credentials only as far as is known. */
  readonly isGuess: boolean;
}

/**
 * The first hub that a cluster could join, the one it is on before all others. Throws if there is none. A hub for which there are
 * good credentials needs no bootstrap credentials, which live for an hour: the connection itself shows whether the hub is there. The hub
 * that was left must accept these credentials first.
 */
export async function chooseHub(options: HubChoiceOptions): Promise<HubChoice> {
  const { driver, current, isStoredFor, acceptsStored, avoid, log, clusterName } = options;
  const candidates = withStored(await Promise.all(driver.bootstraps.map(describe)), current);
  for (const index of tryingOrder(candidates, { stored: current?.server, avoid })) {
    const candidate = candidates[index];
    if (!candidate) continue;
    const { endpoint, origin, source, isGuess } = candidate;
    if (endpoint && isStoredFor(endpoint) && (endpoint.server !== avoid || (await acceptsStored(endpoint)))) {
      log.info('keeping the hub of the stored credentials', { origin });
      return { source, isGuess };
    }
    const offer = await offerOf(source, options);
    if (offer.kind === 'open') {
      log.info('chose a hub', { event: LogReason.BootstrapSelected, origin });
      return { source, isGuess };
    }
    log.warn('cannot join this hub', { origin, why: offer.message });
  }
  const origins = candidates.map(({ origin }) => origin).join(', ');
  throw new KubeError(
    'Unavailable',
    `no bootstrap kubeconfig in [${origins}] is available for managed cluster ${clusterName}`,
    { hint: 'The log says for each hub why; they are tried again.' },
  );
}

async function offerOf(source: BootstrapSource, { driver, clock, log, signal }: HubChoiceOptions): Promise<HubOffer> {
  const connection = source.open();
  try {
    return await driver.checkBootstrap(createKubeClient({ transport: connection.transport, clock, log }), signal);
  } finally {
    await connection.close();
  }
}

/** A candidate whose kubeconfig cannot be read is the hub of the stored credentials, if no other one is: the cluster joined by it. */
function withStored(candidates: readonly Candidate[], current: HubEndpoint | undefined): readonly Candidate[] {
  const index = candidates.findIndex(({ server }) => server === undefined);
  const unreadable = candidates[index];
  if (!unreadable || !current || candidates.some(({ server }) => server === current.server)) return candidates;
  return candidates.with(index, { ...unreadable, server: current.server, endpoint: current, isGuess: true });
}

interface Candidate extends HubChoice {
  /** Undefined if its kubeconfig cannot be read. */
  readonly server: string | undefined;
  readonly endpoint: HubEndpoint | undefined;
  readonly origin: string;
}

async function describe(source: BootstrapSource): Promise<Candidate> {
  try {
    const { endpoint, origin } = await source.current();
    return { source, server: endpoint.server, endpoint, origin, isGuess: false };
  } catch (error) {
    return { source, server: undefined, endpoint: undefined, origin: KubeError.from(error).message, isGuess: false };
  }
}
