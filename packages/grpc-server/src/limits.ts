import type { DataType } from '@flotilla/cloudevents';

/*
 * All limits of the server for what its callers can grow. `docs/reference/grpc-server-limits.md` is this module for readers, and a spec
 * compares the two.
 */

const KiB = 1024;
const MiB = 1024 * KiB;

/** So many a second, after so many at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
  readonly what: string;
}

/** So many at a time. */
export interface Quota {
  readonly max: number;
  readonly what: string;
}

/**
 * What one cluster may do, and what a bootstrap user may do for one cluster. An agent of OCM sends at most 50 events a second for each of its
 * eight data types, and a hundred at once.
 */
export const clusterRates = {
  events: { perSecond: 500, burst: 2000, what: 'events that it publishes' },
  eventBytes: { perSecond: 2 * MiB, burst: 64 * MiB, what: 'bytes of these events, compressed and unpacked' },
  resyncs: { perSecond: 1, burst: 100, what: 'resyncs' },
  subscriptions: { perSecond: 2, burst: 200, what: 'streams that it opens' },
  decisions: {
    perSecond: 20,
    burst: 500,
    what: 'questions to the API server about its rights that have no recent answer',
  },
  requests: { perSecond: 0.1, burst: 200, what: 'CertificateSigningRequests that it creates' },
  recorded: { perSecond: 1, burst: 300, what: 'Events of Kubernetes that it records' },
  tokens: { perSecond: 1, burst: 200, what: 'tokens that it requests' },
  forwarded: { perSecond: 100, burst: 400, what: 'requests of its add-ons' },
} as const satisfies Record<string, Rate>;

/** What one cluster may have at a time. A connection that broke counts until the server notices, within 30 s. */
export const clusterQuotas = {
  connections: { max: 32, what: 'connections' },
  calls: { max: 1000, what: 'calls under way, streams included' },
  streams: { max: 64, what: 'streams' },
  messages: { max: 8, what: 'messages that are being received; further ones wait' },
  uploads: { max: 16, what: 'requests of its add-ons that are being received; further ones wait' },
  heldBytes: { max: 32 * MiB, what: 'bytes of events under way' },
  tunnels: { max: 8, what: 'tunnels for the users of the hub' },
  forwards: { max: 100, what: 'requests of its add-ons under way, watches included' },
  forwardBytes: { max: 16 * MiB, what: 'bytes of the bodies of these requests' },
  storedRequests: { max: 1000, what: 'CertificateSigningRequests on the hub that the server created for it' },
  largeStatusBytes: { max: 32 * MiB, what: 'bytes of statuses of works that are larger than 64 KiB' },
} as const satisfies Record<string, Quota>;

/** What a user that is not the agent of a cluster may do and have: the bootstrap user of a whole fleet, which nothing distinguishes. */
export const userRates = {
  eventBytes: { perSecond: 32 * MiB, burst: 512 * MiB, what: 'bytes of its events, compressed and unpacked' },
  events: { perSecond: 2000, burst: 50_000, what: 'events that it publishes' },
  decisions: {
    perSecond: 1000,
    burst: 20_000,
    what: 'questions to the API server about its rights that have no recent answer',
  },
  unknownClusters: { perSecond: 60, burst: 6000, what: 'of these questions, about clusters that are not remembered' },
  parties: { perSecond: 20, burst: 2000, what: 'clusters that it acts for, of those that are not remembered' },
} as const satisfies Record<string, Rate>;

/** The same, at a time. */
export const userQuotas = {
  connections: { max: 5000, what: 'connections' },
  calls: { max: 50_000, what: 'calls under way, streams included' },
  messages: { max: 64, what: 'messages that are being received; further ones wait' },
  uploads: { max: 1, what: 'requests of add-ons that are being received, which are refused to it' },
  heldBytes: { max: 128 * MiB, what: 'bytes of events under way' },
} as const satisfies Record<string, Quota>;

/** What one address, or one /64 of IPv6, may do without being known. */
export const peerRates = {
  unknownTokens: { perSecond: 5, burst: 100, what: 'tokens that are not valid' },
} as const satisfies Record<string, Rate>;

/** The same of all addresses that never showed a valid token: they can be had by the thousand, and the API server is asked about each token. */
export const strangerRates = {
  unknownTokens: { perSecond: 100, burst: 2000, what: 'tokens that are not valid, of all these addresses together' },
} as const satisfies Record<string, Rate>;

/** The most bytes of the data of one event, unpacked, by the resource of its data type. */
export const maxDataBytes: Readonly<Record<string, number>> = {
  leases: 16 * KiB,
  events: 16 * KiB,
  certificatesigningrequests: 16 * KiB,
  tokenrequests: 16 * KiB,
  managedclusters: MiB,
  managedclusteraddons: MiB,
  /** As much as an API server takes. */
  manifestbundles: 3 * MiB,
};

export const maxDataBytesOf = ({ resource }: Pick<DataType, 'resource'>): number => maxDataBytes[resource] ?? 16 * KiB;

/*
 * The others. The spec takes each number that this module exports for one.
 */

/** A longer token is not valid, and nobody is asked about it. */
export const maxTokenBytes = 16 * KiB;

/** A status of a work up to this size counts for nothing but its work. */
export const largeStatusBytes = 64 * KiB;
/** How many answers of the API server about the rights of a cluster are kept. */
export const maxDecisions = 500;
/** How many clusters are remembered that have nothing under way. One that is not has all of its rates. */
export const maxParties = 20_000;
/** How many objects a slow reader may be behind. An object that waits is not encoded yet. */
export const maxQueued = 20_000;
/** A user that registers clusters sends little at once. Its calls that send nothing must not keep those of other clusters waiting for long. */
export const userReceiveMs = 5_000;
/** The body of a request of an add-on: more than an API server takes. */
export const maxForwardedBytes = 4 * MiB;
/** Its path with the query, in characters. */
export const maxPathLength = 16 * 1024;
/** The part of its `User-Agent` that is passed on, in characters. */
export const maxUserAgentLength = 200;
/** An API server gives up a request after a minute by itself. */
export const forwardedHeadMs = 65_000;
/** The same of the tunnel of a cluster: the server that answers is one of the hub's own. */
export const tunnelOpenMs = 15_000;
