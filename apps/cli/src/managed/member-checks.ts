import { klusterlets, NamespaceName, SecretName } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { customResourceDefinitions, deployments, secrets } from '@flotilla/kube/kinds';
import { CliError } from '../errors/cli-error.ts';
import { SkippedCheck } from './preflight-report.ts';

/** The agents of OCM and of Flotilla, as they are deployed. */
const agents = /^klusterlet(-.*)?-agent$/;

/** Refuses a cluster with the remains of another agent: it would act under the old identity, beside the new one. */
export async function checkResidualObjects(managed: KubeClient, isJoined: boolean): Promise<void> {
  if (isJoined) return;
  const namespace = NamespaceName.Agent;
  const found = await managed.resource(secrets).find(`${namespace}/${SecretName.HubKubeconfig}`);
  const running = (await managed.resource(deployments).list({ namespace })).items.filter(({ metadata }) =>
    agents.test(metadata?.name ?? ''),
  );
  const residual = [
    ...(found ? [`Secret ${namespace}/${SecretName.HubKubeconfig}`] : []),
    ...running.map(({ metadata }) => `Deployment ${namespace}/${metadata?.name}`),
  ];
  if (residual.length === 0) return;
  throw new CliError(
    'precondition',
    `an earlier agent left ${residual.join(', ')} here, and no Klusterlet says whose it is`,
    `Remove it first: kubectl delete namespace ${namespace}.`,
  );
}

/** Refuses a cluster whose Klusterlets are of a version that the agent does not know. */
export async function checkKinds(managed: KubeClient): Promise<void> {
  const name = `${klusterlets.plural}.${klusterlets.group}`;
  const found = await managed
    .resource(customResourceDefinitions)
    .find(name)
    .catch((error: unknown) => {
      if (!KubeError.is(error, 'Forbidden')) throw error;
      throw new SkippedCheck(`you cannot get CustomResourceDefinition ${name}`);
    });
  const served = found?.spec.versions.filter((version) => version.served).map((version) => version.name);
  if (!served || served.includes(klusterlets.version)) return;
  throw new CliError(
    'precondition',
    `this cluster serves Klusterlets as ${served.join(', ') || 'nothing'}, and ${klusterlets.version} is needed`,
    `Another program installed CustomResourceDefinition ${name}: update or remove it.`,
  );
}
