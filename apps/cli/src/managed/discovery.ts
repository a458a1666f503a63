import { ConfigMapName, NamespaceName } from '@flotilla/api-types';
import { waitFor } from '@flotilla/install';
import { type Clock, KubeError } from '@flotilla/kube';
import { type BootstrapToken, isSignedBy, signatureKey, signedKey } from '@flotilla/kube/bootstrap-token';
import { configMaps } from '@flotilla/kube/kinds';
import { parse } from 'yaml';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { pinnedCertificates } from '../hub-access/ca-pin.ts';

/** How a hub is asked who it is, before it is trusted. */
export interface Discovery {
  readonly server: string;
  /** In errors and as the origin of requests. */
  readonly serverFlag: string;
  readonly pins: readonly string[];
  readonly pinFlag: string;
  /** The token of the user, if it can sign. It is not sent: only its holders can tell whether a signature is by it. */
  readonly token?: BootstrapToken;
  /** Wait until the hub is signed by the token, and refuse it otherwise. Without it a signature must be right if there is one. */
  readonly signed?: DiscoveryWait;
  readonly proxyUrl?: string;
  readonly proxyCa?: string;
}

/** How long to wait for a signature. */
export interface DiscoveryWait {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onPending: (message: string) => void;
}

type DiscoveryContext = { readonly connector: Pick<CliContext['connector'], 'toServer'> };

/** What a server says about itself: nothing is believed yet. */
interface Published {
  readonly kubeconfig: string;
  readonly signature?: string;
}

/**
 * The CA of a hub, from what the hub itself publishes: read without credentials and without trust, verified by the signature of the
 * token and by the hash of the CA, and read again from a server that this CA vouches for. The token is not sent.
 */
export async function discoverCa(context: DiscoveryContext, discovery: Discovery): Promise<string | undefined> {
  const { pins, signed } = discovery;
  const published = await (signed ? signedInfo(context, discovery, signed) : readPublished(context, discovery));
  requireSignature(discovery, published);
  const ca = oneCa(discovery, published.kubeconfig);
  // The signature alone says that a holder of the token wrote this, which the holder of another copy of it can do, too.
  if (pins.length === 0 && signed) return ca;
  const pinned = pinnedCertificates(ca ?? '', pins);
  if (pinned === undefined) throw wrongCa(discovery);
  const verified = await readPublished(context, discovery, pinned).catch((error: unknown) => {
    throw explainUnverified(discovery, error);
  });
  if (verified.kubeconfig !== published.kubeconfig) {
    throw new CliError(
      'precondition',
      `${discovery.server} said something else about itself once its certificate was verified`,
      'The connection is intercepted, or the hub was changed at this moment: run it again, from another network if you can.',
    );
  }
  return pinned;
}

/** Waits for the signature: the hub writes it a moment after the token. */
function signedInfo(context: DiscoveryContext, discovery: Discovery, wait: DiscoveryWait): Promise<Published> {
  const { server, token } = discovery;
  return waitFor<Published>(
    {
      ...wait,
      intervalMs: 1000,
      goal: `${server} to be signed by the token`,
      hint: 'The token is unknown to this hub, has expired or cannot sign: get a new command with `flotilla token create --print-register-command` on the hub.',
    },
    async () => {
      const found = await readPublished(context, discovery);
      if (found.signature !== undefined) return { found };
      return { pending: `kube-public/cluster-info has no key ${signatureKey(token ?? { id: '' })} yet` };
    },
  );
}

/** Reads it as anyone may. Nothing secret is sent, so that it does not matter who answers. */
async function readPublished({ connector }: DiscoveryContext, discovery: Discovery, ca?: string): Promise<Published> {
  const { server, serverFlag, token, proxyUrl, proxyCa } = discovery;
  await using hub = await connector.toServer({
    server,
    ...(ca === undefined ? { insecureSkipTlsVerify: true } : { ca }),
    origin: serverFlag,
    ...(proxyUrl && { proxyUrl }),
    ...(proxyCa && { proxyCa }),
  });
  try {
    const key = `${NamespaceName.KubePublic}/${ConfigMapName.ClusterInfo}`;
    const { data } = await hub.client.resource(configMaps).get(key);
    const signature = token && data?.[signatureKey(token)];
    return { kubeconfig: data?.[signedKey] ?? '', ...(signature !== undefined && { signature }) };
  } catch (error) {
    if (!KubeError.is(error, 'NotFound', 'Forbidden', 'Unauthorized')) throw error;
    throw new CliError(
      'precondition',
      `${server} does not publish its CA to anonymous callers (ConfigMap kube-public/cluster-info)`,
      'Run `flotilla init` on the hub, which makes it readable, or copy the CA of the hub here and use `flotilla join --ca-file`. A proxy may have answered, too.',
      error,
    );
  }
}

function requireSignature({ server, token }: Discovery, { kubeconfig, signature }: Published): void {
  if (!token || signature === undefined || isSignedBy(kubeconfig, signature, token)) return;
  throw new CliError(
    'precondition',
    `what ${server} says about itself is not signed by this token, so it is not trusted and the token was not sent`,
    'The connection may be intercepted, or the token is another: get a new command with `flotilla token create --print-register-command` on the hub.',
  );
}

/** The CA of the one cluster; undefined if it names none. */
function oneCa({ server }: Discovery, kubeconfig: string): string | undefined {
  const clusters = clustersOf(kubeconfig);
  if (clusters.length !== 1) {
    throw new CliError(
      'precondition',
      `kube-public/cluster-info of ${server} has ${clusters.length} clusters, and should have one`,
      'Run `flotilla init` on the hub, which writes it.',
    );
  }
  const data = clusters[0]?.cluster?.['certificate-authority-data'];
  return data ? Buffer.from(data, 'base64').toString('utf8') : undefined;
}

interface ClusterEntry {
  readonly cluster?: { readonly 'certificate-authority-data'?: string };
}

function clustersOf(kubeconfig: string): readonly ClusterEntry[] {
  try {
    const document: { clusters?: ClusterEntry[] } | null = parse(kubeconfig);
    return Array.isArray(document?.clusters) ? document.clusters : [];
  } catch {
    return [];
  }
}

const wrongCa = ({ server, pinFlag }: Discovery): CliError =>
  new CliError(
    'precondition',
    `the CA of ${server} is not the one that the join command names (${pinFlag})`,
    'The connection may be intercepted, or the CA of the hub changed: get a new command with `flotilla get token` on the hub.',
  );

function explainUnverified({ server }: Discovery, error: unknown): unknown {
  if (!KubeError.is(error, 'Tls')) return error;
  return new CliError(
    'precondition',
    `the certificate of ${server} cannot be verified with the CA that it publishes, so the token was not sent: ${error.message}`,
    'Use an address that is in the certificate of the hub, or add this one to it. If it should be there, the connection may be intercepted.',
    error,
  );
}
