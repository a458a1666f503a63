import { customResourceDefinitions } from '@flotilla/kube/kinds';
import { apiVersionOf } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import type { AddonDefinition } from './addon-definition.ts';

/** The CustomResourceDefinitions that come with an add-on. A hub needs them before its controller starts. */
export const configDefinitions = ({ configs = {} }: Pick<AddonDefinition, 'configs'>): KubeObject[] =>
  Object.values(configs).flatMap(({ definition }) =>
    definition
      ? [{ ...definition, apiVersion: apiVersionOf(customResourceDefinitions), kind: customResourceDefinitions.kind }]
      : [],
  );
