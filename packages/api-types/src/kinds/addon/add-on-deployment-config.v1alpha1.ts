import { defineKind, type Resource, rootOf } from '@flotilla/schema/define';
import { addOnDeploymentConfigsV1alpha1 } from '../../resources.ts';
import { addOnDeploymentConfigSpec } from './add-on-deployment-config.ts';

const schema = rootOf('How the agents of an add-on are deployed on managed clusters.', {
  spec: addOnDeploymentConfigSpec,
});

/** How the agents of an add-on are deployed on managed clusters, in the version that is stored. */
export interface AddOnDeploymentConfigV1alpha1 extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const addOnDeploymentConfigV1alpha1Kind = defineKind({
  resource: addOnDeploymentConfigsV1alpha1,
  schema,
  subresources: 'none',
});
