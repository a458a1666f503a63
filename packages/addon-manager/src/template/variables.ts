import type { AddOnTemplateSpec } from '@flotilla/api-types';
import { MountPath } from '@flotilla/api-types';
import type { EnvVar } from '@flotilla/kube/kinds';
import type { TemplateVariables } from './substitute.ts';

/** What the variables of a template are made of. */
export interface VariablesInput {
  readonly clusterName: string;
  readonly registration: AddOnTemplateSpec['registration'];
  /** Where a deployment config installs the add-on; empty if it leaves that to the template. */
  readonly installNamespace: string;
  /** Those of the deployment config. */
  readonly customized: TemplateVariables;
}

const hubKubeconfig = 'HUB_KUBECONFIG';

/** The variables of a template for one cluster: a customized one replaces the path of the kubeconfig, and nothing else of these. */
export function templateVariables({
  clusterName,
  registration,
  installNamespace,
  customized,
}: VariablesInput): TemplateVariables {
  return {
    ...(registration?.length && { [hubKubeconfig]: `${MountPath.AddOnHubKubeconfigDirectory}/kubeconfig` }),
    ...customized,
    CLUSTER_NAME: clusterName,
    ...(installNamespace && { INSTALL_NAMESPACE: installNamespace }),
  };
}

/** Those that every container finds in its environment, in OCM's order. */
export function presetEnv(variables: TemplateVariables, { registration, installNamespace }: VariablesInput): EnvVar[] {
  const names = [
    ...(registration?.length ? [hubKubeconfig] : []),
    'CLUSTER_NAME',
    ...(installNamespace ? ['INSTALL_NAMESPACE'] : []),
  ];
  return names.map((name) => ({ name, value: variables[name] ?? '' }));
}
