import type { AddOnDeploymentConfigSpec } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import type { ResourceRequirements } from '@flotilla/kube/kinds';

/** `<resource>:<workload>:<container>` with `*` for any as a regular expression, for Helm charts. */
export function containerIdPattern(containerId: string): string {
  const parts = containerId.split(':');
  if (parts.length !== 3) {
    throw new KubeError('Config', `invalid ContainerID: ${containerId}`, {
      hint: 'It has three parts: resource, workload and container, such as deployments:agent:*.',
    });
  }
  return `^${parts.map((part) => (part === '*' ? '.+' : part)).join(':')}$`;
}

/** Requests and limits of a container; the last entry that matches wins. */
export function resourcesOf(
  requirements: AddOnDeploymentConfigSpec['resourceRequirements'],
  containerId: string,
): ResourceRequirements | undefined {
  const parts = containerId.split(':');
  const found = (requirements ?? []).findLast(({ containerID }) => {
    const wanted = containerID.split(':');
    return wanted.length === parts.length && wanted.every((part, at) => part === '*' || part === parts[at]);
  })?.resources;
  if (!found) return undefined;
  const { limits, requests, ...rest } = found;
  return { ...rest, ...(limits && { limits: asText(limits) }), ...(requests && { requests: asText(requests) }) };
}

/** Quantities as text, which may be written as numbers. */
const asText = (quantities: Readonly<Record<string, string | number>>): Record<string, string> =>
  Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, String(quantity)]));
