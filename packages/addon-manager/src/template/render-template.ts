import type { AddOnDeploymentConfigSpec, AddOnTemplateSpec } from '@flotilla/api-types';
import type { EnvVar } from '@flotilla/kube/kinds';
import type { EmbeddedResource } from '@flotilla/schema';
import { credentialMounts } from './credential-mounts.ts';
import { type Injection, inject } from './inject.ts';
import { namespaceOfWorkloads, withNamespace } from './namespace.ts';
import { proxyCa } from './proxy-ca.ts';
import { substitute } from './substitute.ts';
import { presetEnv, templateVariables } from './variables.ts';

/** One template for one cluster. */
export interface TemplateInput {
  readonly addonName: string;
  readonly clusterName: string;
  readonly template: AddOnTemplateSpec;
  /** The deployment config that the cluster references. */
  readonly deployment?: AddOnDeploymentConfigSpec;
}

/** What the template leaves to the cluster and its deployment config. */
export interface TemplateSettings extends Omit<Injection, 'env' | 'mounts'> {
  readonly proxyEnv: readonly EnvVar[];
  /** Gets the name of each variable that the template uses and that does not exist. */
  readonly onUnknownVariable?: (name: string) => void;
}

const variablesInput = ({ clusterName, template: { registration }, deployment }: TemplateInput) => ({
  clusterName,
  registration,
  installNamespace: deployment?.agentInstallNamespace ?? '',
  customized: Object.fromEntries((deployment?.customizedVariables ?? []).map(({ name, value = '' }) => [name, value])),
});

const manifestsOf = ({ agentSpec }: AddOnTemplateSpec): readonly EmbeddedResource[] =>
  agentSpec.workload?.manifests ?? [];

/** All manifests of a template for one cluster. */
export function renderTemplate(
  input: TemplateInput,
  { proxyEnv, onUnknownVariable, ...settings }: TemplateSettings,
): EmbeddedResource[] {
  const { addonName, template, deployment } = input;
  const given = variablesInput(input);
  const variables = templateVariables(given);
  const ca = proxyCa(addonName, deployment?.proxyConfig, proxyEnv.length > 0);
  const injection: Injection = {
    ...settings,
    env: [...presetEnv(variables, given), ...proxyEnv, ...ca.env],
    mounts: [...credentialMounts(addonName, template.registration), ...ca.mounts],
  };
  const injected = manifestsOf(template).map((manifest) =>
    inject(substitute(manifest, variables, onUnknownVariable), injection),
  );
  const { installNamespace } = given;
  const placed = installNamespace ? injected.map((manifest) => withNamespace(manifest, installNamespace)) : injected;
  return [...placed, ...ca.configMaps(placed, installNamespace)];
}

/** Where the agent, its credentials and its lease are: what the deployment config says, or else the template. */
export function templateNamespace(input: TemplateInput): string {
  const given = variablesInput(input);
  if (given.installNamespace) return given.installNamespace;
  const variables = templateVariables(given);
  return namespaceOfWorkloads(manifestsOf(input.template).map((manifest) => substitute(manifest, variables)));
}
