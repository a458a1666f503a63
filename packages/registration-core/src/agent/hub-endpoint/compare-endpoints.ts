import type { HubEndpoint } from '../../contract/index.ts';
import { isSameTrust, trustsAll } from './ca-bundle.ts';

/**
 * How the endpoint of the bootstrap source differs from the one in use; undefined if it does not. What is compared is the meaning and
 * not how it is written, so that a Secret of OCM's own agent is taken over as it is.
 */
export function compareEndpoints(current: HubEndpoint, bootstrap: HubEndpoint): string | undefined {
  if (current.name !== bootstrap.name) return `the hub is called ${bootstrap.name} and was ${current.name}`;
  if (current.server !== bootstrap.server) return `the hub is at ${bootstrap.server} and was at ${current.server}`;
  if ((current.proxyUrl ?? '') !== (bootstrap.proxyUrl ?? '')) return 'the proxy to the hub is another';
  if ((current.caFile ?? '') !== (bootstrap.caFile ?? '') && !bootstrap.caData) {
    return 'the CA file of the hub is another';
  }
  // A stored path is compared by what it was made from: the bootstrap source has read the file.
  if (current.caFile === undefined && !trustsBootstrap(current.caData, bootstrap.caData)) {
    return 'the CA of the hub is another';
  }
  return undefined;
}

/** Whether two endpoints are one hub with the same trust, however it is written; a CA that is a path counts as the same. */
export const isSameEndpoint = (left: HubEndpoint, right: HubEndpoint): boolean =>
  compareEndpoints({ ...left, ...noCa }, { ...right, ...noCa }) === undefined &&
  (left.caFile !== undefined || isSameTrust(left.caData, right.caData));

const noCa = { caData: '', caFile: '' };

/** More may be trusted than the bootstrap source names: what the hub announced. */
const trustsBootstrap = (current: string | undefined, bootstrap: string | undefined): boolean =>
  current === undefined || bootstrap === undefined ? current === bootstrap : trustsAll(current, bootstrap);
