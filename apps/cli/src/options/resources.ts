import type { KlusterletSpec } from '@flotilla/api-types';
import { compareQuantities, parseQuantity } from '@flotilla/schema';
import { CliError } from '../errors/cli-error.ts';

/** The flags that size the programs of a hub or an agent. */
export interface ResourceOptions {
  readonly resourceQosClass?: string;
  readonly resourceLimits?: Readonly<Record<string, string>>;
  readonly resourceRequests?: Readonly<Record<string, string>>;
}

const classes = ['Default', 'BestEffort', 'ResourceRequirement'] as const;

/** The resources of the ClusterManager or Klusterlet; undefined if nothing was said. Refuses what contradicts itself. */
export function resourceRequirement(options: ResourceOptions): KlusterletSpec['resourceRequirement'] {
  const { resourceQosClass: named = 'Default', resourceLimits: limits, resourceRequests: requests } = options;
  const type = classes.find((name) => name === named);
  const wrong = (message: string, hint: string) => new CliError('usage', message, hint);
  if (!type) throw wrong(`--resource-qos-class ${named} is not known`, `It should be one of ${classes.join(', ')}.`);
  if (type !== 'ResourceRequirement') {
    if (limits || requests) {
      throw wrong(
        'resource type must be ResourceRequirement when resource limits or requests are set',
        'Add --resource-qos-class ResourceRequirement.',
      );
    }
    return options.resourceQosClass === undefined ? undefined : { type };
  }
  if (!limits && !requests) {
    throw wrong(
      'resource type is ResourceRequirement but both limits and requests are not set',
      'Add --resource-limits or --resource-requests, such as cpu=500m,memory=512Mi.',
    );
  }
  for (const [flag, amounts] of [
    ['--resource-limits', limits],
    ['--resource-requests', requests],
  ] as const) {
    for (const [name, amount] of Object.entries(amounts ?? {})) {
      if (!isQuantity(amount)) throw wrong(`${flag} ${name}=${amount} is not an amount`, 'Write such as 500m or 2Gi.');
    }
  }
  for (const [name, request] of Object.entries(requests ?? {})) {
    const limit = limits?.[name];
    if (limit !== undefined && compareQuantities(request, limit) > 0) {
      throw wrong(
        `requests ${name}=${request} must be less than or equal to limits ${name}=${limit}`,
        'Raise the limit or lower the request.',
      );
    }
  }
  const resourceRequirements = {
    ...(limits && { limits: { ...limits } }),
    ...(requests && { requests: { ...requests } }),
  };
  return { type, resourceRequirements };
}

/** Flags of a repeated command: limits and requests that it does not name stay. */
export function resourcesAgain(options: ResourceOptions, live: KlusterletSpec['resourceRequirement']): ResourceOptions {
  const isSized = options.resourceQosClass === 'ResourceRequirement' && live?.type === 'ResourceRequirement';
  if (!isSized || (!options.resourceLimits && !options.resourceRequests)) return options;
  const { limits, requests } = live.resourceRequirements ?? {};
  const pairs = (amounts: object | undefined) =>
    amounts && Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
  const resourceLimits = options.resourceLimits ?? pairs(limits);
  const resourceRequests = options.resourceRequests ?? pairs(requests);
  return { ...options, ...(resourceLimits && { resourceLimits }), ...(resourceRequests && { resourceRequests }) };
}

const isQuantity = (amount: string): boolean => parseQuantity(amount).error === undefined;
