import type { KubeObject } from '@flotilla/api-types';
import type { UserInfo } from '../authn/user-info.ts';
import type { ResourceInfo } from '../schema/resource-info.ts';

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

/** Mutators may answer with another object; validators and mutators refuse by throwing KubeError. */
export interface AdmissionPlugin {
  readonly name: string;
  handles(request: AdmissionRequest): boolean;
  mutate?(request: AdmissionRequest, warn: (message: string) => void): KubeObject | Promise<KubeObject>;
  validate?(request: AdmissionRequest, warn: (message: string) => void): void | Promise<void>;
}
