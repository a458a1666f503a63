import type { KubeObject } from '@flotilla/api-types';
import type { Clock, Logger } from '@flotilla/kube';
import type { AdmissionRequest } from '../admission/admission.ts';
import type { UserInfo } from '../authn/user-info.ts';
import type { Conversions } from '../conversion/conversions.ts';
import type { ObjectSchemas } from '../schema/object-schemas.ts';
import type { Registry, ResourceInfo } from '../schema/resource-info.ts';
import type { Representation } from '../server/accept.ts';
import type { Storage } from '../storage/storage.ts';

export type { ObjectSchemas };

/** Every admission plugin in order. */
export interface AdmissionChain {
  mutate(request: AdmissionRequest, warn: (message: string) => void): Promise<KubeObject | undefined>;
  validate(request: AdmissionRequest, warn: (message: string) => void): Promise<void>;
}

/** What the verbs work with: one for the whole server. */
export interface Backend {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly schemas: ObjectSchemas;
  readonly conversions: Conversions;
  readonly admission: AdmissionChain;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newUid: () => string;
  /** Five characters for generateName. */
  readonly newSuffix: () => string;
}

/** One request on one resource, after authentication and authorisation. */
export interface Call {
  readonly info: ResourceInfo;
  readonly namespace?: string;
  /** Unset for collections. */
  readonly name?: string;
  readonly subresource?: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly user: UserInfo;
  readonly representation: Representation;
  readonly signal: AbortSignal;
  /** Throws 403 unless the user may do this too: an apply of something that is not there is a create. */
  requireVerb(verb: string): void;
  /** Adds a Warning header. */
  warn(message: string): void;
}

/** What a verb answers: an object or list to be written in the wanted representation, or a watch. */
export type Outcome =
  | { readonly kind: 'object'; readonly status: number; readonly object: KubeObject }
  | { readonly kind: 'list'; readonly list: ObjectList }
  | { readonly kind: 'watch'; readonly events: AsyncIterable<WatchMessage> };

export interface ObjectList {
  readonly items: readonly KubeObject[];
  readonly metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

export type WatchMessage =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: object };
