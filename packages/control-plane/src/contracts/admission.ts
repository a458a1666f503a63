import type { KubeObject } from '@flotilla/schema';
import type { ResourceInfo } from './resource-info.ts';
import type { UserInfo } from './user-info.ts';

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
 * State that mutators share during one request. When a later one changes the object, earlier ones may be called once more,
 * so that they see what will be stored.
 */
export interface MutationRound {
  /** False in the first round, true in the second, which is the last. */
  readonly again: boolean;
  /** Asks for the second round. */
  requireAgain(): void;
  /** Webhooks to be called again if the object changes after them. */
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
  /**
   * Checks once more, right before a CREATE is stored, what other writes may have changed while webhooks were asked. There is no await
   * between this and the write, so it is synchronous.
   */
  recheck?(request: AdmissionRequest): void;
}

/** The namespace a request is in; a request for a namespace itself counts as being in it. */
export const namespaceOf = ({ info, namespace, name }: AdmissionRequest): string =>
  info.storage === '/namespaces' ? name : (namespace ?? '');

/** Every admission plugin in order. */
export interface AdmissionChain {
  mutate(request: AdmissionRequest, warn: Warn): Promise<KubeObject | undefined>;
  validate(request: AdmissionRequest, warn: Warn): Promise<void>;
  /** The last check before a CREATE is stored. */
  recheck(request: AdmissionRequest): void;
}
