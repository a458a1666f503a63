import type { ManifestConfigOption } from '@flotilla/api-types';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import type { AddonContext } from '../definition/context.ts';
import type { HealthProber } from '../definition/health.ts';
import { probeConfigs } from '../health/probe-fields.ts';
import { type ManifestPartition, partitionManifests } from '../manifests/partition.ts';
import { checkManifests, prefixOf } from '../manifests/rendered-manifest.ts';
import { mergeManifestConfigs } from '../works/manifest-configs.ts';
import { installNamespaceFor, valueFor } from './addon-context.ts';
import { renderContext } from './render-context.ts';
import { renderError } from './render-error.ts';

/** What a definition gives for one cluster. */
export interface RenderedAddon {
  readonly manifests: ManifestPartition;
  /** The same for all deploy works. */
  readonly manifestConfigs: readonly ManifestConfigOption[];
  readonly prober?: HealthProber;
}

/** Renders an add-on for one cluster. What the functions of the author throw comes out with the add-on and the cluster. */
export async function renderAddon(definition: AddonDefinition, context: AddonContext): Promise<RenderedAddon> {
  const target = { addon: definition.name, cluster: context.cluster.metadata?.name ?? '' };
  try {
    const namespace = await installNamespaceFor(definition, context);
    const rendered = await definition.render(renderContext(definition, context, namespace));
    const manifests = partitionManifests(checkManifests(rendered, target), {
      enabled: Boolean(definition.hosted),
      mode: context.mode,
    });
    const prober = await valueFor(definition.health, context);
    const authored = (await valueFor(definition.manifestConfigs, context)) ?? [];
    const deployed = [...manifests.managed.deployed, ...manifests.hosting.deployed];
    return {
      manifests,
      manifestConfigs: mergeManifestConfigs(probeConfigs(prober, deployed), authored),
      ...(prober && { prober }),
    };
  } catch (error) {
    throw renderError(prefixOf(target), error);
  }
}
