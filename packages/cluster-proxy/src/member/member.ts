import type { Duplex, Readable } from 'node:stream';
import type { HttpMethod } from '@flotilla/kube/transport';

/** A user of the hub, as its API server knows it. */
export interface HubUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Names in lower case; a name may come more than once. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A request of a user to the API of a managed cluster. */
export interface MemberRequest {
  readonly user: HubUser;
  readonly method: HttpMethod;
  /** Path and query, as the managed cluster is to see them. */
  readonly path: string;
  readonly headers: HeaderList;
  readonly body?: Readable;
  /** Ends the request. */
  readonly signal: AbortSignal;
}

/** An answer whose head has arrived. */
export interface MemberAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Readable;
}

/** A connection that goes on with another protocol, or the answer that refuses it. */
export type MemberConnection =
  | { readonly switched: true; readonly headers: HeaderList; readonly socket: Duplex }
  | ({ readonly switched: false } & MemberAnswer);

/** The API of a managed cluster, for users of the hub. Throws KubeError if the cluster gives no answer. */
export interface Member {
  request(request: MemberRequest): Promise<MemberAnswer>;
  /** For exec, attach and port-forward: `protocol` is what the request asks to go on with. */
  upgrade(request: MemberRequest & { readonly protocol: string }): Promise<MemberConnection>;
}
