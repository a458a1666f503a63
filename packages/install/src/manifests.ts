import type { KubeObject } from '@flotilla/schema';
import type { CustomResourceDefinition } from '@flotilla/schema/define';

/** What is on a cluster after an installation. */
export interface Manifests {
  readonly definitions: CustomResourceDefinition[];
  /** In the order in which they are applied, after the definitions. */
  readonly objects: KubeObject[];
}
