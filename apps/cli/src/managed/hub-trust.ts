import { readFile } from 'node:fs/promises';
import { KubeError } from '@flotilla/kube';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { checkPins, pinnedCertificates } from '../hub/ca-pin.ts';
import { type ClusterInfo, readClusterInfo } from '../hub/cluster-info.ts';

/** How the hub is to be trusted. */
export interface HubTrust {
  readonly server: string;
  /** A PEM file. */
  readonly caFile?: string;
  /** Base64 of PEM. */
  readonly caData?: string;
  readonly caHashes: readonly string[];
  readonly proxyUrl?: string;
  /** PEM of the CA of a proxy that is reached by https. */
  readonly proxyCa?: string;
}

type HubContext = { readonly connector: Pick<CliContext['connector'], 'toServer'> };

/**
 * The CA to verify the hub with, before any secret is sent to it: from a file, or fetched without credentials and checked by the
 * hash in the join command. Undefined means the CAs that this machine trusts anyway.
 */
export async function trustedCa(context: HubContext, trust: HubTrust): Promise<string | undefined> {
  checkPins(trust.caHashes);
  const given = await givenCa(trust);
  if (trust.caHashes.length === 0) return given;
  const ca = given ?? (await anonymousClusterInfo(context, trust)).ca ?? '';
  const pinned = pinnedCertificates(ca, trust.caHashes);
  if (pinned !== undefined) return pinned;
  throw new CliError(
    'precondition',
    `the CA of ${trust.server} is not the one that the join command names (--hub-ca-hash)`,
    'The connection may be intercepted, or the CA of the hub changed: get a new command with `flotilla get token` on the hub.',
  );
}

/** What the flags themselves say. */
async function givenCa({ caFile, caData }: HubTrust): Promise<string | undefined> {
  if (caFile !== undefined) return readCa(caFile);
  if (caData === undefined) return undefined;
  return checkCa(Buffer.from(caData, 'base64').toString('utf8'), '--hub-ca-data');
}

/** A CA from a file; `flag` is the one that names it. */
export async function readCa(file: string, flag = '--ca-file'): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CliError('usage', `cannot read ${flag} ${file}`, 'Give a PEM file that this user may read.', error);
  });
  return checkCa(text, `${flag} ${file}`);
}

function checkCa(text: string, from: string): string {
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new CliError(
    'usage',
    `${from} holds no certificate`,
    'Give the CA of the hub as PEM (--hub-ca-data: base64 of it).',
  );
}

/** Nothing secret is sent, so that it does not matter who answers: the answer is checked by its hash. */
async function anonymousClusterInfo(
  { connector }: HubContext,
  { server, proxyUrl, proxyCa }: HubTrust,
): Promise<ClusterInfo> {
  await using hub = await connector.toServer({
    server,
    insecureSkipTlsVerify: true,
    origin: '--hub-apiserver',
    ...(proxyUrl && { proxyUrl }),
    ...(proxyCa && { proxyCa }),
  });
  try {
    return await readClusterInfo(hub.client);
  } catch (error) {
    if (!KubeError.is(error, 'NotFound', 'Forbidden', 'Unauthorized')) throw error;
    throw new CliError(
      'precondition',
      `${server} does not publish its CA to anonymous callers (ConfigMap kube-public/cluster-info)`,
      'Run `flotilla init` on the hub, which makes it readable, or copy the CA of the hub here and give it by --ca-file.',
      error,
    );
  }
}
