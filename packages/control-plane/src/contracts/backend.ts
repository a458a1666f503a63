import type { Clock, Logger } from '@flotilla/kube';
import type { Limits } from '../limits/limits.ts';
import type { AdmissionChain } from './admission.ts';
import type { Conversions } from './conversions.ts';
import type { ObjectSchemas } from './object-schemas.ts';
import type { Registry } from './resource-info.ts';
import type { Storage } from './storage.ts';

/** What the verbs work with: one for the whole server. */
export interface Backend {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly schemas: ObjectSchemas;
  readonly conversions: Conversions;
  readonly admission: AdmissionChain;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newUid: () => string;
  /** Five characters for generateName. */
  readonly newSuffix: () => string;
}
