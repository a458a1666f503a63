/** Requests below the client: for API servers that are reached in another way, and for tests that play one. */
export { createForwarder, createRelay } from '../client/create-forwarder.ts';
export { createTransport, type TransportOptions } from '../client/create-transport.ts';
export type { ForwardedRequest, ForwardedResponse, Forwarder, Relay, RelayedRequest } from '../client/forwarder.ts';
export { isLoopback } from '../client/loopback.ts';
export { openConnections } from '../client/open-connections.ts';
export { parseProxyUrl } from '../client/proxy-tunnel.ts';
export { reopenOn } from '../client/reopen-on.ts';
export { TokenBucket } from '../client/token-bucket.ts';
export type {
  HttpMethod,
  KubeRequest,
  KubeResponse,
  KubeStream,
  RequestPriority,
  Transport,
} from '../client/transport.ts';
export type { UpgradeRequest, UpgradeResponse } from '../client/upgrade.ts';
