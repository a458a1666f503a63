import { readFile } from 'node:fs/promises';
import { parseBootstrapToken } from '@flotilla/kube/bootstrap-token';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { checkPins, pinnedCertificates } from '../hub-access/ca-pin.ts';
import { type Discovery, type DiscoveryWait, discoverCa } from './discovery.ts';

/** How the hub is to be trusted. */
export interface HubTrust {
  readonly server: string;
  /** A PEM file. */
  readonly caFile?: string;
  /** Base64 of PEM. */
  readonly caData?: string;
  readonly caHashes: readonly string[];
  /** Not sent; what the hub says about itself may be signed by it. */
  readonly token?: string;
  /** The hub must prove itself by the token, as karmadactl and kubeadm have it. */
  readonly discovery?: RequiredDiscovery;
  readonly proxyUrl?: string;
  /** PEM of the CA of a proxy that is reached by https. */
  readonly proxyCa?: string;
}

/** What `register` has beside the flags of `join`. */
export interface RequiredDiscovery {
  readonly serverFlag: string;
  readonly pinFlag: string;
  readonly wait: DiscoveryWait;
}

type HubContext = { readonly connector: Pick<CliContext['connector'], 'toServer'> };

/**
 * The CA to verify the hub with, before any secret is sent to it: from a file, or published by the hub, see `discoverCa`.
 * Undefined means the CAs that this machine trusts anyway.
 */
export async function trustedCa(context: HubContext, trust: HubTrust): Promise<string | undefined> {
  checkPins(trust.caHashes, trust.discovery?.pinFlag);
  const given = await givenCa(trust);
  const isDiscovered = given === undefined && (trust.caHashes.length > 0 || trust.discovery !== undefined);
  if (isDiscovered) return discoverCa(context, discoveryOf(trust));
  if (trust.caHashes.length === 0) return given;
  const pinned = pinnedCertificates(given ?? '', trust.caHashes);
  if (pinned !== undefined) return pinned;
  throw new CliError(
    'precondition',
    `the CA of ${trust.server} is not the one that the join command names (--hub-ca-hash)`,
    'The connection may be intercepted, or the CA of the hub changed: get a new command with `flotilla get token` on the hub.',
  );
}

/** A signature by the token is checked where there is one; `register` insists on it. */
function discoveryOf({ server, caHashes: pins, token, discovery, proxyUrl, proxyCa }: HubTrust): Discovery {
  const signer = token === undefined ? undefined : parseBootstrapToken(token);
  return {
    server,
    pins,
    serverFlag: discovery?.serverFlag ?? '--hub-apiserver',
    pinFlag: discovery?.pinFlag ?? '--hub-ca-hash',
    ...(signer && { token: signer }),
    ...(discovery && { signed: discovery.wait }),
    ...(proxyUrl && { proxyUrl }),
    ...(proxyCa && { proxyCa }),
  };
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
