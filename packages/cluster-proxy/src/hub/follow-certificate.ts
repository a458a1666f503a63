import { ClusterProxyApi } from '@flotilla/api-types';
import { type Informers, runControllers } from '@flotilla/kube';
import { servingCertificateController } from '@flotilla/kube/admission';
import type { ServingPair } from '@flotilla/kube/pki';
import type { RunClusterProxyInput } from './run-cluster-proxy.ts';

/** Hands out the certificate that all replicas share, first and whenever there is a new one, until the signal aborts. */
export type ServingSource = (use: (pair: ServingPair) => void, signal: AbortSignal) => Promise<void>;

type CertificateInput = Pick<
  RunClusterProxyInput,
  'namespace' | 'serving' | 'certificateLifeMs' | 'clock' | 'log' | 'metrics' | 'signal'
>;

/** Hands out the certificate of the API: the first one, and those that come. */
export function followCertificate(
  input: CertificateInput,
  informers: Informers,
  serverName: string,
  onPair: (pair: ServingPair) => void,
): { readonly first: Promise<ServingPair>; readonly running: Promise<void> } {
  const { promise: first, resolve } = Promise.withResolvers<ServingPair>();
  const use = (pair: ServingPair) => {
    onPair(pair);
    resolve(pair);
  };
  const source = input.serving ?? ownCertificate(input, informers, serverName);
  return { first, running: source(use, input.signal) };
}

/** Makes and renews a certificate of its own, and has the API server trust it. */
const ownCertificate =
  (
    { namespace, certificateLifeMs, clock, log, metrics }: CertificateInput,
    informers: Informers,
    serverName: string,
  ): ServingSource =>
  (use, signal) => {
    const controller = servingCertificateController({
      informers,
      secret: `${namespace}/${ClusterProxyApi.servingSecret}`,
      hosts: [serverName],
      validating: [],
      mutating: [],
      apiServices: [ClusterProxyApi.apiService],
      ...(certificateLifeMs !== undefined && { lifeMs: certificateLifeMs }),
      use,
      clock,
    });
    return runControllers([controller], { signal, clock, log, ...(metrics && { metrics }) });
  };
