import type { KubeObject } from '@flotilla/api-types';
import type { UserInfo } from '../authn/user-info.ts';
import type { ResourceInfo } from '../schema/resource-info.ts';

/** One write as admission sees it. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly info: ResourceInfo;
  readonly subresource?: string;
  readonly namespace?: string;
  /** Empty while a generateName is not yet resolved. */
  readonly name: string;
  /** Unset for DELETE. */
  readonly object?: KubeObject;
  /** Unset for CREATE. */
  readonly oldObject?: KubeObject;
  readonly options: object;
  readonly user: UserInfo;
  readonly dryRun: boolean;
}

/** Adds a Warning header to the answer. */
export type Warn = (message: string) => void;

/**
 * What mutators know of each other during one request. When a late one changes the object, the early ones may be asked once more,
 * so that they see what will be stored.
 */
export interface MutationRound {
  /** False in the first round, true in the second, which is the last. */
  readonly again: boolean;
  /** Asks for the second round. */
  requireAgain(): void;
  /** Webhooks that want to be asked again if somebody changes the object after them. */
  readonly reinvocable: Set<string>;
  /** Those of them after which the object was changed. */
  readonly due: Set<string>;
}

/** Mutators may answer with another object; validators and mutators refuse by throwing KubeError. */
export interface AdmissionPlugin {
  readonly name: string;
  handles(request: AdmissionRequest): boolean;
  mutate?(
    request: AdmissionRequest,
    warn: Warn,
    round: MutationRound,
  ): KubeObject | undefined | Promise<KubeObject | undefined>;
  validate?(request: AdmissionRequest, warn: Warn): void | Promise<void>;
}

/** The namespace a request is in; a request for a namespace itself counts as being in it. */
export const namespaceOf = ({ info, namespace, name }: AdmissionRequest): string =>
  info.storage === '/namespaces' ? name : (namespace ?? '');
