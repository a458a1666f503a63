import { type FeatureGateName, ObjectName } from '@flotilla/api-types';
import { type ClusterManagerValues, clusterManager, featureGateModes } from '@flotilla/install';
import {
  type ClusterManagerChartValues,
  clusterManagerValuesSchema,
  type GivenValues,
  mergeValues,
} from '@flotilla/install/chart';
import { bundleTag, checkRegistry, type ImageOptions, pullCredentials } from '../options/bundle.ts';
import { type ResourceOptions, resourceRequirement } from '../options/resources.ts';
import { readValues } from '../options/values-file.ts';
import { ownVersion } from './release.ts';

type Values = GivenValues<ClusterManagerChartValues>;

/** The flags of `init` that become values of the chart. */
export interface HubValueOptions extends ImageOptions, ResourceOptions {
  readonly useBootstrapToken?: boolean;
  readonly enableSyncLabels?: boolean;
  readonly clusterManagerValuesFile?: string;
}

/** The values of a chart that say which images run. */
export async function imageValues(options: ImageOptions): Promise<Pick<Values, 'images'>> {
  const registry = checkRegistry(options.imageRegistry);
  return { images: { tag: await bundleTag(options, ownVersion), ...(registry !== undefined && { registry }) } };
}

/** The pull secret, which is there from the start so that others can fill it. */
export const credentialValues = async (options: ImageOptions) => ({
  imageCredentials: { createImageCredentials: true, dockerConfigJson: (await pullCredentials(options)) ?? '' },
});

/** The values of the file that a flag names; none without it. */
export const fileValues = async ({ clusterManagerValuesFile: file }: HubValueOptions): Promise<Values> =>
  file === undefined ? {} : readValues<Values>('--cluster-manager-values-file', file, clusterManagerValuesSchema);

/** The values of the chart that flags give; those of a file win. */
export async function hubValues(options: HubValueOptions, recorded: ClusterManagerValues): Promise<Values> {
  const fromFile = await fileValues(options);
  const byFlags: Values = {
    ...(options.enableSyncLabels && { enableSyncLabels: true }),
    images: { ...(await imageValues(options)).images, ...(await credentialValues(options)) },
    clusterManager: configurations(options, recorded),
  };
  return { ...mergeValues<Values>(byFlags, fromFile), ...bootstrapValues(options, fromFile) };
}

function configurations(options: HubValueOptions, recorded: ClusterManagerValues): Values['clusterManager'] {
  const { featureGates = {} } = recorded;
  const { registrationConfiguration = {}, serverConfiguration = {} } = clusterManager(recorded).spec ?? {};
  const serverGates = featureGateModes('hub-server', featureGates);
  const server = { ...serverConfiguration, ...(serverGates.length > 0 && { featureGates: serverGates }) };
  const resources = resourceRequirement(options);
  return {
    registrationConfiguration,
    workConfiguration: { workDriver: 'kube', featureGates: gates('hub-work', featureGates) },
    addOnManagerConfiguration: { featureGates: gates('hub-addon', featureGates) },
    ...(Object.keys(server).length > 0 && { serverConfiguration: server }),
    ...(resources && { resourceRequirement: resources }),
  };
}

const gates = (
  component: 'hub-work' | 'hub-addon',
  given: Readonly<Partial<Record<FeatureGateName, boolean>>>,
): ReturnType<typeof featureGateModes> => featureGateModes(component, given);

/** By what new clusters request to join: one of both must be there, or no command to join could be printed. */
export function bootstrapValues(
  { useBootstrapToken = false }: Pick<HubValueOptions, 'useBootstrapToken'>,
  fromFile: Values,
) {
  const { createBootstrapSA = !useBootstrapToken, createBootstrapToken = useBootstrapToken } = fromFile;
  const needed = useBootstrapToken ? { createBootstrapToken: true } : { createBootstrapSA: true };
  return { createBootstrapSA, createBootstrapToken, ...needed };
}

/** The name of the hub that `init` makes. */
export const hubName = ObjectName.ClusterManager;
