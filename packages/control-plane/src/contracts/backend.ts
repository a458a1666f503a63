import type { Clock, Logger } from '@flotilla/kube';
import type { AdmissionChain } from './admission.ts';
import type { Conversions } from './conversions.ts';
import type { ObjectSchemas } from './object-schemas.ts';
import type { Registry } from './resource-info.ts';
import type { Storage } from './storage.ts';

/** The limits that verbs mind; see `limits/`. */
export interface VerbLimits {
  readonly maxWatchBacklog: number;
  readonly maxYamlBytes: number;
}

/** What the verbs work with: one for the whole server. */
export interface Backend {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly schemas: ObjectSchemas;
  readonly conversions: Conversions;
  readonly admission: AdmissionChain;
  readonly limits: VerbLimits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newUid: () => string;
  /** Five characters for generateName. */
  readonly newSuffix: () => string;
}
